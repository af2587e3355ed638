import type { EditorView } from '@codemirror/view';
import { text } from '../../text/text.ts';
import { closePanel, element, openPanel, panelButton } from './panel.ts';
import { reindent } from './reindent.ts';
import type { SourceLanguage } from './tokens.ts';

const t = text.editor.format;

/** The changes between two texts that differ only in the white space at the begin of their lines. */
function indentChanges(before: string, after: string): { from: number; to: number; insert: string }[] {
  const changed: { from: number; to: number; insert: string }[] = [];
  const lines = after.split('\n');
  let from = 0;
  for (const [at, line] of before.split('\n').entries()) {
    const other = lines[at] ?? '';
    if (line !== other) {
      const indent = /^[ \t]*/.exec(line)?.[0] ?? '';
      const insert = /^[ \t]*/.exec(other)?.[0] ?? '';
      changed.push({ from, to: from + indent.length, insert });
    }
    from += line.length + 1;
  }
  return changed;
}

/** Indents the source. What cannot be indented stays, and a panel says why. */
export function formatSource(view: EditorView, language: SourceLanguage): boolean {
  const before = view.state.doc.toString();
  const after = language === 'verilog' ? reindent(before) : null;
  if (after !== null) {
    view.dispatch({ changes: indentChanges(before, after), userEvent: 'format' });
    return true;
  }
  openPanel(view, () => {
    const dom = element('div', 'cm-tool-panel');
    dom.setAttribute('role', 'status');
    dom.append(
      element('span', '', language === 'verilog' ? t.unmatched : t.notHere),
      panelButton(text.close, () => void closePanel(view)),
    );
    return { dom, top: true };
  });
  return true;
}
