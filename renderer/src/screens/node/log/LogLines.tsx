import { memo, type ReactNode, useEffect } from 'react';
import type { Diagnostic } from '../../../../../server/contract/diagnostics.ts';
import { Button } from '../../../components/Button.tsx';
import { marked } from '../../../components/marked.tsx';
import { useRows } from '../../../components/use-rows.ts';
import { sourceLinks } from '../../../state/jobs/diagnostics.ts';
import type { LogLine } from '../../../state/jobs/log-document.ts';
import { text } from '../../../text/text.ts';

const t = text.log;
const ROW = 20;

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
  current: boolean;
}

const Line = memo(function Line({ number, current, ...body }: LineProps) {
  const { line } = body;
  return (
    <div className={`log-line log-${line.level} ${current ? 'log-current' : ''}`}>
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
  const rows = useRows({ count: lines.length, row: ROW, beyond: 30, follow, onFollow });
  // biome-ignore lint/correctness/useExhaustiveDependencies: goes there once each time it is asked to
  useEffect(() => {
    if (goTo) rows.show(goTo.row, 'middle');
  }, [goTo]);
  return (
    <div className="log-frame">
      <section
        ref={rows.ref}
        className="log-scroll"
        aria-label={t.title}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
        tabIndex={0}
      >
        <div className="log-rows" style={rows.style}>
          {rows.drawn.map((index) => {
            const line = lines[index];
            return (
              line && (
                <Line
                  key={index}
                  line={line}
                  diagnostics={diagnostics}
                  number={line.number}
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
