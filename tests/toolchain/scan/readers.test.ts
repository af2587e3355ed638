import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { withoutForeignWords } from '../../../server/toolchain/frontend/foreign-words.ts';
import { longBelow, longComputations } from '../../../server/toolchain/scan/constant/computations.ts';
import { modulesOf } from '../../../server/toolchain/scan/constant/modules.ts';
import { verilogUnit, vhdlUnit } from '../../../server/toolchain/scan/dependency-order.ts';
import { edited } from '../../../server/toolchain/scan/edits.ts';
import { checkFileReferences } from '../../../server/toolchain/scan/file-references.ts';
import { hiddenModules } from '../../../server/toolchain/scan/hidden-modules.ts';
import { tooLongPiece } from '../../../server/toolchain/scan/long-pieces.ts';
import { loopsOf } from '../../../server/toolchain/scan/loops.ts';
import { macroGrowth } from '../../../server/toolchain/scan/macro-growth.ts';
import { missingBefore } from '../../../server/toolchain/scan/missing-text.ts';
import { deepestNesting } from '../../../server/toolchain/scan/nesting.ts';
import { notRead } from '../../../server/toolchain/scan/not-read.ts';
import { beginByIndent, lessLikely } from '../../../server/toolchain/scan/one-too-many.ts';
import { otherWords } from '../../../server/toolchain/scan/other-words.ts';
import { outlineOf } from '../../../server/toolchain/scan/outline.ts';
import { designOfSource } from '../../../server/toolchain/scan/prepared-design.ts';
import { withCaseAttributes } from '../../../server/toolchain/scan/rewrites/hot-comments.ts';
import { withoutImports } from '../../../server/toolchain/scan/rewrites/imports.ts';
import { withParameterWords } from '../../../server/toolchain/scan/rewrites/parameter-words.ts';
import { inOneLibrary } from '../../../server/toolchain/scan/rewrites/vhdl-libraries.ts';
import { oneALine, sourcePieces } from '../../../server/toolchain/scan/source-pieces.ts';
import { testbenchAlone, withoutTestbenches } from '../../../server/toolchain/scan/testbenches.ts';
import { brokenText, unevenCondition } from '../../../server/toolchain/scan/unclosed.ts';
import {
  neutraliseVhdl,
  vhdlEntities,
  vhdlLowBounds,
  vhdlPartsOnly,
} from '../../../server/toolchain/scan/vhdl.ts';

/** Readers of sources run in the service itself: one that does not come to the end of a text ends all of it. */
const SOAK = process.env['WISHBENCH_SOAK'] === '1';

const words = (all: string) => all.split(' ').map((word) => (word === '\\n' ? '\n' : word));
const VERILOG = words(
  'module endmodule function endfunction automatic integer task endtask generate endgenerate begin end case endcase ' +
    'if else for while repeat initial always assign parameter localparam genvar input output reg wire signed import ' +
    'interface package typedef return m f g i N ( ) [ ] { } ; : , . # @ = == < > <= >= + - * / % << >> ? & | ^ ~ ! ' +
    "0 1 7 32'hff 4'bx (* *) // /* */ \" \\ \\n ` `define `ifdef `ifndef `else `elsif `endif `undef `include `m $clog2 " +
    '$readmemh $finish initial i=0 i<N i=i+1 f(N) #(.N(N))',
);
const VHDL = words(
  'entity architecture is of port generic begin end function procedure process signal constant file library use package ' +
    'body in out std_logic_vector downto to integer a b ( ) : ; := => -- " \' ` \\n & 0 1 16#f# textio file_open',
);

const text = (from: string[]) =>
  fc.array(fc.constantFrom(...from), { maxLength: 80 }).map((all) => all.join(' '));

const designOf = (source: string) =>
  designOfSource({ filename: 'm.v', language: 'verilog', text: source, notes: [], diagnostics: [] });

const readVerilog: Record<string, (source: string) => unknown> = {
  'an outline of ports': (source) => outlineOf(source, 'ports'),
  'an outline without initial blocks': (source) => outlineOf(source, 'all but initial'),
  macros: (source) => macroGrowth(source, 1 << 20),
  nesting: (source) => deepestNesting({ 'm.v': source }, ['m.v']),
  loops: (source) => loopsOf(source),
  computations(source) {
    const modules = modulesOf(source, 'm.v');
    return [longComputations(modules, 100), longBelow(modules, 'm', 100)];
  },
  'file references': (source) => checkFileReferences(source, 'm.v'),
  imports: (source) => withoutImports([source, source]),
  'words of parameters': (source) => withParameterWords(`module m #(parameter ${source}`),
  'comments for a case': (source) => withCaseAttributes(source.replaceAll('//', '// synthesis full_case')),
  testbenches: (source) => [
    withoutTestbenches(source, 'verilog', []),
    testbenchAlone(source, 'verilog', 'm.v'),
  ],
  dependencies: (source) => verilogUnit('m.v', source),
  'hidden modules': (source) => hiddenModules(designOf(source)),
  'long pieces': (source) => tooLongPiece(designOf(source)),
  'what may be wrong'(source) {
    const pieces = sourcePieces(source);
    unevenCondition(pieces);
    for (const [index, line] of pieces.lines.entries()) {
      oneALine(pieces, line);
      brokenText(pieces, line, index % 2 === 0);
      notRead(pieces, line, index, "'@'");
      for (const edits of [beginByIndent, otherWords, missingBefore, lessLikely])
        for (const edit of edits(pieces, index)) edited(source, edit);
    }
  },
};
const readVhdl: Record<string, (source: string) => unknown> = {
  'file references': (source) => neutraliseVhdl(source, 'm.vhd'),
  entities: vhdlEntities,
  bounds: vhdlLowBounds,
  dependencies: (source) => vhdlUnit('m.vhd', source),
  'parts only': vhdlPartsOnly,
  testbenches: (source) => withoutTestbenches(source, 'vhdl', []),
  libraries: (source) => inOneLibrary([source, source], []),
  'words of Verilog': (source) => withoutForeignWords([source]),
};

describe.each([
  ['Verilog', VERILOG, readVerilog],
  ['VHDL', VHDL, readVhdl],
] as const)('any text is read to its end: %s', (_, vocabulary, readers) => {
  test.each(Object.entries(readers))('%s', (_name, read) => {
    fc.assert(
      fc.property(text([...vocabulary]), (source) => {
        expect(() => read(source)).not.toThrow();
      }),
      { numRuns: SOAK ? 200_000 : 1000 },
    );
  });
});
