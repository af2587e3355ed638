import { StreamLanguage } from '@codemirror/language';
import { python } from '@codemirror/legacy-modes/mode/python';
import { verilog } from '@codemirror/legacy-modes/mode/verilog';
import { vhdl } from '@codemirror/legacy-modes/mode/vhdl';
import { openSearchPanel } from '@codemirror/search';
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import type { Declaration } from '../../../../server/contract/designs/declarations.ts';
import { useSharedView } from '../../state/page/share.ts';
import { text as words } from '../../text/text.ts';
import { useShortcuts } from '../shortcuts.ts';
import type { SourcePlace } from './declarations.ts';
import { differences, showDifferences } from './differences.ts';
import { editorShortcuts } from './editor-shortcuts.ts';
import { type EditorEvents, editorExtensions } from './extensions.ts';
import { showDiagnostics, showLine } from './marks.ts';
import type { SourceEditorProps } from './props.ts';
import { sourceLanguage } from './tokens.ts';

const NONE: readonly Declaration[] = [];

/** Highlighting by the file's extension; none for other files. */
function languageOf(filename: string): Extension {
  const extension = filename.slice(filename.lastIndexOf('.')).toLowerCase();
  switch (extension) {
    case '.v':
    case '.sv':
    case '.vh':
    case '.svh':
      return StreamLanguage.define(verilog);
    case '.vhd':
    case '.vhdl':
      return StreamLanguage.define(vhdl);
    case '.py':
      return StreamLanguage.define(python);
    default:
      return [];
  }
}

/**
 * CodeMirror in a shadow root. There its styles are constructed style sheets, and a Content-Security-Policy without
 * inline styles allows those.
 */
export default function CodeEditor({
  text,
  filename,
  label,
  diagnostics,
  goTo,
  original,
  onChange,
  onSubmit,
  describe,
  declarations = NONE,
  onPlace,
}: SourceEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | undefined>(undefined);
  // The view outlives a render: it calls the handlers of the latest one.
  const events = useRef<EditorEvents>({ names: undefined, onPlace: () => {} });
  /** The text of the view. Typed text comes back as a property; this saves the comparison line by line. */
  const shownText = useRef(text);
  const typed = (now: string) => {
    shownText.current = now;
    onChange?.(now);
  };
  const language = sourceLanguage(filename);
  const go = ({ file, line }: SourcePlace) => {
    if (file !== undefined && file !== filename && onPlace) onPlace({ file, line });
    else if (view.current) showLine(view.current, line);
  };
  events.current = {
    onChange: typed,
    onSubmit,
    describe,
    names: language && { language, filename, declarations, onPlace: go },
    onPlace: go,
  };
  const editable = onChange !== undefined;
  /** The states of files shown before: each keeps its undo history, cursor and folds. */
  const states = useRef(new Map<string, EditorState>());
  const latest = useRef(text);
  latest.current = text;

  useEffect(() => {
    const element = host.current;
    if (!element) return;
    const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' });
    const key = `${filename} ${label} ${editable}`;
    const before = states.current.get(key);
    const made = new EditorView({
      state:
        before?.doc.toString() === latest.current
          ? before
          : EditorState.create({
              doc: latest.current,
              extensions: [editorExtensions({ label, editable, events }), languageOf(filename), differences],
            }),
      parent: root,
      root,
    });
    view.current = made;
    shownText.current = latest.current;
    return () => {
      view.current = undefined;
      states.current.set(key, made.state);
      made.destroy();
    };
  }, [filename, label, editable]);

  // A text from outside, such as a file that was saved on disk: the cursor keeps its position where possible.
  useEffect(() => {
    const shown = view.current;
    if (!shown || text === shownText.current) return;
    shownText.current = text;
    const head = Math.min(shown.state.selection.main.head, text.length);
    shown.dispatch({
      changes: { from: 0, to: shown.state.doc.length, insert: text },
      selection: { anchor: head },
      userEvent: 'replace',
    });
  }, [text]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new view needs it too
  useEffect(() => {
    if (view.current) showDifferences(view.current, original);
  }, [original, filename, label, editable]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new view (filename, label) needs its marks too
  useEffect(() => {
    if (view.current) showDiagnostics(view.current, diagnostics);
  }, [diagnostics, filename, label, editable]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: as above
  useEffect(() => {
    if (view.current && goTo) showLine(view.current, goTo.line);
  }, [goTo, filename, label, editable]);

  useSharedView(() => {
    const shown = view.current?.state;
    const line = shown ? shown.doc.lineAt(shown.selection.main.head).number : 1;
    return { line: line > 1 ? line : undefined };
  });
  useShortcuts([
    {
      keys: '/',
      label: words.node.searchSource,
      group: words.shell.shortcutGroups.general,
      run: () => {
        if (view.current) openSearchPanel(view.current);
      },
    },
    ...editorShortcuts(() => view.current, language, editable),
  ]);

  return <div ref={host} className="editor" />;
}
