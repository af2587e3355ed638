import { Edits } from '../lexer.ts';
import { piecesOf } from '../outline-lexer.ts';

const TYPES = new Set('logic bit reg byte shortint int longint integer signed unsigned'.split(' '));

/**
 * A source in which each parameter with a type has its word in the head of a module: `#(parameter int A = 1, int B = 2)` has it
 * once, and Yosys reads no type behind it. Lines stay what they are.
 */
export function withParameterWords(text: string): string {
  if (!/#\s*\(\s*(?:parameter|localparam)\b/.test(text)) return text;
  const pieces = piecesOf(text);
  const edits = new Edits();
  for (let at = 0; at < pieces.length; at++) {
    if (!/^(?:module|interface)$/.test(pieces[at]?.text ?? '') || pieces[at]?.kind !== 'word') continue;
    const open = at + 3;
    if (pieces[at + 2]?.text !== '#' || pieces[open]?.text !== '(') continue;
    let depth = 0;
    let word: string | null = null;
    for (at = open; at < pieces.length; at++) {
      const one = pieces[at]?.text ?? '';
      if (/^[([{]$/.test(one)) depth++;
      if (/^[)\]}]$/.test(one)) depth--;
      if (depth === 0) break;
      if (depth > 1) continue;
      if (one === 'parameter' || one === 'localparam') word = one;
      const next = pieces[at + 1];
      if (one === ',' && word !== null && next && TYPES.has(next.text))
        edits.replace(next.start, next.start, `${word} `);
    }
  }
  return edits.apply(text);
}
