// A panel of the editor: one at a time, above the text.
import { type Extension, StateEffect, StateField } from '@codemirror/state';
import { type EditorView, type Panel, showPanel } from '@codemirror/view';

type PanelMaker = (view: EditorView) => Panel;

const setPanel = StateEffect.define<PanelMaker | null>();

const field = StateField.define<PanelMaker | null>({
  create: () => null,
  update: (value, transaction) => {
    for (const effect of transaction.effects) if (effect.is(setPanel)) return effect.value;
    return value;
  },
  provide: (own) => showPanel.from(own),
});

/** The slot of the panel. */
export const panelSlot: Extension = field;

export const openPanel = (view: EditorView, panel: PanelMaker): void =>
  view.dispatch({ effects: setPanel.of(panel) });

/** Closes the panel and gives the focus back to the text. False if none is open. */
export function closePanel(view: EditorView): boolean {
  if (view.state.field(field, false) == null) return false;
  view.dispatch({ effects: setPanel.of(null) });
  view.focus();
  return true;
}

/** An element with a class, an optional text and children. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  className: string,
  content: string | readonly Node[] = [],
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  made.className = className;
  if (typeof content === 'string') made.textContent = content;
  else made.append(...content);
  return made;
}

/** A button of a panel. */
export function panelButton(label: string, run: () => void): HTMLButtonElement {
  const button = element('button', 'cm-button', label);
  button.type = 'button';
  button.addEventListener('click', run);
  return button;
}
