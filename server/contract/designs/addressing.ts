import type { MatchedDesign } from './uploads.ts';

/** The way to count addresses that a design was not matched with. */
export const otherAddressing = ({ addressing }: Pick<MatchedDesign, 'addressing'>): 'byte' | 'word' =>
  addressing === 'byte' ? 'word' : 'byte';
