import type { BuildEstimate } from '../../../../server/contract/jobs/utilisation.ts';
import { Badge } from '../../components/Badge.tsx';
import { formatCount } from '../../format/size.ts';
import { text } from '../../text/text.ts';
import { UtilisationTable } from './UtilisationTable.tsx';

const t = text.node.estimate;

const isSlow = ({ fmax_mhz: fmax, target_mhz: target }: BuildEstimate): boolean =>
  fmax !== null && fmax < target;
const isFull = ({ utilisation }: BuildEstimate): boolean =>
  utilisation.some(({ used, available }) => used > available);

/** The estimate of a build in one line next to its stages: speed, and the fullest resource. */
export function EstimateLine({ estimate }: { estimate: BuildEstimate }) {
  const [fullest] = estimate.utilisation.toSorted((a, b) => b.used / b.available - a.used / a.available);
  const parts = [
    ...(estimate.fmax_mhz === null ? [] : [t.clock(estimate.fmax_mhz)]),
    ...(fullest
      ? [t.fullest(formatCount(fullest.used), formatCount(fullest.available), fullest.resource)]
      : []),
  ];
  const warning = isFull(estimate) ? t.tooLarge : isSlow(estimate) ? t.slow(estimate.target_mhz) : null;
  return (
    <p className="stage-estimate" title={t.hint}>
      <span className="muted">{t.title}</span> <span className="num">{parts.join(', ')}</span>
      {warning !== null && <span className="text-warn"> {warning}</span>}
    </p>
  );
}

/** The estimate in full, until the report is there. */
export function EstimatePart({ estimate }: { estimate: BuildEstimate }) {
  const { fmax_mhz: fmax, target_mhz: target, utilisation } = estimate;
  return (
    <div className="report-column">
      <section className="report-part">
        <h3>
          {t.title}
          {isFull(estimate) && (
            <Badge tone="error" icon="error">
              {t.tooLarge}
            </Badge>
          )}
          {isSlow(estimate) && (
            <Badge tone="queued" icon="queued">
              {t.slow(target)}
            </Badge>
          )}
        </h3>
        <p className="muted">{t.hint}</p>
        {fmax !== null && <p>{t.clockAndTarget(fmax, target)}</p>}
      </section>
      <UtilisationTable rows={utilisation} />
    </div>
  );
}
