import type { Pieces } from '../statements.ts';

/**
 * What stands from one piece of a text to before another, in one line, so that it can be written in another place.
 * @returns null where there are remarks or conditions in it
 */
export function oneLine(text: string, pieces: Pieces, from: number, to: number): string | null {
  const [first, last] = [pieces[from], pieces[to - 1]];
  if (!first || !last || from >= to) return '';
  const between = text.slice(first.start, last.end);
  const hides = /\/\/|\/\*/.test(between) || pieces.slice(from, to).some(({ kind }) => kind === 'directive');
  return hides ? null : between.replace(/\s+/g, ' ');
}
