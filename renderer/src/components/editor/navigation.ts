// Declarations in the editor: where a name comes from.
import type { EditorView } from '@codemirror/view';
import type { Declaration } from '../../../../server/contract/designs/declarations.ts';
import { currentLine, declarationFor, type SourcePlace } from './declarations.ts';
import { wordAt } from './literals.ts';
import { showLine } from './marks.ts';
import { occurrencesAt } from './rename.ts';
import type { SourceLanguage } from './tokens.ts';

export interface Names {
  language: SourceLanguage;
  filename: string;
  declarations: readonly Declaration[];
  onPlace?: ((place: SourcePlace) => void) | undefined;
}

/** Shows a line with the cursor at a name in it: a rename can follow. */
function showName(view: EditorView, line: number, name: string): void {
  showLine(view, line);
  const { from, text } = view.state.doc.line(line);
  const at = text.search(new RegExp(`(?<![\\w$])${name.replace(/\$/g, '\\$')}(?![\\w$])`, 'i'));
  if (at >= 0) view.dispatch({ selection: { anchor: from + at } });
}

/** Shows the declaration of the name at a position, or its first mention. False where there is no name. */
export function goToDeclaration(view: EditorView, position: number, names: Names): boolean {
  const { language, filename, declarations, onPlace } = names;
  const line = view.state.doc.lineAt(position);
  const word = wordAt(line.text, position - line.from);
  if (!word) return false;
  const found = declarationFor(declarations, word.text, filename, line.number);
  if (found?.line !== undefined) {
    if (found.file !== undefined && found.file !== filename && onPlace) {
      onPlace({ file: found.file, line: found.line });
      return true;
    }
    showName(view, currentLine(view.state.doc.toString(), word.text, found.line, language), word.text);
    return true;
  }
  const [first] = occurrencesAt(view.state.doc.toString(), position, language)?.ranges ?? [];
  if (!first) return false;
  showName(view, view.state.doc.lineAt(first.from).number, word.text);
  return true;
}
