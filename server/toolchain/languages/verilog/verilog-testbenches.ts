import type { Testbenches, Unit } from '../source-form.ts';
import { type Piece, piecesOf } from './outline-lexer.ts';
import { sourcePieces } from './source-pieces.ts';

/** Constructs that mark a module without ports as a testbench. */
const SIMULATES = /^(?:initial|\$(?:finish|stop|dumpfile|dumpvars|monitor|display|write|strobe|fatal))$/;
/** Constructs that only a testbench has. */
const ENDS_SIMULATION = /^\$(?:finish|stop|dumpfile|dumpvars)$/;
/** Quick test: a text without a match has no testbench. */
const MAY_SIMULATE = /\binitial\b|\$(?:finish|stop|dump|monitor|display|write|strobe|fatal)/;

/** Modules of a source, and whether each is a testbench: it has no ports and simulates others. */
function verilogUnits(text: string, simulating: RegExp): (Unit & { testbench: boolean })[] {
  const { pieces, lines } = sourcePieces(text);
  const units: (Unit & { testbench: boolean })[] = [];
  for (let at = 0; at < pieces.length; at++) {
    const head = pieces[at];
    if (head?.kind !== 'word' || !/^(?:macro)?module$/.test(head.text)) continue;
    let ends = at + 1;
    while (ends < pieces.length && pieces[ends]?.text !== 'endmodule') ends++;
    const last = pieces[ends];
    if (!last) break;
    const name = /^(?:automatic|static)$/.test(pieces[at + 1]?.text ?? '') ? at + 2 : at + 1;
    units.push({
      name: pieces[name]?.text ?? '',
      line: lines[at] ?? 1,
      start: head.start,
      end: last.end,
      testbench:
        pieces.slice(name + 1, ends).some((one) => simulating.test(one.text)) && !hasPorts(pieces, name),
    });
    at = ends;
  }
  return units;
}

/** Whether the port list after a module's name, imports and parameters is not empty. @param name index of the name */
export function hasPorts(pieces: readonly Piece[], name: number): boolean {
  let at = name + 1;
  while (pieces[at]?.text === 'import') while (at < pieces.length && pieces[at++]?.text !== ';');
  if (pieces[at]?.text === '#') {
    let depth = 0;
    do {
      at++;
      if (/^\(/.test(pieces[at]?.text ?? '')) depth++;
      if (pieces[at]?.text === ')') depth--;
    } while (depth > 0 && at < pieces.length);
    at++;
  }
  return pieces[at]?.text === '(' && pieces[at + 1]?.text !== ')';
}

/** Whether a part of a text can be removed without an effect on the text after it. */
function isClosed(text: string): boolean {
  const directives = piecesOf(text).flatMap(({ kind, text: word }) => (kind === 'directive' ? [word] : []));
  const opened = directives.filter((word) => /^`ifn?def\b/.test(word)).length;
  const closed = directives.filter((word) => word === '`endif').length;
  return opened === closed && !directives.some((word) => word.startsWith('`define'));
}

/**
 * Testbenches of a Verilog source.
 * @param onlyCertain only a construct that ends a simulation marks one: else the module may be a design
 */
export function verilogTestbenches(text: string, onlyCertain: boolean): Testbenches {
  if (!MAY_SIMULATE.test(text)) return { benches: [], isOnlyTestbench: false, parts: [] };
  const units = verilogUnits(text, onlyCertain ? ENDS_SIMULATION : SIMULATES);
  const benches = units.filter(({ testbench }) => testbench);
  const others = units.length > benches.length || /\b(?:package|interface)\b/.test(text);
  return {
    benches,
    isOnlyTestbench: benches.length > 0 && !others,
    parts: benches.filter(({ start, end }) => isClosed(text.slice(start, end))),
  };
}
