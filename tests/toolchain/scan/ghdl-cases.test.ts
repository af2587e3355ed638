import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { completeGhdlCases, lacksCaseDefaults } from '../../../server/toolchain/scan/ghdl-cases.ts';
import { hasGhdl } from '../simulate.ts';
import { plainYosys } from '../support.ts';

const VERILOG = `
  always @*
    case (n8_o)
      2'b10: n10_o <= d;
      2'b01: n10_o <= b;
    endcase
  always @*
    case (n9_o)
      1'b1: n11_o <= d;
      default: n11_o <= b;
    endcase
`;
const VHDL = `
  with n8_o select n10_o <=
    wrap_d when "10",
    wrap_b when "01",
    "10X0" when others;
  with n9_o select n11_o <=
    wrap_d when '1',
    wrap_b when others;
`;

test('a missing default is taken from the VHDL output; what is complete stays', () => {
  const done = completeGhdlCases(VERILOG, () => VHDL);
  expect(done).toContain("default: n10_o <= 4'b10x0;");
  expect(done.match(/default/g)).toHaveLength(2);
  expect(lacksCaseDefaults(VERILOG)).toBe(true);
  expect(lacksCaseDefaults(done)).toBe(false);
  expect(completeGhdlCases(done, () => expect.unreachable())).toBe(done);
});

test('outputs of different designs are not mixed', () => {
  expect(() => completeGhdlCases(VERILOG, () => VHDL.replace('n10_o', 'n12_o'))).toThrow('n8_o');
  expect(() => completeGhdlCases(VERILOG, () => '')).toThrow('n8_o');
});

test.skipIf(!hasGhdl)(
  'what the installed ghdl writes is equivalent to the source once completed',
  async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'wishbench-ghdl-'));
    try {
      const file = path.join(folder, 'chooser.vhd');
      writeFileSync(
        file,
        `library ieee; use ieee.std_logic_1164.all;
entity chooser is port (a : in std_logic_vector(1 downto 0); b, d : in std_logic_vector(3 downto 0);
  q, r : out std_logic_vector(3 downto 0)); end;
architecture rtl of chooser is begin
  process (all) begin
    case a is when "00" => q <= b; when "01" => q <= d; when others => q <= "1010"; end case;
    case a is when "10" => r <= not b; when others => r <= d; end case;
  end process;
end;`,
      );
      const ghdl = (out: string) =>
        execFileSync('ghdl', ['--synth', '--std=08', `--out=${out}`, file, '-e', 'chooser'], {
          encoding: 'utf8',
          stdio: 'pipe',
          cwd: folder,
        });
      const done = completeGhdlCases(ghdl('verilog'), () => ghdl('vhdl'));
      const gold = `module gold(input [1:0] a, input [3:0] b, d, output [3:0] q, r);
      assign q = a == 0 ? b : a == 1 ? d : 4'b1010; assign r = a == 2 ? ~b : d; endmodule`;
      await plainYosys.run({
        tool: 'yosys',
        args: [
          '-q',
          '-p',
          'read_verilog gold.v chooser.v; proc; flatten; miter -equiv -flatten gold chooser miter; sat -verify -prove trigger 0 miter',
        ],
        files: { 'gold.v': gold, 'chooser.v': done },
        outputs: [],
        deadline: 60,
        onLine: () => {},
      });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
);
