import type { Diagnostic } from '../../contract/diagnostics.ts';
import type { PreparedDesign } from './prepared-design.ts';
import { LONGEST, sourcePieces } from './source-pieces.ts';
import { reportedName } from './tool-paths.ts';
import { unevenCondition } from './unclosed.ts';

/** An error about conditions of the preprocessor, with its line. */
export function conditionOf(
  finding: Diagnostic,
  { files, units }: Pick<PreparedDesign, 'files' | 'units'>,
): Diagnostic | null {
  if (
    !/^(?:Unterminated preprocessor conditional|Found `\w+ outside of macro conditional branch)/.test(
      finding.message,
    )
  )
    return null;
  for (const path of new Set([...units, ...Object.keys(files)])) {
    const text = files[path];
    const read = typeof text === 'string' && text.length <= LONGEST;
    const uneven = read ? unevenCondition(sourcePieces(text)) : null;
    if (uneven) return { ...finding, file: reportedName(path), line: uneven.line, message: uneven.said };
  }
  return null;
}
