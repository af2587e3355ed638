import { describe, expect, test } from 'vitest';
import { seeded } from '../../../../../support/seeded.ts';
import { inputsOf, wrongOutputs } from '../../../../../support/toolchain/expressions/bench.ts';
import { INPUT_WIDTH, OUTPUT_WIDTH } from '../../../../../support/toolchain/expressions/expression.ts';
import { CIRCUITS, type Circuit } from '../../../../../support/toolchain/frontends/vhdl/vhdl-circuits.ts';
import { hasGhdl, hasIcarus } from '../../../../../support/toolchain/simulate.ts';
import { plainYosys } from '../../../../../support/toolchain/support.ts';

const CYCLES = 300;

const HEAD = 'library ieee; use ieee.std_logic_1164.all; use ieee.numeric_std.all;';

/** A circuit whose names no other one has: what the bench knows about a signal, it knows by its name in a source. */
function named({ declares, body }: Circuit, at: number): Circuit {
  const own = [...`${declares} ${body}`.matchAll(/\w+(?:, \w+)*(?= : )/g)].flatMap(([names]) =>
    names.split(', '),
  );
  const ports = /^(?:clk|we|[abcy])$/;
  const all = new RegExp(`\\b(?:${own.filter((name) => !ports.test(name)).join('|') || '-'})\\b`, 'g');
  const renamed = (text: string) => text.replace(all, (name) => `own${at}_${name}`);
  return { declares: renamed(declares), body: renamed(body) };
}

const entity = ({ declares, body }: Circuit, at: number) => `${HEAD}
entity circuit${at} is generic (copy : natural); port (clk, we : in std_logic; a, b, c : in std_logic_vector(7 downto 0); y : out std_logic_vector(7 downto 0)); end entity;
architecture rtl of circuit${at} is ${declares} begin
${body}
end architecture;
`;

const byte = (operand: number) => `stimulus(${operand * INPUT_WIDTH + 7} downto ${operand * INPUT_WIDTH})`;

/** A copy with a generic of its own is a module of its own: GHDL makes it of gates that it dropped in the one before. */
const instance = (at: number, copy: number) =>
  `  u${at}_${copy} : entity work.circuit${at} generic map (${copy}) port map (clk, stimulus(${3 * INPUT_WIDTH}), ${byte(0)}, ${byte(1)}, ${byte(2)}, y${at}(${8 * copy + 7} downto ${8 * copy}));\n`;

/** One slave with all circuits, because each run of a tool takes longer than a circuit. Output k is that of circuit k, twice. */
const together = (circuits: readonly Circuit[]) => `${circuits.map(named).map(entity).join('')}${HEAD}
entity slave is port (clk, rst, wb_cyc, wb_stb, wb_we : in std_logic; wb_adr : in std_logic_vector(3 downto 0);
  wb_dat_w : in std_logic_vector(31 downto 0); wb_dat_r : out std_logic_vector(31 downto 0); wb_ack : out std_logic;
  stimulus : in std_logic_vector(${4 * INPUT_WIDTH - 1} downto 0);
  ${circuits.map((_, at) => `y${at}`).join(', ')} : out std_logic_vector(${OUTPUT_WIDTH - 1} downto 0)); end entity;
architecture rtl of slave is begin
  wb_ack <= wb_stb; wb_dat_r <= wb_dat_w;
${circuits.map((_, at) => `${[0, 1].map((copy) => instance(at, copy)).join('')}  y${at}(${OUTPUT_WIDTH - 1} downto 16) <= (others => '0');`).join('\n')}
end architecture;
`;

describe.skipIf(!hasGhdl || !hasIcarus)('circuits from VHDL match their simulation', () => {
  const circuits = Object.entries(CIRCUITS);
  test('all together', async () => {
    const wrong = await wrongOutputs(
      {
        ...{ engine: plainYosys, board: 'virtual-hx8k', depth: 'words', filename: 'design.vhd' },
        ...{ simulator: 'ghdl', operands: [], inputs: inputsOf(seeded(5), 4, CYCLES) },
      },
      together(circuits.map(([, circuit]) => circuit)),
      circuits.length,
    );
    expect(
      wrong.map(({ at, input, meant, got }) => `${circuits[at]?.[0]}: ${meant}, got ${got}, for ${input}`),
    ).toEqual([]);
  });
});
