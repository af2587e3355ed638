import { codeFolding, foldGutter, foldKeymap, foldService } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { keymap } from '@codemirror/view';

const TAB = 4;
/** Lines to look at: a longer block folds to here. */
const MAX_LINES = 5000;

/** Columns before the text of a line; undefined for an empty one. */
function indentOf(line: string): number | undefined {
  const spaces = /^[ \t]*(?=\S)/.exec(line)?.[0];
  return spaces === undefined
    ? undefined
    : [...spaces].reduce((sum, one) => sum + (one === '\t' ? TAB : 1), 0);
}

/** Folds the lines that are further in than the one above them: every language is written like that. */
const byIndent = foldService.of(({ doc }, from) => {
  const first = doc.lineAt(from);
  const own = indentOf(first.text);
  if (own === undefined || first.number === doc.lines) return null;
  let last: number | undefined;
  let end = first.to;
  const below = doc.iterLines(first.number + 1, Math.min(doc.lines, first.number + MAX_LINES) + 1);
  for (const line of below) {
    end += line.length + 1;
    const indent = indentOf(line);
    if (indent === undefined) continue;
    if (indent <= own) break;
    last = end;
  }
  return last === undefined ? null : { from: first.to, to: last };
});

/** Folding by indentation, in the gutter and by Ctrl+Shift+[ and ]. */
export const folding: Extension = [
  byIndent,
  codeFolding(),
  foldGutter({ openText: '⌄', closedText: '›' }),
  keymap.of(foldKeymap),
];
