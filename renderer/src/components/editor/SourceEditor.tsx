import type { Diagnostic } from '../../../../server/contract/diagnostics.ts';
import { lazy, Suspense } from 'react';
import { Loading } from '../Empty.tsx';

const Editor = lazy(() => import('./CodeEditor.tsx'));

export interface SourceEditorProps {
  text: string;
  /** Its extension chooses the highlighting. */
  filename: string;
  label: string;
  diagnostics: readonly Diagnostic[];
  /** Line to show and mark, from 1; a new object goes there again. */
  goTo?: { line: number } | undefined;
}

/** A source, read-only, with marks where messages are. The editor itself is loaded when it is first needed. */
export function SourceEditor(props: SourceEditorProps) {
  return (
    <Suspense fallback={<Loading />}>
      <Editor {...props} />
    </Suspense>
  );
}
