/** Formats for the values of a signal; separate from the schemas, for the page. */
export const WAVE_FORMATS = ['hex', 'decimal', 'signed', 'binary', 'names'] as const;
/** Ways to draw values as a curve. */
export const CURVES = ['step', 'linear'] as const;
