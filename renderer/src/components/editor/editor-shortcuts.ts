// The keys of a source in the list of `?`, and the palette. They also work while the source does not have the focus.
import { startCompletion } from '@codemirror/autocomplete';
import { type EditorView, runScopeHandlers } from '@codemirror/view';
import { text } from '../../text/text.ts';
import type { Shortcut } from '../shortcuts.ts';
import { formatSource } from './format.ts';
import { renameAtCursor } from './rename-panel.ts';
import type { SourceLanguage } from './tokens.ts';

const t = text.editor.keys;

/** The shortcuts of an editor; those that change the text only where it can be changed. */
export function editorShortcuts(
  view: () => EditorView | undefined,
  language: SourceLanguage | undefined,
  editable: boolean,
): Shortcut[] {
  /** Runs what the key does inside the source. */
  const press =
    (key: string, init: KeyboardEventInit = {}) =>
    () => {
      const shown = view();
      if (!shown) return;
      shown.focus();
      runScopeHandlers(shown, new KeyboardEvent('keydown', { key, ...init }), 'editor');
    };
  const run = (command: (shown: EditorView) => unknown) => () => {
    const shown = view();
    shown?.focus();
    if (shown) command(shown);
  };
  const keys: Shortcut[] = [
    { keys: 'F12', label: t.declaration, group: t.group, run: press('F12') },
    { keys: 'F8', label: t.nextProblem, group: t.group, run: press('F8') },
    { keys: 'shift+F8', label: t.previousProblem, group: t.group, run: press('F8', { shiftKey: true }) },
  ];
  if (!editable || language === undefined) return keys;
  return [
    ...keys,
    { keys: 'F2', label: t.rename, group: t.group, run: run((shown) => renameAtCursor(shown, language)) },
    { keys: 'mod+ ', label: t.complete, group: t.group, run: run(startCompletion) },
    {
      keys: 'mod+shift+f',
      label: t.format,
      group: t.group,
      run: run((shown) => formatSource(shown, language)),
    },
  ];
}
