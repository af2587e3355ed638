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

/** Room for the differences from another version; there are none until it is told. */
export const differences: Extension = compartment.of([]);

/** Marks what is different from another version of the text; undefined: nothing. */
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
              // A comparison of texts that have little in common is cut short: it must not hold up the typing.
              diffConfig: { scanLimit: 500, timeout: 200 },
            }),
            look,
          ],
    ),
  });
}
