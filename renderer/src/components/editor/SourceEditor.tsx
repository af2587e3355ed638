import { lazy, Suspense } from 'react';
import { Loading } from '../Empty.tsx';
import type { SourceEditorProps } from './props.ts';

const Editor = lazy(() => import('./CodeEditor.tsx'));

/** A source, read-only, with marks where messages are. The editor itself is loaded when it is first needed. */
export function SourceEditor(props: SourceEditorProps) {
  return (
    <Suspense fallback={<Loading />}>
      <Editor {...props} />
    </Suspense>
  );
}
