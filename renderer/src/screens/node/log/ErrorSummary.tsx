import { useMemo } from 'react';
import type { Diagnostic } from '../../../../../server/contract/diagnostics.ts';
import { Icon } from '../../../components/Icon.tsx';
import { sourceLinks } from '../../../state/jobs/diagnostics.ts';
import type { LogDocument } from '../../../state/jobs/log-document.ts';
import { text } from '../../../text/text.ts';

const t = text.log;
const MOST = 5;

/** The errors above a log; a click goes to the line, or to its place in the source. */
export function ErrorSummary({
  document,
  version,
  diagnostics,
  onLine,
  onMore,
  onSource,
}: {
  document: LogDocument;
  version: number;
  /** The diagnostics with a place in the source. */
  diagnostics: readonly Diagnostic[];
  onLine(line: number): void;
  /** Shows all errors in the log. */
  onMore(): void;
  onSource(line: number): void;
}) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the document changes in place; its version tells
  const errors = useMemo(
    () =>
      document.errors
        .slice(0, MOST)
        .flatMap((row) => document.lines[row] ?? [])
        .map(({ text: line, body, number }) => ({
          message: line.slice(body),
          row: number - 1,
          link: sourceLinks(line, diagnostics)[0],
        })),
    [document, version, diagnostics],
  );
  if (errors.length === 0) return null;
  return (
    <section className="log-summary" aria-label={t.summary}>
      <p className="log-summary-head">
        <Icon name="error" />
        <strong>{t.errors(document.errors.length)}</strong>
        {document.warnings > 0 && <span className="muted">{t.warnings(document.warnings)}</span>}
      </p>
      <ul>
        {errors.map(({ message, row, link }) => (
          <li key={row}>
            <button type="button" className="log-error" title={t.goToLine} onClick={() => onLine(row)}>
              {message}
            </button>
            {link && (
              <button type="button" className="log-place" onClick={() => onSource(link.line)}>
                {link.place}
              </button>
            )}
          </li>
        ))}
        {document.errors.length > MOST && (
          <li>
            <button type="button" className="log-place" onClick={onMore}>
              {t.more(document.errors.length - MOST)}
            </button>
          </li>
        )}
      </ul>
    </section>
  );
}
