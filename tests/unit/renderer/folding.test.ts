import { foldable } from '@codemirror/language';
import { EditorState } from '@codemirror/state';
import { expect, test } from 'vitest';
import { folding } from '../../../renderer/src/components/editor/folding.ts';

test('a line folds the deeper lines below it, without trailing empty lines', () => {
  const doc = 'module a;\n  wire b;\n\n  always begin\n    b <= 1;\n  end\n\nendmodule\n';
  const state = EditorState.create({ doc, extensions: folding });
  const folded = (line: number) => {
    const { from, to } = state.doc.line(line);
    const range = foldable(state, from, to);
    return range && state.sliceDoc(range.from, range.to);
  };
  expect(folded(1)).toBe('\n  wire b;\n\n  always begin\n    b <= 1;\n  end');
  expect(folded(4)).toBe('\n    b <= 1;');
  expect([2, 3, 5, 6, 8].map(folded)).toEqual([null, null, null, null, null]);
});

test('a single line does not fold', () => {
  const state = EditorState.create({ doc: 'module a; endmodule', extensions: folding });
  expect(foldable(state, 0, state.doc.length)).toBeNull();
});
