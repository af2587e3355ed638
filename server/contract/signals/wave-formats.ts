/** How the values of a signal may be written; apart from the schemas, for the page. */
export const WAVE_FORMATS = ['hex', 'decimal', 'signed', 'binary', 'names'] as const;
