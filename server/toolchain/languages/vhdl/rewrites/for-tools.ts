import { withFailingFiles } from './vhdl-file-calls.ts';
import { withoutFileParts } from './vhdl-file-parts.ts';
import { inOneLibrary } from './vhdl-libraries.ts';

/**
 * Sources in VHDL, in which what GHDL does not read is written as it does. Lines stay what they are.
 * @param notes gets what was changed
 */
export const writtenForGhdl = (texts: readonly string[], notes: string[]): string[] =>
  withoutFileParts(inOneLibrary(texts, notes), notes).map(withFailingFiles);
