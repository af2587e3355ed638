import { unifiedMergeView } from '@codemirror/merge';
import { Compartment, type Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';

const compartment = new Compartment();

const look = EditorView.theme({
  '.cm-changedLine': { backgroundColor: 'var(--reserved-soft)' },
  '.cm-insertedLine': { backgroundColor: 'var(--reserved-soft)', textDecoration: 'none' },
  '.cm-changedText': { background: 'color-mix(in srgb, var(--reserved) 30%, transparent)' },
  '.cm-deletedChunk': { backgroundColor: 'var(--error-soft)', paddingLeft: '6px' },
  '.cm-deletedText': { background: 'color-mix(in srgb, var(--error) 30%, transparent)' },
  '.cm-changeGutter': { width: '4px', paddingLeft: '1px' },
  '.cm-changedLineGutter': { background: 'var(--reserved)' },
  '.cm-deletedLineGutter': { background: 'var(--error)' },
});

/** The slot for the differences from another version; empty at first. */
export const differences: Extension = compartment.of([]);

/** Marks the differences from another version of the text; undefined removes them. */
export function showDifferences(view: EditorView, original: string | undefined): void {
  view.dispatch({
    effects: compartment.reconfigure(
      original === undefined
        ? []
        : [
            unifiedMergeView({
              original,
              mergeControls: false,
              highlightChanges: true,
              syntaxHighlightDeletions: true,
              // Ends the comparison of very different texts early: it must not block typing.
              diffConfig: { scanLimit: 500, timeout: 200 },
            }),
            look,
          ],
    ),
  });
}
