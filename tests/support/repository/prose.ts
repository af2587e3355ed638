// Measures the prose of pages.
import type { Page } from './pages.ts';

/** The sentences of paragraphs, of points of lists, and of cells of tables with more than 8 words. */
export function sentencesOf({ text }: Page): string[] {
  const prose = text.replaceAll(/```.*?```/gs, '').replaceAll(/<!--.*?-->/gs, '');
  const pieces: string[] = [];
  let lines: string[] = [];
  const flush = () => {
    if (lines.length > 0) pieces.push(lines.join(' '));
    lines = [];
  };
  for (const line of prose.split('\n').map((one) => one.trim())) {
    const point = /^(?:[-*]|\d+\.)\s+/;
    if (line === '' || /^[|#]/.test(line) || point.test(line)) flush();
    if (line.startsWith('|')) pieces.push(...cellsOf(line));
    else if (line !== '' && !line.startsWith('#')) lines.push(line.replace(point, ''));
  }
  flush();
  return pieces.flatMap((piece) =>
    piece
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replaceAll(/`[^`]*`/g, 'X')
      // A list of names counts as one word.
      .replaceAll(/X(?:, X)+/g, 'X')
      .split(/(?<=[.!?:])["”)*]*\s+(?=[A-Z`*[“"(0-9])/)
      .filter((sentence) => wordsIn(sentence) > 0),
  );
}

const cellsOf = (row: string): string[] =>
  row
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim())
    .filter((cell) => wordsIn(cell) > 8);

/** Words with a letter or a digit: the bars of tables and dashes are none. */
export const wordsIn = (text: string): number =>
  text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;

/** Words of a page without its generated sections. */
export const writtenWords = ({ text }: Page): number =>
  wordsIn(text.replaceAll(/<!-- generated: (\S+).*?<!-- end of \1 -->/gs, ''));

/** Mean length of the sentences of all pages, in words. */
export function meanLength(pages: readonly Page[]): number {
  const lengths = pages.flatMap(sentencesOf).map(wordsIn);
  return lengths.reduce((sum, length) => sum + length, 0) / lengths.length;
}
