import { otherAddressing } from '../../../../server/contract/designs/addressing.ts';
import type { MatchedDesign, ScanResult } from '../../../../server/contract/designs/uploads.ts';
import type { Diagnostic } from '../../../../server/contract/diagnostics.ts';
import type { SubmitOptions } from '../../../../server/contract/jobs/jobs.ts';
import { Badge } from '../../components/Badge.tsx';
import { Button } from '../../components/Button.tsx';
import { InlineError } from '../../components/Empty.tsx';
import { Icon } from '../../components/Icon.tsx';
import { text } from '../../text/text.ts';
import './match.css';
import { InferredMap } from './InferredMap.tsx';
import { ModuleName } from './ModuleName.tsx';
import type { Place } from './place.ts';
import type { Scan } from './use-scan.ts';

const t = text.node;

interface Shows {
  /** Shows a place in the source; absent without a source. */
  onPlace?: ((place: Place) => void) | undefined;
}

interface Changes {
  /** Sets the addressing for the next submit. */
  onAddressing?: ((addressing: MatchedDesign['addressing']) => void) | undefined;
  /** Options of the next submit; absent for a submitted design. */
  options?: SubmitOptions | undefined;
  onOptions?: ((options: SubmitOptions) => void) | undefined;
}

/** Extra inputs with their initial values; before the build a click toggles them. */
function TieList({ design, options, onOptions }: { design: MatchedDesign } & Changes) {
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
            {options && onOptions ? (
              <fieldset className="tie">
                <legend className="sr-only">{port}</legend>
                {([0, 1] as const).map((to) => (
                  <button
                    key={to}
                    type="button"
                    aria-pressed={value === to}
                    aria-label={t.tieTo(port, to)}
                    onClick={() => onOptions({ ...options, ties: { ...options.ties, [port]: to } })}
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

/** Why no slave was found, and what to do. */
function refusalOf({ modules, diagnostics }: ScanResult): { title: string; hint: string } {
  if (modules.length === 0) return { title: t.nothingElaborated, hint: '' };
  const codes = new Set(diagnostics.map(({ code }) => code));
  if (codes.has('design_ambiguous')) return t.severalMatch;
  return codes.has('design_top_unknown') || codes.has('design_bad_tie') ? t.wrongOption : t.noMatch;
}

function Refused({ result }: { result: ScanResult }) {
  const { title, hint } = refusalOf(result);
  return (
    <p className="match-none">
      <Icon name="error" size={14} />
      <span>
        <strong>{title}</strong> <span className="muted">{hint}</span>
      </span>
    </p>
  );
}

/** A doubt on the addressing, with a button for the other choice. */
function AddressingDoubt({ design, onAddressing }: { design: MatchedDesign } & Changes) {
  if (design.addressingDoubt === undefined) return null;
  const other = otherAddressing(design);
  return (
    <div className="match-part match-doubt">
      <p>
        <Icon name="warning" size={14} />
        <span>{t.addressingDoubt(design.addressingDoubt)}</span>
      </p>
      {onAddressing && <Button onClick={() => onAddressing(other)}>{t.useAddressing[other]}</Button>}
    </div>
  );
}

function Matched({ design, onPlace, ...changes }: { design: MatchedDesign } & Changes & Shows) {
  const pinsOf = (wanted: string) =>
    (design.pins ?? []).flatMap(({ name, direction }) => (direction === wanted ? [name] : []));
  const [shown, both] = [pinsOf('output'), pinsOf('inout')];
  return (
    <>
      <dl className="facts facts-column">
        <div>
          <dt>{t.module}</dt>
          <dd>
            <ModuleName name={design.module} file={design.file} line={design.line} onPlace={onPlace} />
          </dd>
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
      <AddressingDoubt design={design} {...changes} />
      <TieList design={design} {...changes} />
      {shown.length > 0 && (
        <div className="match-part">
          <h4>{t.pinOutputs}</h4>
          <p className="mono match-open">{shown.join(', ')}</p>
        </div>
      )}
      {both.length > 0 && (
        <div className="match-part">
          <h4>{t.pinInouts}</h4>
          <p className="mono match-open">{both.join(', ')}</p>
        </div>
      )}
      {design.terminal && (
        <div className="match-part">
          <h4>{t.terminal}</h4>
          <p className="mono match-open">
            {design.terminal.input}, {design.terminal.output}
          </p>
        </div>
      )}
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

/** The other modules with their reasons, without those that a diagnostic explains. */
export function OtherModules({ result, onPlace }: { result: ScanResult } & Shows) {
  const { matched, modules, diagnostics } = result;
  const explained = new Set(diagnostics.map(({ module }) => module));
  const others = modules.filter(({ name }) => name !== matched?.module && !explained.has(name));
  if (others.length === 0) return null;
  return (
    <details className="match-part" open={!matched}>
      <summary>
        {matched ? t.otherModules : t.modules} ({others.length})
      </summary>
      <ul className="match-modules">
        {others.map(({ name, file, line, problem }) => (
          <li key={name}>
            <ModuleName name={name} file={file} line={line} onPlace={onPlace} />
            <span className="muted">{problem ?? t.fits}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}

/** The matcher result: module, ports, addressing, ties. */
export function MatchPanel({
  scan,
  project = false,
  onPlace,
  ...changes
}: {
  scan: Scan;
  /** The design has several files; absent without diagnostics. */
  project?: boolean;
} & Changes &
  Shows) {
  const { data: result, busy, error } = scan;
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
            <Matched design={result.matched} onPlace={onPlace} {...changes} />
          ) : (
            <Refused result={result} />
          )}
          {result.diagnostics.length > 0 && (
            <div className="match-part">
              <h4>{t.diagnostics}</h4>
              <Findings diagnostics={result.diagnostics} project={project} onPlace={onPlace} />
            </div>
          )}
          {result.proposal && result.proposal.registers.length > 0 && (
            <InferredMap map={result.proposal} onPlace={onPlace} />
          )}
          <OtherModules result={result} onPlace={onPlace} />
        </div>
      )}
    </section>
  );
}

/** Subject of a diagnostic without a line: a port, a net or a module. */
const subjectOf = ({ port, net, module }: Diagnostic): string | undefined => port ?? net ?? module;

const ICONS = { error: 'error', warning: 'warning', info: 'info' } as const;

function Finding({ diagnostic, named, onPlace }: { diagnostic: Diagnostic; named: boolean } & Shows) {
  const { severity, code, file, line, message } = diagnostic;
  const content = (
    <>
      <Icon name={ICONS[severity]} size={14} />
      <span className="sr-only">{t.severities[severity]}</span>
      <span className="mono diagnostic-line">
        {line === undefined ? (subjectOf(diagnostic) ?? '') : t.line(line)}
      </span>
      <span>
        {named && file !== undefined && <span className="mono muted diagnostic-file">{file}</span>}
        {message}
      </span>
    </>
  );
  const look = `diagnostic diagnostic-${severity}`;
  return line === undefined || !onPlace ? (
    <div className={look} title={code}>
      {content}
    </div>
  ) : (
    <button type="button" className={look} title={code} onClick={() => onPlace({ file, line })}>
      {content}
    </button>
  );
}

/** The diagnostics of a design; a click shows the line in the source. */
export function Findings({
  diagnostics,
  project,
  onPlace,
}: {
  diagnostics: readonly Diagnostic[];
  /** The design has several files: each diagnostic names its own. */
  project: boolean;
} & Shows) {
  if (diagnostics.length === 0) return null;
  return (
    <ul className="diagnostics">
      {diagnostics.map((diagnostic) => (
        <li key={`${diagnostic.file} ${diagnostic.line} ${diagnostic.code} ${diagnostic.message}`}>
          <Finding diagnostic={diagnostic} named={project} onPlace={onPlace} />
          {diagnostic.notes?.map((note) => (
            <Finding
              key={`${note.file} ${note.line} ${note.message}`}
              diagnostic={{ severity: 'info', code: diagnostic.code, ...note }}
              named={project}
              onPlace={onPlace}
            />
          ))}
        </li>
      ))}
    </ul>
  );
}
