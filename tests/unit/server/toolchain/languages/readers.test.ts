import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { withMatchingChoices } from '../../../../../server/toolchain/frontends/vhdl/matching-choices.ts';
import { withoutNewerWords } from '../../../../../server/toolchain/frontends/vhdl/newer-words.ts';
import { withRightConstants } from '../../../../../server/toolchain/frontends/vhdl/right-constants.ts';
import { verilogUnit, vhdlUnit } from '../../../../../server/toolchain/languages/dependency-order.ts';
import { testbenchAlone, withoutTestbenches } from '../../../../../server/toolchain/languages/testbenches.ts';
import { sourcePieces } from '../../../../../server/toolchain/languages/verilog/source-pieces.ts';
import { inOneLibrary } from '../../../../../server/toolchain/languages/vhdl/rewrites/vhdl-libraries.ts';
import {
  neutraliseVhdl,
  vhdlEntities,
  vhdlLowBounds,
  vhdlPartsOnly,
} from '../../../../../server/toolchain/languages/vhdl/vhdl.ts';
import { SOAK } from '../../../../support/soak.ts';

/** Readers of sources run in the service itself: an endless one would stop all of it. */

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

const readVerilog: Record<string, (source: string) => unknown> = {
  testbenches: (source) => [
    withoutTestbenches(source, 'verilog', []),
    testbenchAlone(source, 'verilog', 'm.v'),
  ],
  dependencies: (source) => verilogUnit('m.v', source),
  pieces: sourcePieces,
};
const readVhdl: Record<string, (source: string) => unknown> = {
  'file references': (source) => neutraliseVhdl(source, 'm.vhd'),
  entities: vhdlEntities,
  bounds: vhdlLowBounds,
  dependencies: (source) => vhdlUnit('m.vhd', source),
  'parts only': vhdlPartsOnly,
  testbenches: (source) => withoutTestbenches(source, 'vhdl', []),
  libraries: (source) => inOneLibrary([source, source], []),
  'words of VHDL-2008': (source) => withoutNewerWords([source]),
  constants: (source) => withRightConstants([source, source]),
  choices: (source) => withMatchingChoices([source]),
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
