import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, type ReactNode, useEffect, useLayoutEffect, useRef } from 'react';
import type { Diagnostic } from '../../../../../server/contract/diagnostics.ts';
import { Button } from '../../../components/Button.tsx';
import { marked } from '../../../components/marked.tsx';
import { sourceLinks } from '../../../state/jobs/diagnostics.ts';
import type { LogLine } from '../../../state/jobs/log-document.ts';
import { text } from '../../../text/text.ts';

const t = text.log;
const ROW = 20;
/** Maximum distance from the end that counts as the end, pixels. */
const AT_END = 24;

interface BodyProps {
  line: LogLine;
  /** Diagnostics, whose texts in a line become links. */
  diagnostics: readonly Diagnostic[];
  query: string;
  onSource(line: number): void;
}

/** The text of a line, with links into the source. */
function Body({ line, diagnostics, query, onSource }: BodyProps) {
  const links = sourceLinks(line.text, diagnostics);
  if (links.length === 0) return <>{marked(line.text.slice(line.body), query)}</>;
  const pieces: ReactNode[] = [];
  let from = line.body;
  for (const link of links) {
    const name = line.text.slice(link.from, link.to);
    pieces.push(marked(line.text.slice(from, link.from), query));
    pieces.push(
      <button
        key={link.from}
        type="button"
        className="log-place"
        title={t.goToSource(name)}
        onClick={() => onSource(link.line)}
      >
        {name}
      </button>,
    );
    from = link.to;
  }
  pieces.push(marked(line.text.slice(from), query));
  return <>{pieces}</>;
}

interface LineProps extends BodyProps {
  number: number;
  start: number;
  current: boolean;
}

const Line = memo(function Line({ number, start, current, ...body }: LineProps) {
  const { line } = body;
  return (
    <div
      className={`log-line log-${line.level} ${current ? 'log-current' : ''}`}
      style={{ transform: `translateY(${start}px)` }}
    >
      <span className="log-number">{number}</span>
      {line.body > 0 && <span className="log-prefix">{line.text.slice(0, line.body)}</span>}
      <Body {...body} />
    </div>
  );
});

interface Props {
  lines: readonly LogLine[];
  diagnostics: readonly Diagnostic[];
  query: string;
  /** Row of the current match. */
  current: number | undefined;
  follow: boolean;
  onFollow(follow: boolean): void;
  goTo: { row: number } | undefined;
  onSource(line: number): void;
}

/** The lines of a log. It draws only the visible ones, and follows the end until the person scrolls away. */
export function LogLines({ lines, diagnostics, query, current, follow, onFollow, goTo, onSource }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const top = useRef(0);
  const rows = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 30,
  });
  const height = rows.getTotalSize();
  // biome-ignore lint/correctness/useExhaustiveDependencies: every new line moves the end
  useLayoutEffect(() => {
    if (follow && scroller.current) scroller.current.scrollTop = scroller.current.scrollHeight;
  }, [follow, height]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: goes there once each time it is asked to
  useEffect(() => {
    if (goTo) rows.scrollToIndex(goTo.row, { align: 'center' });
  }, [goTo]);
  return (
    <div className="log-frame">
      <section
        ref={scroller}
        className="log-scroll"
        aria-label={t.title}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
        tabIndex={0}
        onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
          const atEnd = scrollHeight - scrollTop - clientHeight < AT_END;
          // Only a person scrolls up: new lines before the event are no reason to stop following.
          if (follow && !atEnd && scrollTop < top.current) onFollow(false);
          top.current = scrollTop;
        }}
      >
        <div className="log-rows" style={{ height }}>
          {rows.getVirtualItems().map(({ index, start }) => {
            const line = lines[index];
            return (
              line && (
                <Line
                  key={index}
                  line={line}
                  diagnostics={diagnostics}
                  number={line.number}
                  start={start}
                  query={query}
                  current={index === current}
                  onSource={onSource}
                />
              )
            );
          })}
        </div>
      </section>
      {!follow && (
        <Button className="log-resume" icon="down" onClick={() => onFollow(true)}>
          {t.followPaused}
        </Button>
      )}
    </div>
  );
}
