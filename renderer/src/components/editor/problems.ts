// Messages of the tools, one after the other.
import { type EditorView, runScopeHandlers } from '@codemirror/view';
import type { Diagnostic } from '../../../../server/contract/diagnostics.ts';
import { text } from '../../text/text.ts';
import type { SourcePlace } from './declarations.ts';
import { markedLines, showLine } from './marks.ts';
import { closePanel, element, openPanel, panelButton } from './panel.ts';

const t = text.editor;

type OnPlace = (place: SourcePlace) => void;

/** A message with its notes; each note leads to its place. */
export function messageElement(diagnostic: Diagnostic, onPlace: OnPlace): HTMLElement {
  const notes = (diagnostic.notes ?? []).map(({ file, line, message }) => {
    const label = t.note(file === diagnostic.file ? undefined : file, line, message);
    return line === undefined
      ? element('div', 'cm-note', label)
      : panelButton(label, () => onPlace({ file, line }));
  });
  return element('div', 'cm-problem', [
    element('div', 'cm-message-text', `${text.node.severities[diagnostic.severity]}: ${diagnostic.message}`),
    ...notes,
  ]);
}

/** Moves to the next or previous line with messages, and shows them in a panel that a screen reader reads. */
export function showProblem(view: EditorView, step: 1 | -1, onPlace: OnPlace): boolean {
  const marked = markedLines(view.state);
  const here = view.state.doc.lineAt(view.state.selection.main.head).number;
  const next =
    step > 0
      ? (marked.find(({ line }) => line > here) ?? marked[0])
      : (marked.findLast(({ line }) => line < here) ?? marked.at(-1));
  if (next) showLine(view, next.line);
  openPanel(view, () => {
    const dom = element('div', 'cm-tool-panel');
    dom.setAttribute('role', 'status');
    const found = next?.diagnostics ?? [];
    dom.append(
      element('strong', '', next ? t.problem.place(next.line) : t.problem.none),
      element(
        'div',
        'cm-problems',
        found.map((one) => messageElement(one, onPlace)),
      ),
      panelButton(text.close, () => void closePanel(view)),
    );
    dom.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') {
        event.preventDefault();
        event.stopPropagation();
        closePanel(view);
      } else if (runScopeHandlers(view, event, 'editor')) event.preventDefault();
    });
    return { dom, top: true };
  });
  return true;
}
