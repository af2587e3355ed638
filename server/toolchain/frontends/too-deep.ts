import type { Diagnostic } from '../../contract/diagnostics.ts';
import type { PreparedDesign } from '../intake/prepared-design.ts';

/** Diagnostic for a front end that ran out of stack; it recurses for each level of nesting. */
export const tooDeep = ({ uploaded: [file, ...others] }: PreparedDesign): Diagnostic => ({
  severity: 'error',
  code: 'design_invalid',
  message:
    'expressions, statements or macros are nested too deeply (split them, with a signal or a constant for each part), or a function calls itself endlessly',
  ...(file !== undefined && others.length === 0 && { file }),
});
