import type { Diagnostic } from '../../../../server/contract/diagnostics.ts';

export interface SourceEditorProps {
  text: string;
  /** Its extension chooses the highlighting. */
  filename: string;
  label: string;
  diagnostics: readonly Diagnostic[];
  /** Line to show and mark, from 1; a new object goes there again. */
  goTo?: { line: number } | undefined;
  /** Another version of the text: what is different from it is marked, and what it had is shown in its place. */
  original?: string | undefined;
  /** What was typed, as the whole text now. Without it the source is only shown. */
  onChange?: ((text: string) => void) | undefined;
  /** Ctrl+S and Ctrl+Enter in the text. */
  onSubmit?: (() => void) | undefined;
  /** What is known of a name in the source, such as a port; a line each. */
  describe?: ((name: string) => readonly string[]) | undefined;
}
