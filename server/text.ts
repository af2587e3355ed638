/**
 * A control character that no text line contains: neither tab nor a line end. Source: ASCII (RFC 20). Vertical tab and
 * form feed are allowed, because editors put them into sources.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
export const CONTROL_CHARACTER = /[\u0000-\u0008\u000e-\u001f\u007f]/;

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const UNPRINTABLE = /\u001b\[[0-9;?]*[ -/]*[@-~]|[\u0000-\u0008\u000b-\u001f\u007f]/g;

/**
 * Invisible characters that change a text's appearance: C1 controls (ECMA-48), which some terminals obey, and direction
 * marks (Unicode UAX #9), which make a name or a source look different.
 */
const DECEPTIVE = /[\u0080-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

const mark = (character: string) =>
  `[U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}]`;

/** The text with C1 controls and bidirectional overrides written out: `[U+202E]`. */
export const withMarks = (text: string): string => text.replace(DECEPTIVE, mark);

/** The positions of C1 controls and bidirectional overrides in a text, each with its written form. */
export const deceptiveCharacters = (text: string): { index: number; written: string }[] =>
  [...text.matchAll(DECEPTIVE)].map(({ 0: character, index }) => ({ index, written: mark(character) }));

/**
 * A line without terminal controls: escape sequences (ECMA-48, CSI) and control characters other than tab and line
 * feed. C1 controls and bidirectional overrides are written out.
 */
export const withoutControls = (line: string): string => withMarks(line.replace(UNPRINTABLE, ''));

/** A number with its noun: `1 build`, `2 builds`. @param many where it is not `one` with an s */
export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;

/**
 * The restricted Damerau-Levenshtein distance of two words: inserted, removed, changed and swapped letters; `limit`
 * where it is not less.
 */
export function editDistance(one: string, other: string, limit = Number.POSITIVE_INFINITY): number {
  let before: number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const same = one[i - 1] === other[j - 1] ? 0 : 1;
      let least = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + same);
      if (i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1])
        least = Math.min(least, (before[j - 2] ?? 0) + 1);
      next.push(least);
    }
    if (Math.min(...next) >= limit) return limit;
    [before, row] = [row, next];
  }
  return Math.min(row[other.length] ?? limit, limit);
}
