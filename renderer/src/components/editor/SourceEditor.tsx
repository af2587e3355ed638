import { Suspense } from 'react';
import { Loading } from '../Empty.tsx';
import { lazyComponent } from '../lazy-component.tsx';
import type { SourceEditorProps } from './props.ts';

const Editor = lazyComponent(() => import('./CodeEditor.tsx'));

/** A source with marked messages, read-only or editable. The editor itself loads after the first page. */
export function SourceEditor(props: SourceEditorProps) {
  return (
    <Suspense fallback={<Loading />}>
      <Editor {...props} />
    </Suspense>
  );
}
