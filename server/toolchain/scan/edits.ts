/** A change of a source that may make it right, and what is to be said where it does. */
export interface Edit {
  /** Offsets of what is taken out; equal where something is put in alone. */
  from: number;
  to: number;
  text: string;
  /** The line of the mistake, from 1. */
  line: number;
  /** "a `;` is probably missing at the end of line 11, before `always`" */
  said: string;
}

/** The text with a change made. */
export const edited = (text: string, { from, to, text: other }: Edit): string =>
  text.slice(0, from) + other + text.slice(to);
