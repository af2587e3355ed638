import type { Diagnostic } from '../../../../server/contract/diagnostics.ts';

export interface SourceEditorProps {
  text: string;
  /** Its extension chooses the highlighting. */
  filename: string;
  label: string;
  diagnostics: readonly Diagnostic[];
  /** Line to show and mark, from 1; a new object goes there again. */
  goTo?: { line: number } | undefined;
}
