import type { BoardDefinition } from '../../boards/definition.ts';
import {
  BY_INSTALLED_TOOLS,
  countCells,
  type Family,
  NETLIST,
  type PartUse,
  partRows,
  synthesisBy,
  TIMING,
} from './family.ts';

const PLACED = 'design.config';
const BITSTREAM = 'design.bit';

const RESOURCES: Record<string, string> = {
  DP16KD: 'BRAM',
  MULT18X18D: 'DSP',
  TRELLIS_IO: 'IO',
  DCCA: 'global buffer',
  EHXPLLL: 'PLL',
};

/** Resources. Source: Lattice ECP5 family data sheet. The 12k has the die of the 25k, whose cells nextpnr uses. */
const PARTS: Readonly<Record<string, { luts: number; blockRams: number; multipliers: number }>> = {
  '12': { luts: 24_288, blockRams: 32, multipliers: 28 },
  '25': { luts: 24_288, blockRams: 56, multipliers: 28 },
  '45': { luts: 43_848, blockRams: 108, multipliers: 72 },
  '85': { luts: 83_640, blockRams: 208, multipliers: 156 },
};

/** Cells of a part; an older nextpnr counts the slices, which have two each. */
const inSlices = (part: PartUse, type: string): number =>
  part[type]?.available ?? 2 * (part['TRELLIS_SLICE']?.available ?? 0);

/** `85` for `um5g-85k` */
const sizeOf = ({ fpga }: BoardDefinition): string => /(\d+)k/.exec(fpga.part)?.[1] ?? '';

/** Lattice ECP5, with nextpnr-ecp5 and ecppack of project Trellis. */
export const ecp5: Family = {
  ...BY_INSTALLED_TOOLS,
  name: 'ecp5',
  title: 'ECP5',
  libraries: ['ecp5/cells_sim.v', 'ecp5/cells_bb.v'],
  installed: [
    { name: 'nextpnr-ecp5', package: 'nextpnr-ecp5', versionArgument: '--version' },
    { name: 'ecppack', package: 'fpga-trellis', versionArgument: '--version' },
  ],
  constraint: (port, site, pullUp) =>
    `LOCATE COMP "${port}" SITE "${site}";\nIOBUF PORT "${port}" IO_TYPE=LVCMOS33${pullUp ? ' PULLMODE=UP' : ''};`,
  resources: RESOURCES,
  blockRam: {
    bits: 16_384,
    cell: /^DP16KD$/,
    available: (board) => PARTS[sizeOf(board)]?.blockRams ?? 0,
  },

  synthesis: synthesisBy('synth_ecp5', ' -latches info'),

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
    // A compressed bitstream configures much faster over JTAG.
    args: ['--compress', PLACED, BITSTREAM],
    files: {},
    outputs: [BITSTREAM],
    bitstream: BITSTREAM,
  }),

  partUse(cells, board) {
    const { luts = 0, multipliers = 0 } = PARTS[sizeOf(board)] ?? {};
    return {
      TRELLIS_COMB: { used: 0, available: luts },
      TRELLIS_FF: { used: 0, available: luts },
      DP16KD: { used: countCells(cells, /^DP16KD$/), available: ecp5.blockRam.available(board) },
      MULT18X18D: { used: countCells(cells, /^MULT18X18D$/), available: multipliers },
    };
  },

  utilisation: (cells, part) => [
    {
      resource: 'LUT',
      used: countCells(cells, /^LUT4$/) + 2 * countCells(cells, /^CCU2C$/),
      available: inSlices(part, 'TRELLIS_COMB'),
    },
    { resource: 'FF', used: countCells(cells, /^TRELLIS_FF$/), available: inSlices(part, 'TRELLIS_FF') },
    {
      resource: 'carry',
      used: countCells(cells, /^CCU2C$/),
      available: Math.floor(inSlices(part, 'TRELLIS_COMB') / 2),
    },
    ...partRows(part, RESOURCES),
  ],
};
