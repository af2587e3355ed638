import type { Diagnostic } from '../../contract/diagnostics.ts';

/** Where something is declared, as far as the tool says. */
export type Place = Pick<Diagnostic, 'file' | 'line' | 'column'>;

/** A place without its column. */
export const fileAndLine = ({ file, line }: Place) => ({
  ...(file !== undefined && { file }),
  ...(line !== undefined && { line }),
});
