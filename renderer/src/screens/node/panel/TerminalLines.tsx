import { type ClipboardEvent, type KeyboardEvent, type ReactNode, useEffect } from 'react';
import { Button } from '../../../components/Button.tsx';
import { marked } from '../../../components/marked.tsx';
import { useRows } from '../../../components/use-rows.ts';
import { formatBytes } from '../../../format/size.ts';
import type { TerminalLine, TerminalLog } from '../../../state/pins/terminal-log.ts';
import { text } from '../../../text/text.ts';
import { hexRow, hexRows, timeOf } from './terminal-text.ts';

const t = text.terminal;
const ROW = 20;

/** The text of a line: what this window sent looks different. */
function Body({ line: { text: all, sent }, query }: { line: TerminalLine; query: string }) {
  const pieces: ReactNode[] = [];
  let from = 0;
  for (const [start, end] of sent) {
    pieces.push(marked(all.slice(from, start), query));
    pieces.push(
      <span key={start} className="terminal-sent">
        {marked(all.slice(start, end), query)}
      </span>,
    );
    from = end;
  }
  pieces.push(marked(all.slice(from), query));
  return <>{pieces}</>;
}

interface Props {
  label: string;
  log: TerminalLog;
  hex: boolean;
  times: boolean;
  query: string;
  /** Number of the line with the current match. */
  current: number | undefined;
  goTo: { line: number } | undefined;
  follow: boolean;
  onFollow(follow: boolean): void;
  placeholder: string;
  onKeyDown(event: KeyboardEvent): void;
  onPaste(event: ClipboardEvent): void;
}

/** The lines of a terminal. It draws only the visible ones, and follows the end until the person scrolls away. */
export function TerminalLines({ log, hex, times, query, current, goTo, follow, onFollow, ...props }: Props) {
  const { first, count } = hex ? hexRows(log) : { first: log.first, count: log.end - log.first };
  const rows = useRows({ count, row: ROW, beyond: 20, follow, onFollow });
  // biome-ignore lint/correctness/useExhaustiveDependencies: goes there once each time it is asked to
  useEffect(() => {
    if (goTo) rows.show(goTo.line - first, 'middle');
  }, [goTo]);
  const isEmpty = hex ? count === 0 : count === 1 && log.line(first)?.text === '';
  return (
    <div className="terminal-frame">
      <div
        ref={rows.ref}
        className="terminal-screen"
        role="log"
        aria-label={props.label}
        // Rows that scrolling draws are no news.
        aria-live={follow ? 'polite' : 'off'}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it takes what is typed for the design
        tabIndex={0}
        onKeyDown={props.onKeyDown}
        onPaste={props.onPaste}
      >
        {isEmpty && <p className="terminal-empty">{props.placeholder}</p>}
        <div className="terminal-rows" style={rows.style}>
          {rows.drawn.map((index) => {
            const number = first + index;
            const line = hex ? undefined : log.line(number);
            return (
              <div key={number} className="terminal-line" data-current={!hex && number === current}>
                {hex && hexRow(log, number)}
                {line && times && <span className="terminal-time">{timeOf(line)}</span>}
                {line?.missing && (
                  <span className="terminal-missing">{t.missing(formatBytes(line.missing))} </span>
                )}
                {line && <Body line={line} query={query} />}
              </div>
            );
          })}
        </div>
      </div>
      {!follow && (
        <Button className="terminal-resume" icon="down" onClick={() => onFollow(true)}>
          {t.toEnd}
        </Button>
      )}
    </div>
  );
}
