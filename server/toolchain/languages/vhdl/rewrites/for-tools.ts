import { withFailingFiles } from './vhdl-file-calls.ts';
import { withoutFileParts } from './vhdl-file-parts.ts';
import { inOneLibrary } from './vhdl-libraries.ts';

/**
 * Rewrites VHDL constructs that GHDL does not read. Line numbers do not change.
 * @param notes receives the changes
 */
export const writtenForGhdl = (texts: readonly string[], notes: string[]): string[] =>
  withoutFileParts(inOneLibrary(texts, notes), notes).map(withFailingFiles);
