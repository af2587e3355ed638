// Finds testbenches in sources, and removes them from a design.
import type { Language } from '../../contract/designs/uploads.ts';
import type { Diagnostic } from '../../contract/diagnostics.ts';
import { someOf } from '../diagnostics/text.ts';
import { type Piece, piecesOf } from './verilog/outline-lexer.ts';
import { sourcePieces } from './verilog/source-pieces.ts';
import { vhdlUnits } from './vhdl/vhdl-units.ts';

/** A part of a source: a module or a design unit. */
interface Unit {
  name: string;
  line: number;
  /** Offsets of its text; `end` is after the last character. */
  start: number;
  end: number;
  /** A testbench: it has no ports and simulates others. */
  testbench: boolean;
}

/** Constructs that mark a module without ports as a testbench. */
const SIMULATES = /^(?:initial|\$(?:finish|stop|dumpfile|dumpvars|monitor|display|write|strobe|fatal))$/;
/** Constructs that only a testbench has. */
const ENDS_SIMULATION = /^\$(?:finish|stop|dumpfile|dumpvars)$/;
/** Quick test: a text without a match has no testbench. */
const MAY_SIMULATE = /\binitial\b|\$(?:finish|stop|dump|monitor|display|write|strobe|fatal)/;

/** Modules of a Verilog source. */
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

/** Whether the port list after a module's name and parameters is not empty. */
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

/** Testbenches of a source, whether it has nothing else, and the parts that belong to testbenches. */
function look(
  text: string,
  language: Language,
  simulating = SIMULATES,
): { benches: Unit[]; isOnlyTestbench: boolean; parts: Unit[] } {
  if (language === 'amaranth') return { benches: [], isOnlyTestbench: false, parts: [] };
  if (language !== 'vhdl') {
    if (!MAY_SIMULATE.test(text)) return { benches: [], isOnlyTestbench: false, parts: [] };
    const units = verilogUnits(text, simulating);
    const benches = units.filter(({ testbench }) => testbench);
    const others = units.length > benches.length || /\b(?:package|interface)\b/.test(text);
    return { benches, isOnlyTestbench: benches.length > 0 && !others, parts: benches };
  }
  const units = vhdlUnits(text).map((unit) => ({
    ...unit,
    testbench: unit.kind === 'entity' && !unit.hasPorts,
  }));
  const benches = units.filter(({ testbench }) => testbench);
  const names = new Set(benches.map(({ name }) => name));
  const parts = units.filter(({ kind, name }) => names.has(name) && kind !== 'package');
  return { benches, isOnlyTestbench: benches.length > 0 && parts.length === units.length, parts };
}

/**
 * Whether a source of a project is only a testbench. A source that shows no end of a simulation may be a design; it is
 * excluded later if it cannot be read.
 */
export const isTestbench = (text: string, language: Language): boolean =>
  look(text, language, ENDS_SIMULATION).isOnlyTestbench;

/** Explains that a single source is only a testbench; null when it is a design. */
export function testbenchAlone(text: string, language: Language, file: string): Diagnostic | null {
  const { benches, isOnlyTestbench } = look(text, language);
  const [first] = benches;
  if (!isOnlyTestbench || !first) return null;
  const what = language === 'vhdl' ? 'entity' : 'module';
  return {
    severity: 'error',
    code: 'design_no_slave',
    message: `${what} ${first.name} is a testbench: it has no ports, and simulates a design; upload the design that it tests instead`,
    file,
    line: first.line,
    module: first.name,
  };
}

/** Whether a part of a text can be removed without an effect on the text after it. */
function isClosed(text: string): boolean {
  const directives = piecesOf(text).flatMap(({ kind, text: word }) => (kind === 'directive' ? [word] : []));
  const opened = directives.filter((word) => /^`ifn?def\b/.test(word)).length;
  const closed = directives.filter((word) => word === '`endif').length;
  return opened === closed && !directives.some((word) => word.startsWith('`define'));
}

/** Blanks a text and keeps its lines. Only the last line has spaces: Yosys cannot read that much white space. */
function emptied(text: string): string {
  const lines = text.split('\n');
  return '\n'.repeat(lines.length - 1) + ' '.repeat(lines.at(-1)?.length ?? 0);
}

/**
 * Removes testbenches from a source that also has a design, without a change of line numbers.
 * @param notes receives the removed names
 */
export function withoutTestbenches(text: string, language: Language, notes: string[]): string {
  const { isOnlyTestbench, benches, parts } = look(text, language);
  const out = isOnlyTestbench
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
