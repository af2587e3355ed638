import type { MatchedDesign } from '../../../../server/contract/designs.ts';
import type { Diagnostic } from '../../../../server/contract/diagnostics.ts';
import type { SubmitOptions } from '../../../../server/contract/jobs.ts';
import { Badge } from '../../components/Badge.tsx';
import { InlineError } from '../../components/Empty.tsx';
import { Icon } from '../../components/Icon.tsx';
import type { Draft } from '../../state/drafts.ts';
import { text } from '../../text/text.ts';
import './match.css';
import type { Scan } from './use-scan.ts';

const t = text.node;

interface Ties {
  draft?: Draft | undefined;
  onOptions?: ((options: SubmitOptions) => void) | undefined;
}

/** Extra inputs and what they are tied to; before the build a click ties them to the other value. */
function TieList({ design, draft, onOptions }: { design: MatchedDesign } & Ties) {
  if (design.ties.length === 0) return null;
  return (
    <div className="match-part">
      <h4>{t.ties}</h4>
      <ul className="match-list">
        {design.ties.map(({ port, width, value, reason }) => (
          <li key={port} title={reason}>
            <code>
              {port}
              {width > 1 ? `[${width - 1}:0]` : ''}
            </code>
            {draft && onOptions ? (
              <fieldset className="tie">
                <legend className="sr-only">{port}</legend>
                {([0, 1] as const).map((to) => (
                  <button
                    key={to}
                    type="button"
                    aria-pressed={value === to}
                    aria-label={t.tieTo(port, to)}
                    onClick={() =>
                      onOptions({ ...draft.options, ties: { ...draft.options.ties, [port]: to } })
                    }
                  >
                    {to}
                  </button>
                ))}
              </fieldset>
            ) : (
              <span className="mono">= {value}</span>
            )}
            <span className="muted match-reason">{reason}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Matched({ design, ...ties }: { design: MatchedDesign } & Ties) {
  return (
    <>
      <dl className="facts facts-column">
        <div>
          <dt>{t.module}</dt>
          <dd className="mono">{design.module}</dd>
        </div>
        <div>
          <dt>{t.bus}</dt>
          <dd>{t.busOf(design.dataWidth, design.addressWidth)}</dd>
        </div>
        <div title={design.addressingReason}>
          <dt>{t.addressing}</dt>
          <dd>
            {t[design.addressing]}
            <span className="muted match-reason">{design.addressingReason}</span>
          </dd>
        </div>
        <div>
          <dt>{t.handshake}</dt>
          <dd>{t.handshakes[design.handshake]}</dd>
        </div>
        <div>
          <dt>{t.resetPort}</dt>
          <dd>{design.resetActiveLow ? t.resetLow : t.resetHigh}</dd>
        </div>
      </dl>
      <TieList design={design} {...ties} />
      {design.open.length > 0 && (
        <div className="match-part">
          <h4>{t.openPorts}</h4>
          <p className="mono match-open">{design.open.join(', ')}</p>
        </div>
      )}
      <details className="match-part">
        <summary>{t.roles}</summary>
        <table className="match-roles">
          <tbody>
            {Object.entries(design.roles).map(([role, port]) => (
              <tr key={role}>
                <th scope="row">{role}</th>
                <td className="mono">{port}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </>
  );
}

/** What the matcher finds in a design: which module, which ports, how it is addressed, what is tied. */
export function MatchPanel({ scan, onLine, ...ties }: { scan: Scan; onLine(line: number): void } & Ties) {
  const { data: result, busy, error } = scan;
  const others = result?.modules.filter(({ name }) => name !== result.matched?.module) ?? [];
  return (
    <section className="match" aria-label={t.matcher} aria-busy={busy}>
      <h3>
        {t.matcher}
        {result?.matched && !busy && (
          <Badge tone="reserved" icon="complete">
            {t.fits}
          </Badge>
        )}
      </h3>
      {busy && <p className="muted">{t.scanning}</p>}
      {error !== undefined && <InlineError error={error} />}
      {result && (
        <div className={busy ? 'match-stale' : ''}>
          {result.matched ? (
            <Matched design={result.matched} {...ties} />
          ) : (
            <p className="match-none">
              <Icon name="error" size={14} />
              <span>
                <strong>{result.modules.length === 0 ? t.nothingElaborated : t.noMatch}</strong>{' '}
                {result.modules.length > 0 && <span className="muted">{t.noMatchHint}</span>}
              </span>
            </p>
          )}
          <Diagnostics diagnostics={result.diagnostics} onLine={onLine} />
          {others.length > 0 && (
            <details className="match-part" open={!result.matched}>
              <summary>
                {result.matched ? t.otherModules : t.modules} ({others.length})
              </summary>
              <ul className="match-modules">
                {others.map(({ name, problem }) => (
                  <li key={name}>
                    <code>{name}</code>
                    <span className="muted">{problem ?? t.fits}</span>
                  </li>
                ))}
              </ul>
            </details>
          )}
        </div>
      )}
    </section>
  );
}

/** What a finding is about, where it has no line: a port, a net or a module. */
const subjectOf = ({ port, net, module }: Diagnostic): string | undefined => port ?? net ?? module;

const ICONS = { error: 'error', warning: 'warning', info: 'info' } as const;

function Finding({ diagnostic, onLine }: { diagnostic: Diagnostic; onLine(line: number): void }) {
  const { severity, code, line, message } = diagnostic;
  const said = (
    <>
      <Icon name={ICONS[severity]} size={14} />
      <span className="sr-only">{t.severities[severity]}</span>
      <span className="mono diagnostic-line">
        {line === undefined ? (subjectOf(diagnostic) ?? '') : t.line(line)}
      </span>
      <span>{message}</span>
    </>
  );
  const look = `diagnostic diagnostic-${severity}`;
  return line === undefined ? (
    <div className={look} title={code}>
      {said}
    </div>
  ) : (
    <button type="button" className={look} title={code} onClick={() => onLine(line)}>
      {said}
    </button>
  );
}

/** What the tools found in a design; a click on what has a place in the source shows the line. */
export function Diagnostics({
  diagnostics,
  onLine,
}: {
  diagnostics: readonly Diagnostic[];
  onLine(line: number): void;
}) {
  if (diagnostics.length === 0) return null;
  return (
    <div className="match-part">
      <h4>{t.diagnostics}</h4>
      <ul className="diagnostics">
        {diagnostics.map((diagnostic) => (
          <li key={`${diagnostic.line} ${diagnostic.code} ${diagnostic.message}`}>
            <Finding diagnostic={diagnostic} onLine={onLine} />
          </li>
        ))}
      </ul>
    </div>
  );
}
