import type { Diagnostic } from '../../contract/diagnostics.ts';

/** Place of a declaration, as far as it is known. */
export type Place = Pick<Diagnostic, 'file' | 'line' | 'column'>;

/** A place without its column. */
export const fileAndLine = ({ file, line }: Place) => ({
  ...(file !== undefined && { file }),
  ...(line !== undefined && { line }),
});
