import type { Language } from '../../contract/designs/uploads.ts';
import type { Diagnostic } from '../../contract/diagnostics.ts';
import { someOf } from '../diagnostics/text.ts';
import { type Piece, piecesOf } from './verilog/outline-lexer.ts';
import { sourcePieces } from './verilog/source-pieces.ts';
import { vhdlUnits } from './vhdl/vhdl-units.ts';

/** A part of a source: a module, or a design unit. */
interface Unit {
  name: string;
  line: number;
  /** Its text, from the first character to behind the last. */
  start: number;
  end: number;
  /** Without ports, and there to simulate others. */
  testbench: boolean;
}

/** What no module does that is to be built, where it has no port either. */
const SIMULATES = /^(?:initial|\$(?:finish|stop|dumpfile|dumpvars|monitor|display|write|strobe|fatal))$/;
/** What only a testbench does. */
const ENDS_SIMULATION = /^\$(?:finish|stop|dumpfile|dumpvars)$/;
/** Somewhere in a text; the rest of it need not be looked at then. */
const MAY_SIMULATE = /\binitial\b|\$(?:finish|stop|dump|monitor|display|write|strobe|fatal)/;

/** Each module of a source in Verilog. */
function verilogUnits(text: string, simulating: RegExp): Unit[] {
  const { pieces, lines } = sourcePieces(text);
  const units: Unit[] = [];
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

/** Whether anything stands in the brackets behind the name of a module and its parameters. */
function hasPorts(pieces: readonly Piece[], name: number): boolean {
  let at = name + 1;
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

/** What a source is made of, the testbenches in it, and whether it is nothing else. */
function look(
  text: string,
  language: Language,
  simulating = SIMULATES,
): { benches: Unit[]; alone: boolean; parts: Unit[] } {
  if (language === 'amaranth') return { benches: [], alone: false, parts: [] };
  if (language !== 'vhdl') {
    if (!MAY_SIMULATE.test(text)) return { benches: [], alone: false, parts: [] };
    const units = verilogUnits(text, simulating);
    const benches = units.filter(({ testbench }) => testbench);
    const others = units.length > benches.length || /\b(?:package|interface)\b/.test(text);
    return { benches, alone: benches.length > 0 && !others, parts: benches };
  }
  const units = vhdlUnits(text).map((unit) => ({
    ...unit,
    testbench: unit.kind === 'entity' && !unit.hasPorts,
  }));
  const benches = units.filter(({ testbench }) => testbench);
  const names = new Set(benches.map(({ name }) => name));
  const parts = units.filter(({ kind, name }) => names.has(name) && kind !== 'package');
  return { benches, alone: benches.length > 0 && parts.length === units.length, parts };
}

/**
 * Whether a source of a project is there to simulate the others, and has nothing else in it. One that does not say so by
 * what it does may be meant otherwise: it is left out where it cannot be read.
 */
export const isTestbench = (text: string, language: Language): boolean =>
  look(text, language, ENDS_SIMULATION).alone;

/** Why a source that is sent alone is no design, where it is a testbench; else null. */
export function testbenchAlone(text: string, language: Language, file: string): Diagnostic | null {
  const { benches, alone } = look(text, language);
  const [first] = benches;
  if (!alone || !first) return null;
  const what = language === 'vhdl' ? 'entity' : 'module';
  return {
    severity: 'error',
    code: 'design_no_slave',
    message: `${what} ${first.name} is a testbench: it has no ports, and simulates a design; send the design that it tests in its place`,
    file,
    line: first.line,
    module: first.name,
  };
}

/** Whether a part of a text can be taken out of it without changing what is behind it. */
function isClosed(text: string): boolean {
  const directives = piecesOf(text).flatMap(({ kind, text: word }) => (kind === 'directive' ? [word] : []));
  const opened = directives.filter((word) => /^`ifn?def\b/.test(word)).length;
  const closed = directives.filter((word) => word === '`endif').length;
  return opened === closed && !directives.some((word) => word.startsWith('`define'));
}

/** The lines of a text, with nothing in them: what stands behind it stays where it is. Yosys cannot read as much white space as text. */
function emptied(text: string): string {
  const lines = text.split('\n');
  return '\n'.repeat(lines.length - 1) + ' '.repeat(lines.at(-1)?.length ?? 0);
}

/**
 * A source without the testbenches that stand in one file with the design, as many lines long.
 * @param notes gets what was left out
 */
export function withoutTestbenches(text: string, language: Language, notes: string[]): string {
  const { alone, benches, parts } = look(text, language);
  const out = alone
    ? []
    : parts.filter(({ start, end }) => language === 'vhdl' || isClosed(text.slice(start, end)));
  if (out.length === 0) return text;
  let rest = text;
  for (const { start, end } of out.toReversed())
    rest = rest.slice(0, start) + emptied(rest.slice(start, end)) + rest.slice(end);
  const names = benches.filter(({ name }) => out.some((part) => part.name === name)).map(({ name }) => name);
  notes.push(
    `${someOf(names)} ${names.length > 1 ? 'are testbenches and are' : 'is a testbench and is'} not read`,
  );
  return rest;
}
