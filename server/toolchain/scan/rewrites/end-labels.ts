import { Edits } from '../lexer.ts';
import { piecesOf } from '../outline-lexer.ts';
import { type Pieces, textAt } from '../statements.ts';

/** Words behind which Yosys reads no name. */
const ENDS: Readonly<Record<string, string>> = {
  endfunction: 'function',
  endtask: 'task',
  endinterface: 'interface',
};

/** The name of what a word begins: the last one before its ports, parameters or `;`. */
function nameBehind(pieces: Pieces, at: number): string {
  let next = at + 1;
  while (next < pieces.length && !/^[(;#]$/.test(textAt(pieces, next))) next++;
  return textAt(pieces, next - 1);
}

/**
 * A source in SystemVerilog without the names behind `endfunction`, `endtask` and `endinterface`, where they are right: Yosys reads
 * them behind other ends alone. Lines stay what they are.
 */
export function withoutEndLabels(text: string): string {
  if (!/\bend(?:function|task|interface)\s{0,100}:/.test(text)) return text;
  const pieces = piecesOf(text);
  const edits = new Edits();
  const begun: Record<string, string> = {};
  for (const [at, { kind, text: word }] of pieces.entries()) {
    if (kind !== 'word') continue;
    if (/^(?:function|task|interface)$/.test(word)) begun[word] = nameBehind(pieces, at);
    const begins = ENDS[word];
    const [colon, name] = [pieces[at + 1], pieces[at + 2]];
    if (begins === undefined || colon?.text !== ':' || name?.kind !== 'word') continue;
    if (name.text === begun[begins]) edits.replace(colon.start, name.end);
  }
  return edits.apply(text);
}
