// The panel that renames a name in a file.
import type { EditorView } from '@codemirror/view';
import { text } from '../../text/text.ts';
import { closePanel, element, openPanel, panelButton } from './panel.ts';
import { nameProblem, occurrencesAt } from './rename.ts';
import type { SourceLanguage } from './tokens.ts';

const t = text.editor.rename;

/** Asks for a new name of what is at the cursor. True also where there is nothing to rename: the panel says so. */
export function renameAtCursor(view: EditorView, language: SourceLanguage): boolean {
  const position = view.state.selection.main.head;
  const found = occurrencesAt(view.state.doc.toString(), position, language);
  openPanel(view, () => {
    const dom = element('form', 'cm-tool-panel');
    const close = () => void closePanel(view);
    dom.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape') return;
      event.preventDefault();
      event.stopPropagation();
      close();
    });
    if (!found) {
      dom.setAttribute('role', 'status');
      const button = panelButton(text.close, close);
      dom.append(element('span', '', t.nothing), button);
      return { dom, top: true, mount: () => button.focus() };
    }
    const input = element('input', 'cm-textfield');
    input.value = found.name;
    input.spellcheck = false;
    const label = element('label', '', [element('span', '', t.label(found.name)), input]);
    const note = element('span', 'cm-tool-note', t.places(found.ranges.length, found.scope));
    note.setAttribute('role', 'status');
    input.addEventListener('input', () => {
      note.textContent = t.places(found.ranges.length, found.scope);
      note.classList.remove('cm-tool-problem');
    });
    const submit = panelButton(t.rename, () => {});
    submit.type = 'submit';
    dom.append(label, submit, panelButton(text.cancel, close), note);
    dom.addEventListener('submit', (event) => {
      event.preventDefault();
      event.stopPropagation();
      // The text may have changed below the panel.
      const now = occurrencesAt(view.state.doc.toString(), view.state.selection.main.head, language);
      const problem = now ? nameProblem(input.value, now, language) : 'invalid';
      if (!now || problem) {
        note.textContent = t.problems[problem ?? 'invalid'];
        note.classList.add('cm-tool-problem');
        return;
      }
      view.dispatch({
        changes: now.ranges.map((range) => ({ ...range, insert: input.value })),
        userEvent: 'rename',
      });
      close();
    });
    return {
      dom,
      top: true,
      mount: () => {
        input.focus();
        input.select();
      },
    };
  });
  return true;
}
