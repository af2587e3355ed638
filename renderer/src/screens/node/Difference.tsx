// The difference of a figure of two builds.
import type { ComparedFigure } from '../../../../server/contract/client/compare-reports.ts';
import { DIGITS } from '../../../../server/contract/client/compare-reports.ts';
import { Icon } from '../../components/Icon.tsx';
import { signed } from '../../format/difference.ts';
import { text } from '../../text/text.ts';
import './difference.css';

const t = text.node.comparison;

/** Differences of a duration below this are noise, s. */
const NOISE = 0.1;

/** Whether the newer build is better in a figure: faster, smaller, sooner built; undefined if it is the same. */
export function isBetter({ group, difference }: ComparedFigure): boolean | undefined {
  if (difference === null || difference === 0) return undefined;
  if (group === 'stage' && Math.abs(difference) < NOISE) return undefined;
  return group === 'timing' ? difference > 0 : difference < 0;
}

/** A difference with its sign. Better and worse differ by colour, shape and word. */
export function Difference({ figure }: { figure: ComparedFigure }) {
  const { difference, unit } = figure;
  if (difference === null) return null;
  const better = isBetter(figure);
  const shown = `${signed(difference, DIGITS[unit])}${unit && ` ${unit}`}`;
  if (better === undefined) return <span className="muted">{shown}</span>;
  return (
    <span
      className={better ? 'difference text-good' : 'difference text-bad'}
      title={better ? t.better : t.worse}
    >
      <Icon name={better ? 'complete' : 'warning'} size={13} />
      <span className="sr-only">{better ? t.better : t.worse}: </span>
      {shown}
    </span>
  );
}
