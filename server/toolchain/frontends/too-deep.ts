import type { Diagnostic } from '../../contract/diagnostics.ts';
import type { PreparedDesign } from '../intake/prepared-design.ts';

/** Why a front end has run out of its stack: it takes a few calls for each level of the language. */
export const tooDeep = ({ uploaded: [file, ...others] }: PreparedDesign): Diagnostic => ({
  severity: 'error',
  code: 'design_invalid',
  message:
    'expressions, statements or macros lie within each other too deeply to be read (divide them into several, with a signal or a constant for each part), or a function calls itself without end',
  ...(file !== undefined && others.length === 0 && { file }),
});
