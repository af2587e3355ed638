import type { Expectation } from '../contract/jobs/scripts.ts';

/** Read words, by the names that the script gave them. */
export type SavedWords = Map<string, number>;

/** Whether a word meets its expectation; a word to be saved always does. */
export function meets(expectation: Expectation, word: number, saved: SavedWords): boolean {
  if (expectation === null) return true;
  if (typeof expectation === 'number') return word === expectation;
  if ('mask' in expectation) return (word & expectation.mask) === (expectation.value & expectation.mask);
  if ('min' in expectation) return word >= expectation.min && word <= expectation.max;
  if ('saved' in expectation) return saved.get(expectation.saved) === word;
  saved.set(expectation.save_as, word);
  return true;
}

/** The expectation with a saved word instead of its name. */
export const resolved = (expectation: Expectation, saved: SavedWords): Expectation =>
  typeof expectation === 'object' && expectation !== null && 'saved' in expectation
    ? (saved.get(expectation.saved) ?? expectation)
    : expectation;

/** Describes an expectation for a line of a report. */
export function describeExpectation(expectation: Expectation): string {
  const hex = (word: number) => `0x${word.toString(16)}`;
  if (expectation === null) return 'any';
  if (typeof expectation === 'number') return hex(expectation);
  if ('mask' in expectation) return `${hex(expectation.value)} in the bits ${hex(expectation.mask)}`;
  if ('min' in expectation) return `${hex(expectation.min)} to ${hex(expectation.max)}`;
  if ('saved' in expectation) return `what was saved as ${expectation.saved}`;
  return 'any';
}
