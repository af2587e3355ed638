import type { MatchedDesign } from './uploads.ts';

/** The addressing other than the design's detected one. */
export const otherAddressing = ({ addressing }: Pick<MatchedDesign, 'addressing'>): 'byte' | 'word' =>
  addressing === 'byte' ? 'word' : 'byte';
