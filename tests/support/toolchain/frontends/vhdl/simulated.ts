import { inputsOf, type WrongWord, wrongOutputs } from '../../expressions/bench.ts';
import { INPUT_WIDTH, OUTPUT_WIDTH } from '../../expressions/expression.ts';
import { plainYosys } from '../../support.ts';

const CYCLES = 300;
/** Inputs of a slave: those of its circuits. */
const OPERANDS = 4;

export const HEAD = 'library ieee; use ieee.std_logic_1164.all; use ieee.numeric_std.all;';

/** Ports of a circuit. */
export const PORTS =
  'port (clk, we : in std_logic; a, b, c : in std_logic_vector(7 downto 0); y : out std_logic_vector(7 downto 0))';

const byte = (operand: number) => `stimulus(${operand * INPUT_WIDTH + 7} downto ${operand * INPUT_WIDTH})`;

/** One slave with all circuits, because each run of a tool takes longer than a circuit. Output k is that of circuit k. */
export const together = (circuits: readonly string[], operands = OPERANDS) => `${circuits.join('')}${HEAD}
entity slave is port (clk, rst, wb_cyc, wb_stb, wb_we : in std_logic; wb_adr : in std_logic_vector(3 downto 0);
  wb_dat_w : in std_logic_vector(31 downto 0); wb_dat_r : out std_logic_vector(31 downto 0); wb_ack : out std_logic;
  stimulus : in std_logic_vector(${operands * INPUT_WIDTH - 1} downto 0);
  ${circuits.map((_, at) => `y${at}`).join(', ')} : out std_logic_vector(${OUTPUT_WIDTH - 1} downto 0)); end entity;
architecture rtl of slave is begin
  wb_ack <= wb_stb; wb_dat_r <= wb_dat_w;
${circuits.map((_, at) => `  u${at} : entity work.circuit${at} port map (clk, stimulus(${3 * INPUT_WIDTH}), ${byte(0)}, ${byte(1)}, ${byte(2)}, y${at}(7 downto 0)); y${at}(${OUTPUT_WIDTH - 1} downto 8) <= (others => '0');`).join('\n')}
end architecture;
`;

/**
 * The first wrong word of each circuit, compared with GHDL's simulation.
 * @param circuits entities `circuit0`, `circuit1` and so on, with PORTS
 * @param reference the same circuits as the simulation reads them
 */
export function wrongCircuits(
  random: () => number,
  circuits: readonly string[],
  reference = circuits,
): Promise<WrongWord[]> {
  return wrongOutputs(
    {
      ...{ engine: plainYosys, board: 'virtual-hx8k', depth: 'words', filename: 'design.vhd' },
      ...{ simulator: 'ghdl', operands: [], inputs: inputsOf(random, OPERANDS, CYCLES) },
    },
    together(circuits),
    circuits.length,
    together(reference),
  );
}
