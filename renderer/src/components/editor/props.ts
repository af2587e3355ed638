import type { Declaration } from '../../../../server/contract/designs/declarations.ts';
import type { Diagnostic } from '../../../../server/contract/diagnostics.ts';

export interface SourceEditorProps {
  text: string;
  /** Its extension chooses the highlighting. */
  filename: string;
  label: string;
  diagnostics: readonly Diagnostic[];
  /** Line to show and mark, from 1; a new object shows it again. */
  goTo?: { line: number } | undefined;
  /** Another version of the text: the editor marks the differences and shows its lines in place. */
  original?: string | undefined;
  /** Takes the whole text after each edit. Without it the source is read-only. */
  onChange?: ((text: string) => void) | undefined;
  /** Ctrl+S and Ctrl+Enter in the text. */
  onSubmit?: (() => void) | undefined;
  /** Facts on a name in the source, such as a port, one per line. */
  describe?: ((name: string) => readonly string[]) | undefined;
  /** What the files of the design declare, from the last scan. */
  declarations?: readonly Declaration[] | undefined;
  /** Shows a place in another file of the design. */
  onPlace?: ((place: { file: string | undefined; line: number }) => void) | undefined;
}
