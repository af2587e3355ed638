// A Wishbone slave in each usual convention, to begin a design from. `#{…}` is a field of the template.
import type { SourceLanguage } from './tokens.ts';

export interface SlaveTemplate {
  /** What to type. */
  label: string;
  detail: string;
  template: string;
}

interface Convention {
  clk: string;
  rst: string;
  cyc: string;
  stb: string;
  we: string;
  adr: string;
  dataIn: string;
  sel: string;
  dataOut: string;
  ack: string;
  stall?: string;
}

const bus = (i: (name: string) => string, o: (name: string) => string): Omit<Convention, 'clk' | 'rst'> => ({
  cyc: i('cyc'),
  stb: i('stb'),
  we: i('we'),
  adr: i('adr'),
  dataIn: i('dat'),
  sel: i('sel'),
  dataOut: o('dat'),
  ack: o('ack'),
});

const DOCUMENTED: Convention = {
  clk: 'clk',
  rst: 'rst',
  ...bus(
    (name) => `wb_${name}`,
    (name) => `wb_${name}`,
  ),
  dataIn: 'wb_dat_w',
  dataOut: 'wb_dat_r',
};
const OPENCORES: Convention = {
  clk: 'wb_clk_i',
  rst: 'wb_rst_i',
  ...bus(
    (name) => `wb_${name}_i`,
    (name) => `wb_${name}_o`,
  ),
};
const CARAVEL: Convention = {
  clk: 'wb_clk_i',
  rst: 'wb_rst_i',
  ...bus(
    (name) => `wbs_${name}_i`,
    (name) => `wbs_${name}_o`,
  ),
};
const SHORT: Convention = {
  clk: 'clk_i',
  rst: 'rst_i',
  ...bus(
    (name) => `${name}_i`,
    (name) => `${name}_o`,
  ),
};
const ZIPCPU: Convention = {
  clk: 'i_clk',
  rst: 'i_reset',
  ...bus(
    (name) => `i_wb_${name}`,
    (name) => `o_wb_${name}`,
  ),
  adr: 'i_wb_addr',
  dataIn: 'i_wb_data',
  dataOut: 'o_wb_data',
  stall: 'o_wb_stall',
};

/** Without `stall` the master holds its request until the acknowledge; with it, a request takes one clock. */
function verilog(c: Convention): string {
  const access = c.stall ? `${c.cyc} & ${c.stb}` : `${c.cyc} & ${c.stb} & ~${c.ack}`;
  return `module #{my_slave} (
  input  wire        ${c.clk},
  input  wire        ${c.rst},
  input  wire        ${c.cyc},
  input  wire        ${c.stb},
  input  wire        ${c.we},
  input  wire [ 3:0] ${c.adr},
  input  wire [31:0] ${c.dataIn},
  input  wire [ 3:0] ${c.sel},
${c.stall ? `  output wire        ${c.stall},\n` : ''}  output reg  [31:0] ${c.dataOut},
  output reg         ${c.ack}
);
  reg [31:0] #{control};

  wire access = ${access};
${c.stall ? `  assign ${c.stall} = 1'b0;\n` : ''}
  always @(posedge ${c.clk}) begin
    ${c.ack} <= access & ~${c.rst};
    if (access & ${c.we}) begin
      case (${c.adr})
        4'd0: #{control} <= ${c.dataIn};
        default: ;
      endcase
    end
    case (${c.adr})
      4'd0: ${c.dataOut} <= #{control};
      default: ${c.dataOut} <= 32'd0;
    endcase
    if (${c.rst}) #{control} <= 32'd0;
  end
endmodule
`;
}

const vhdl = (c: Convention): string => `library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;

entity #{my_slave} is
  port (
    ${c.clk} : in std_logic;
    ${c.rst} : in std_logic;
    ${c.cyc} : in std_logic;
    ${c.stb} : in std_logic;
    ${c.we} : in std_logic;
    ${c.adr} : in std_logic_vector(3 downto 0);
    ${c.dataIn} : in std_logic_vector(31 downto 0);
    ${c.sel} : in std_logic_vector(3 downto 0);
    ${c.dataOut} : out std_logic_vector(31 downto 0);
    ${c.ack} : out std_logic
  );
end entity;

architecture rtl of #{my_slave} is
  signal #{control} : std_logic_vector(31 downto 0) := (others => '0');
  signal acknowledge : std_logic := '0';
begin
  ${c.ack} <= acknowledge;

  process (${c.clk})
  begin
    if rising_edge(${c.clk}) then
      acknowledge <= ${c.cyc} and ${c.stb} and not acknowledge and not ${c.rst};
      if ${c.cyc} = '1' and ${c.stb} = '1' and ${c.we} = '1' and unsigned(${c.adr}) = 0 then
        #{control} <= ${c.dataIn};
      end if;
      if unsigned(${c.adr}) = 0 then
        ${c.dataOut} <= #{control};
      else
        ${c.dataOut} <= (others => '0');
      end if;
      if ${c.rst} = '1' then
        #{control} <= (others => '0');
      end if;
    end if;
  end process;
end architecture;
`;

const PYTHON = `from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

Bus = wiring.Signature(
    {
        "cyc": Out(1),
        "stb": Out(1),
        "we": Out(1),
        "adr": Out(4),
        "dat_w": Out(32),
        "sel": Out(4),
        "dat_r": In(32),
        "ack": In(1),
    }
)


class #{MySlave}(wiring.Component):
    bus: In(Bus)

    def elaborate(self, platform):
        m = Module()
        #{control} = Signal(32)
        access = Signal()
        m.d.comb += access.eq(self.bus.cyc & self.bus.stb & ~self.bus.ack)
        m.d.sync += self.bus.ack.eq(access)
        with m.If(access & self.bus.we & (self.bus.adr == 0)):
            m.d.sync += #{control}.eq(self.bus.dat_w)
        m.d.sync += self.bus.dat_r.eq(#{control})
        return m
`;

/** The templates of a language. */
export const SLAVE_TEMPLATES: Readonly<Record<SourceLanguage, readonly SlaveTemplate[]>> = {
  verilog: [
    { label: 'slave', detail: 'wb_cyc, wb_dat_w', template: verilog(DOCUMENTED) },
    { label: 'slave_opencores', detail: 'wb_cyc_i, wb_dat_o', template: verilog(OPENCORES) },
    { label: 'slave_pipelined', detail: 'i_wb_cyc, o_wb_stall', template: verilog(ZIPCPU) },
    { label: 'slave_caravel', detail: 'wbs_cyc_i, wbs_dat_o', template: verilog(CARAVEL) },
    { label: 'slave_short', detail: 'cyc_i, dat_o', template: verilog(SHORT) },
  ],
  vhdl: [
    { label: 'slave', detail: 'wb_cyc, wb_dat_w', template: vhdl(DOCUMENTED) },
    { label: 'slave_opencores', detail: 'wb_cyc_i, wb_dat_o', template: vhdl(OPENCORES) },
  ],
  python: [{ label: 'slave', detail: 'bus.cyc, bus.dat_w', template: PYTHON }],
};
