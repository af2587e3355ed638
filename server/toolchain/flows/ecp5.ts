import { countCells, type Flow, NETLIST, partRows, passWith, STATISTICS, TIMING } from './flow.ts';

const PLACED = 'design.config';
const BITSTREAM = 'design.bit';

const RESOURCES: Record<string, string> = {
  DP16KD: 'BRAM',
  MULT18X18D: 'DSP',
  TRELLIS_IO: 'IO',
  DCCA: 'global buffer',
  EHXPLLL: 'PLL',
};

/** Block RAMs by part. Source: Lattice ECP5 family data sheet. */
const BLOCK_RAMS: Readonly<Record<string, number>> = { '12': 32, '25': 56, '45': 108, '85': 208 };

/** Lattice ECP5 with nextpnr-ecp5 and ecppack of project Trellis. */
export const ecp5Flow: Flow = {
  resources: RESOURCES,
  placedNetlist: null,
  memoryCapacity: () => null,
  blockRam: {
    bits: 16_384,
    cell: /^DP16KD$/,
    available: ({ fpga }) => BLOCK_RAMS[/(\d+)k/.exec(fpga.part)?.[1] ?? ''] ?? 0,
  },
  delays: null,

  ahead: null,

  synthesisFiles: () => ({}),

  synthesis: (_board, top, _engine, { whenFlat } = {}) => [
    ...passWith(`synth_ecp5 -top ${top}`, 'coarse', '', whenFlat),
    `tee -q -o ${STATISTICS} stat -json`,
    `write_json ${NETLIST}`,
  ],

  placeAndRoute: ({ fpga }, { constraints, megahertz, seed, ignoreLoops }) => ({
    tool: 'nextpnr-ecp5',
    args: [
      `--${fpga.part}`,
      ...['--package', fpga.package, '--json', NETLIST, '--lpf', 'design.lpf', '--textcfg', PLACED],
      ...['--report', TIMING, '--freq', String(megahertz), '--timing-allow-fail', '--seed', String(seed)],
      ...(ignoreLoops ? ['--ignore-loops'] : []),
    ],
    files: { 'design.lpf': constraints },
    outputs: [PLACED, TIMING],
  }),

  pack: () => ({
    by: 'tool',
    tool: 'ecppack',
    // Compressed bitstreams configure in a fraction of the time over JTAG.
    args: ['--compress', PLACED, BITSTREAM],
    files: {},
    outputs: [BITSTREAM],
    bitstream: BITSTREAM,
  }),

  utilisation: (cells, part) => [
    {
      resource: 'LUT',
      used: countCells(cells, /^LUT4$/) + 2 * countCells(cells, /^CCU2C$/),
      available: part['TRELLIS_COMB']?.available ?? 2 * (part['TRELLIS_SLICE']?.available ?? 0),
    },
    {
      resource: 'FF',
      used: countCells(cells, /^TRELLIS_FF$/),
      available: part['TRELLIS_FF']?.available ?? 2 * (part['TRELLIS_SLICE']?.available ?? 0),
    },
    {
      resource: 'carry',
      used: countCells(cells, /^CCU2C$/),
      available: Math.floor(
        (part['TRELLIS_COMB']?.available ?? 2 * (part['TRELLIS_SLICE']?.available ?? 0)) / 2,
      ),
    },
    ...partRows(part, RESOURCES),
  ],
};
