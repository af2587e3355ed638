import type { Piece } from '../languages/verilog/outline-lexer.ts';
import type { VhdlToken } from '../languages/vhdl/vhdl-lexer.ts';
import { readingsOf, type Stem } from './port-names.ts';

const isNamed = (name: string, stems: readonly Stem[]): boolean =>
  readingsOf(name).some(({ stem, weak }) => !weak && stems.includes(stem));

/** Whether a port of this direction has one of these stems. */
function declares(pieces: readonly Piece[], direction: string, stems: readonly Stem[]): boolean {
  let open = false;
  for (const { kind, text } of pieces) {
    if (text === 'input' || text === 'output' || text === 'inout') open = text === direction;
    else if (text === ';') open = false;
    else if (open && kind === 'word' && isNamed(text, stems)) return true;
  }
  return false;
}

/** Whether a Verilog source may have a slave: an acknowledge output, and a strobe or cycle input. */
export const hasSlavePorts = (pieces: readonly Piece[]): boolean =>
  declares(pieces, 'output', ['ack']) && declares(pieces, 'input', ['stb', 'cyc']);

/** The same for a VHDL source. @param tokens of vhdlSource */
export function vhdlHasSlavePorts(tokens: readonly VhdlToken[]): boolean {
  const has = (direction: string, stems: readonly Stem[]) =>
    tokens.some(({ text: colon }, at) => {
      if (colon !== ':' || tokens[at + 1]?.text !== direction) return false;
      for (let name = at - 1; tokens[name]?.kind === 'word'; name -= 2) {
        if (isNamed(tokens[name]?.text ?? '', stems)) return true;
        if (tokens[name - 1]?.text !== ',') break;
      }
      return false;
    });
  return has('out', ['ack']) && has('in', ['stb', 'cyc']);
}

/** Modules of a Verilog source with the ports of a slave. */
export function modulesWithSlavePorts(pieces: readonly Piece[]): string[] {
  const starts = pieces.flatMap(({ kind, text }, at) => (kind === 'word' && text === 'module' ? [at] : []));
  return starts.flatMap((start, n) => {
    const own = pieces.slice(start + 1, starts[n + 1]);
    const name = own.find(({ text }) => text !== 'automatic' && text !== 'static');
    return name?.kind === 'word' && hasSlavePorts(own) ? [name.text] : [];
  });
}
