import type { Diagnostic } from '../../../../server/contract/diagnostics.ts';

/** A part of a text with a link to a line of the source. */
interface SourceLink {
  /** Range in the text. */
  from: number;
  to: number;
  /** Line of the source, from 1. */
  line: number;
  /** Target of the link, such as `echo.v:12`. */
  place: string;
}

/** Index of `part` in a text as a whole word; -1 if it is absent. */
function indexOfWhole(text: string, part: string): number {
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1))
    if (!/[\w.-]/.test(text[at - 1] ?? '') && !/\d/.test(text[at + part.length] ?? '')) return at;
  return -1;
}

/** The links of a log line: the places of its diagnostics, or the words of a diagnostic without a place in the line. */
export function sourceLinks(text: string, diagnostics: readonly Diagnostic[]): SourceLink[] {
  const links = new Map<number, SourceLink>();
  for (const { file, line, message } of diagnostics) {
    if (file === undefined || line === undefined) continue;
    const place = `${file}:${line}`;
    const at = indexOfWhole(text, place);
    if (at !== -1) links.set(at, { from: at, to: at + place.length, line, place });
    else if (message !== '') {
      const start = text.indexOf(message);
      if (start !== -1 && !links.has(start))
        links.set(start, { from: start, to: start + message.length, line, place });
    }
  }
  let end = 0;
  return [...links.values()]
    .sort((a, b) => a.from - b.from)
    .filter(({ from, to }) => {
      if (from < end) return false;
      end = to;
      return true;
    });
}
