/** A known module that no file of the design has. */
export type ForeignCell =
  /** A cell of an FPGA, or a module that its maker's tools generate. */
  | { kind: 'cell'; maker: string }
  /** A gate of a chip: the source is a netlist. */
  | { kind: 'gate'; process: string };

const MAKERS: readonly [maker: string, names: RegExp][] = [
  [
    'Xilinx',
    /^(?:BUF(?:G|H|R|IO|GCE|GMUX|GCTRL|HCE|MR)(?:_\w+)?|[IO]{1,2}BUF(?:G|DS|GDS|TDS|T|DS_\w+|DSE\d)?(?:_\w+)?|FD[CPRS]?E?(?:_1)?|LUT[1-6](?:_[2DL])?|RAM\d+X\d+\w*|RAM\d+M\d*|RAMB\w+|SRLC?\d+E?|DSP48\w*|MMCM\w+|PLLE\w+|PLL_(?:BASE|ADV)|DCM(?:_\w+)?|CLKDLL\w*|MULT18X18S?(?:IO)?|[IO](?:DDR2?|SERDES\w*|DELAY\w*)|IDELAYCTRL|BSCAN\w*|STARTUP\w*|ICAP\w*|XADC|SYSMON\w*|xpm_\w+|CARRY[48]|MUX(?:F[5-9]|CY\w*)|XORCY|FIFO(?:18|36)E\w*|GT[PXHY]E\w+|PS7|blk_mem_gen\w*|dist_mem_gen\w*|fifo_generator\w*|clk_wiz\w*|KEEPER|PULLUP|PULLDOWN|DNA_PORT)$/,
  ],
  [
    'Intel (Altera)',
    /^(?:alt(?:syncram|dpram|pll|ddio_\w+|era_\w+|iobuf\w*|clkctrl|_\w+|fp_\w+|mult_\w+|shift_taps|lvds_\w+|remote_update|serial_flash\w*)|lpm_\w+|[ds]cfifo|(?:cyclone|stratix|arria)\w*_\w+|max(?:10|ii|v)_\w+|sld_\w+)$/,
  ],
  [
    'Lattice',
    /^(?:EHXPLL\w*|OSC[A-Z]|EFB|BB(?:PU|PD)?|[IO]B(?:PU|PD)?|OBZ\w*|VHI|VLO|P?DP(?:8K|16K|R16X4)\w*|SPR16X4\w*|SP(?:8K|16K)\w*|TRELLIS_\w+|DCCA|DCSC|JTAG[A-Z]|USRMCLK|FD1[PS]3\w+|GSR|PUR|CCU2[A-Z]|[IO]DDRX\w+|MULT(?:18X18|9X9)[A-Z]|ALU54[A-Z]|CLKDIV[A-Z]|ECLK\w+|[HL]SOSC|PLL_B)$/,
  ],
  [
    'Gowin',
    /^(?:r?PLL(?:VR|A|O)?|OSC(?:[FHOWZ])?|Gowin_\w+|SDPX?9?B|DPX?9?B|SPX9?|SP|pROM(?:X9)?|[TE]LVDS_\w+|CLKDIV2?|DHCEN?|[IO](?:SER|DES)\d+|IVIDEO|OVIDEO|DQCE|DCS|IODELAY|FLASH\w+K)$/,
  ],
];

const PROCESSES: readonly [process: string, names: RegExp][] = [
  ['SkyWater', /^sky130_/],
  ['GlobalFoundries', /^gf180mcu_/],
  ['IHP', /^sg13g2_/],
  ['ASAP7', /_ASAP7_75t_/],
  [
    'Nangate',
    /^(?:AND|NAND|OR|NOR|XOR|XNOR|INV|BUF|CLKBUF|DFF|SDFF|DL[HL]|AOI|OAI|MUX|HA|FA|LOGIC|FILLCELL|TBUF|TINV|ANTENNA)\w*_X\d+$/,
  ],
];

/** Identifies a missing module by its name; null when the name is unknown. */
export function foreignCell(module: string): ForeignCell | null {
  const process = PROCESSES.find(([, names]) => names.test(module))?.[0];
  if (process !== undefined) return { kind: 'gate', process };
  const maker = MAKERS.find(([, names]) => names.test(module))?.[0];
  return maker === undefined ? null : { kind: 'cell', maker };
}
