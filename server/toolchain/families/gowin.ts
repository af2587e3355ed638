import type { BoardDefinition } from '../../boards/definition.ts';
import {
  BY_INSTALLED_TOOLS,
  countCells,
  type Family,
  NETLIST,
  partRows,
  synthesisBy,
  TIMING,
} from './family.ts';

const PLACED = 'placed.json';
const BITSTREAM = 'design.fs';

/**
 * The die of a part in project Apicula's names: `GW1NR-LV9QN88PC6/I5` is a GW1N-9C. The letter C is the revision of the
 * die; the catalogue's boards have that revision.
 */
function dieOf({ fpga }: BoardDefinition): string {
  const [, series = 'GW1N', size = '9'] = /^(GW\dN|GW\dA)\w*-(?:LV|UV|ZV)?(\d+)/.exec(fpga.part) ?? [];
  return `${series}-${size}C`;
}

const RESOURCES: Record<string, string> = { BSRAM: 'BRAM', IOB: 'IO', rPLL: 'PLL' };

/** Gowin LittleBee, with nextpnr-himbaechel and gowin_pack of project Apicula. */
export const gowin: Family = {
  ...BY_INSTALLED_TOOLS,
  name: 'gowin',
  title: 'Gowin',
  libraries: ['gowin/cells_sim.v', 'gowin/cells_xtra_gw1n.v'],
  installed: [
    {
      name: 'nextpnr-himbaechel',
      package: 'nextpnr (himbaechel) of the OSS CAD Suite',
      versionArgument: '--version',
    },
    { name: 'gowin_pack', package: 'apycula', versionArgument: null },
  ],
  constraint: (port, site, pullUp) =>
    `IO_LOC "${port}" ${site};\nIO_PORT "${port}" IO_TYPE=LVCMOS33${pullUp ? ' PULL_MODE=UP' : ''};`,
  resources: RESOURCES,
  // Values of a GW1N-9, the catalogue's only part. Source: Gowin GW1NR series data sheet.
  blockRam: { bits: 16_384, cell: /^(SDP|DP|SP)(B|X9|X9B)?$/, available: () => 26 },

  synthesis: synthesisBy('synth_gowin'),

  placeAndRoute: (board, { constraints, megahertz, seed, ignoreLoops }) => ({
    tool: 'nextpnr-himbaechel',
    args: [
      ...['--device', board.fpga.part, '--vopt', `family=${dieOf(board)}`, '--vopt', 'cst=design.cst'],
      ...['--json', NETLIST, '--write', PLACED, '--report', TIMING],
      ...['--freq', String(megahertz), '--timing-allow-fail', '--seed', String(seed)],
      ...(ignoreLoops ? ['--ignore-loops'] : []),
    ],
    files: { 'design.cst': constraints },
    outputs: [PLACED, TIMING],
  }),

  pack: (board) => ({
    by: 'tool',
    tool: 'gowin_pack',
    args: ['-d', dieOf(board), '-o', BITSTREAM, PLACED],
    files: {},
    outputs: [BITSTREAM],
    bitstream: BITSTREAM,
  }),

  // Values of a GW1N-9. Source: Gowin GW1NR series data sheet.
  partUse: (cells) => ({
    LUT4: { used: 0, available: 8640 },
    DFF: { used: 0, available: 6480 },
    BSRAM: { used: countCells(cells, gowin.blockRam.cell), available: 26 },
  }),

  utilisation: (cells, part) => [
    {
      resource: 'LUT',
      used: countCells(cells, /^LUT[1-4]$/) + countCells(cells, /^ALU$/),
      available: part['LUT4']?.available ?? 0,
    },
    { resource: 'FF', used: countCells(cells, /^DFF/), available: part['DFF']?.available ?? 0 },
    {
      resource: 'carry',
      used: countCells(cells, /^ALU$/),
      available: part['ALU']?.available ?? part['LUT4']?.available ?? 0,
    },
    ...partRows(part, RESOURCES),
  ],
};
