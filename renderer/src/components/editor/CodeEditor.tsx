import { EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import { baseExtensions, showDiagnostics, showLine } from './extensions.ts';
import { languageOf } from './languages.ts';
import type { SourceEditorProps } from './props.ts';

/**
 * CodeMirror in a shadow root: there its styles are constructed style sheets, which a Content-Security-Policy
 * without inline styles allows.
 */
export default function CodeEditor({ text, filename, label, diagnostics, goTo }: SourceEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | undefined>(undefined);

  useEffect(() => {
    const element = host.current;
    if (!element) return;
    const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' });
    const made = new EditorView({
      state: EditorState.create({ doc: text, extensions: [baseExtensions(label), languageOf(filename)] }),
      parent: root,
      root,
    });
    view.current = made;
    return () => {
      view.current = undefined;
      made.destroy();
    };
  }, [text, filename, label]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new view (text, filename) needs its marks too
  useEffect(() => {
    if (view.current) showDiagnostics(view.current, diagnostics);
  }, [diagnostics, text, filename, label]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: as above
  useEffect(() => {
    if (view.current && goTo) showLine(view.current, goTo.line);
  }, [goTo, text, filename, label]);

  return <div ref={host} className="editor" />;
}
