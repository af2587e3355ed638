// What random designs in VHDL have in common.
import { INPUT_WIDTH, OUTPUT_WIDTH } from './expression.ts';
import { OPERANDS } from './vhdl-expressions.ts';

/** Operands in the input, with the single bit `f`. */
const OPERAND_COUNT = OPERANDS.length + 1;

/** Functions and procedures for arguments of any width. */
export const PACKAGE = `library ieee; use ieee.std_logic_1164.all; use ieee.numeric_std.all;
package parts is
${(['unsigned', 'signed', 'std_logic_vector'] as const)
  .map(
    (kind) => `  function choose(c : boolean; x, y : ${kind}) return ${kind};
  function mirrored(x : ${kind}) return ${kind};`,
  )
  .join('\n')}
${(['unsigned', 'signed'] as const)
  .map(
    (kind) => `  function summed(x : ${kind}; n : natural) return ${kind};
  procedure accumulate(x : inout ${kind}; y : in ${kind});`,
  )
  .join('\n')}
end package;
package body parts is
${(['unsigned', 'signed', 'std_logic_vector'] as const)
  .map(
    (kind) => `  function choose(c : boolean; x, y : ${kind}) return ${kind} is begin
    if c then return x; end if; return y;
  end function;
  function mirrored(x : ${kind}) return ${kind} is
    variable r : ${kind}(x'length - 1 downto 0); alias from : ${kind}(x'length - 1 downto 0) is x;
  begin for i in r'range loop r(i) := from(from'high - i); end loop; return r; end function;`,
  )
  .join('\n')}
${(['unsigned', 'signed'] as const)
  .map(
    (
      kind,
    ) => `  function summed(x : ${kind}; n : natural) return ${kind} is variable r : ${kind}(x'length - 1 downto 0) := x;
  begin for i in 0 to 3 loop exit when i = n; r := r + x; end loop; return r; end function;
  procedure accumulate(x : inout ${kind}; y : in ${kind}) is begin x := x + y; if x(x'left) = '1' then x := not x; end if; end procedure;`,
  )
  .join('\n')}
end package body;`;

/** An entity with generics. */
export const CHILD = `library ieee; use ieee.std_logic_1164.all; use ieee.numeric_std.all;
entity child is generic (width : positive := 4; offset : integer := 0; registered : boolean := false);
  port (clk : in std_logic; x : in unsigned(width - 1 downto 0); y : out unsigned(width - 1 downto 0));
end entity;
architecture rtl of child is
  signal sum : unsigned(x'range);
begin
  each : for i in x'range generate
    even : if i mod 2 = 0 generate sum(i) <= x(width - 1 - i); end generate;
    odd : if i mod 2 = 1 generate sum(i) <= not x(i); end generate;
  end generate;
  clocked : if registered generate
    signal r : unsigned(width - 1 downto 0) := (others => '0');
  begin
    process (clk) begin if rising_edge(clk) then r <= unsigned(signed(sum) + offset); end if; end process;
    y <= r;
  end generate;
  direct : if not registered generate y <= unsigned(resize(signed(sum) * to_signed(offset, 6), width)); end generate;
end architecture;`;

/**
 * A slave around the statements of an architecture. Its input is the operands, `f` and a number `n` from 0 to 7.
 * @param shown its outputs, values of OUTPUT_WIDTH bits
 */
export const slaveOf = (
  units: string,
  declarations: readonly string[],
  statements: readonly string[],
  shown: readonly string[],
): string => `${units}
library ieee; use ieee.std_logic_1164.all; use ieee.numeric_std.all; use work.parts.all;
entity slave is port (clk, rst, wb_cyc, wb_stb, wb_we : in std_logic; wb_adr : in std_logic_vector(3 downto 0);
  wb_dat_w : in std_logic_vector(31 downto 0); wb_dat_r : out std_logic_vector(31 downto 0); wb_ack : out std_logic;
  stimulus : in std_logic_vector(${OPERAND_COUNT * INPUT_WIDTH - 1} downto 0);
  ${shown.map((_, at) => `y${at}`).join(', ')} : out std_logic_vector(${OUTPUT_WIDTH - 1} downto 0));
end entity;
architecture rtl of slave is
${OPERANDS.map(({ text, kind, width }) => `  signal ${text} : ${kind}(${width - 1} downto 0);`).join('\n')}
  signal f : std_logic;
  signal n : natural range 0 to 7;
${declarations.map((one) => `  ${one}`).join('\n')}
begin
  wb_ack <= wb_stb;
  wb_dat_r <= std_logic_vector(resize(unsigned(wb_adr), 32));
${OPERANDS.map(({ text, kind, width }, at) => `  ${text} <= ${kind}(stimulus(${at * INPUT_WIDTH + width - 1} downto ${at * INPUT_WIDTH}));`).join('\n')}
  f <= stimulus(${OPERANDS.length * INPUT_WIDTH});
  n <= to_integer(unsigned(stimulus(102 downto 100)));
${statements.join('\n')}
${shown.map((value, at) => `  y${at} <= ${value};`).join('\n')}
end architecture;
`;
