import type { BoardDefinition } from '../../../boards/definition.ts';
import { refuseMemories } from '../../diagnostics/refused-memories.ts';
import {
  ABC9_SETTINGS,
  BASE_GATES,
  countCells,
  type Family,
  NETLIST,
  PART_CELLS,
  partRows,
  passWith,
  STATISTICS,
  type SynthesisSteps,
  TIMING,
} from '../family.ts';
import { forgetOtherRam } from '../ram-hints.ts';
import { blockRamPlaces, withBlockRamPlaced } from './block-ram.ts';
import { replaceBuildId } from './build-id.ts';
import { decisive, withContents } from './contents.ts';
import { ice40Delays } from './delays.ts';
import { recordInverters } from './inverters.ts';
import { isLarge, isLargeWithRoom, withPlacerOfLarge } from './placer.ts';
import { ice40RamMap } from './ram-map.ts';

const RAM_MAP = 'wishbench_ram_map.v';
const PLACED = 'design.asc';
const PLACED_NETLIST = 'placed.json';
const DELAYS = 'delays.sdf';

/** Device option of synth_ice40: `hx`, `lp` or `u`. */
const device = ({ fpga }: BoardDefinition) => (fpga.part.startsWith('u') ? 'u' : fpga.part.slice(0, 2));

/** Only UltraPlus parts have multipliers and single-port memories. */
const extras = (board: BoardDefinition) => (device(board) === 'u' ? ' -dsp -spram' : '');

/**
 * Words above which a memory that does not fit block RAM is refused, also when it is a table of look-up tables. Without this
 * and the next limit Yosys runs for minutes before it fails.
 */
const MAX_REGISTER_WORDS = 4096;

/** Word widths, bits. A memory counts with the largest one that is not above its own width. */
const WIDTHS = Array.from({ length: 11 }, (_, power) => 2 ** power)
  .flatMap((width) => [width, width * 1.5])
  .filter(Number.isInteger);

/** Refuses memories that need more registers than the part has. Yosys can compare, but not multiply. */
const refuseRegisters = (board: BoardDefinition): string[] =>
  refuseMemories([
    `@memories r:SIZE>${MAX_REGISTER_WORDS} %i`,
    ...WIDTHS.map((width) => {
      const words = Math.floor((FLIP_FLOPS[sizeOf(board)] ?? 0) / width);
      return `@written r:WIDTH>=${width} %i r:SIZE>${words} %i`;
    }),
  ]);

const RESOURCES: Record<string, string> = {
  ICESTORM_LC: 'logic cell',
  ICESTORM_RAM: 'BRAM',
  ICESTORM_SPRAM: 'SPRAM',
  ICESTORM_DSP: 'DSP',
  SB_IO: 'IO',
  SB_GB: 'global buffer',
  ICESTORM_PLL: 'PLL',
};

/** Cells that are a block RAM. */
const BLOCK_RAM = /^SB_RAM40_4K/;

/** Block RAMs of 4 Kbit by part, as nextpnr counts them. Source: project IceStorm, chip databases. */
const BLOCK_RAMS: Readonly<Record<string, number>> = { '384': 0, '1k': 16, '4k': 32, '8k': 32, '5k': 30 };

/**
 * Limit of arithmetic bits up to which ABC maps a design, with a script of four commands. Larger designs use ABC9, which
 * knows the delays of carry chains but takes longer.
 */
const FEW_CARRIES = 64;
const QUICK_MAPPING = 'abc -dress -lut 4 -script +strash;dch,-f;if;mfs2';

const mapsQuickly = (arithmetic: SynthesisSteps['arithmetic']): boolean =>
  typeof arithmetic === 'number' && arithmetic <= FEW_CARRIES;

/** Reads the part's cells as black boxes without delays, which are half of the text; only ABC9 needs them. */
const readCells = (board: BoardDefinition): string =>
  `read_verilog -D ICE40_${device(board).toUpperCase()} -lib +/ice40/cells_sim.v`;

/** The steps of the label begin. */
const beginQuickly = (board: BoardDefinition, top: string, cells: boolean): string[] => [
  cells ? `read_rtlil ${PART_CELLS}` : readCells(board),
  `hierarchy -check -top ${top}`,
  'proc',
];

/** From flip-flops and gates to cells of the part, with ABC instead of ABC9 in the label map_luts. */
const mapQuickly = (pass: string): string[] => [
  `${pass} -run map_ffs:map_luts`,
  ...recordInverters(),
  'techmap -map +/ice40/latches_map.v',
  QUICK_MAPPING,
  'ice40_wrapcarry -unwrap',
  'techmap -map +/ice40/ff_map.v',
  'clean',
  'opt_lut -tech ice40',
  `${pass} -run map_cells:blif`,
];

/** From flip-flops and gates to cells of the part, with ABC9. */
const mapWithDelays = (pass: string): string[] => [
  ...ABC9_SETTINGS,
  `${pass} -run map_ffs:map_luts`,
  ...recordInverters(),
  `${pass} -latches info -run map_luts:blif`,
];

/** Yosys commands from the elaborated modules to gates and block RAM. The rest begins at the label map_ffs. */
function mapToGates(
  board: BoardDefinition,
  top: string,
  { whenFlat = [], arithmetic, cells = false }: SynthesisSteps = {},
): string[] {
  const pass = passOf(board, top);
  const automatic = device(board) === 'u' ? '' : ' -no-auto-huge';
  const hints = forgetOtherRam(device(board) === 'u' ? ['large'] : []);
  const guard = refuseRegisters(board);
  const toRam = mapsQuickly(arithmetic)
    ? [
        ...beginQuickly(board, top, cells),
        ...(whenFlat.length > 0 ? ['flatten', ...whenFlat] : []),
        `${pass} -run flatten:map_ram`,
      ]
    : passWith(pass, 'flatten', 'map_ram', whenFlat);
  // The steps of the label map_ram, with RAM_MAP instead of Yosys's own map.
  return [
    ...toRam,
    ...hints,
    `memory_libmap -lib +/ice40/brams.txt -lib +/ice40/spram.txt${automatic}`,
    ...guard,
    `techmap -map ${RAM_MAP} -map +/ice40/spram_map.v`,
    'ice40_braminit',
    `${pass} -run map_ffram:map_ffs`,
  ];
}

const passOf = (board: BoardDefinition, top: string) =>
  `synth_ice40 -device ${device(board)}${extras(board)} -top ${top}`;

/** Flip-flops by part, and bits of the single-port memories. Source: Lattice iCE40 family data sheets. */
const FLIP_FLOPS: Readonly<Record<string, number>> = {
  '384': 384,
  '1k': 1280,
  '4k': 7680, // the die of the 8k
  '8k': 7680,
  '5k': 5280,
};
const SINGLE_PORT_BITS: Readonly<Record<string, number>> = { '5k': 4 * 256 * 1024 };

/** `8k` for `hx8k` */
const sizeOf = ({ fpga }: BoardDefinition) => fpga.part.replace(/^\D+/, '');

/** The die of a part, in place and route's names. */
const dieOf = (board: BoardDefinition): string => {
  const size = sizeOf(board);
  return size === '4k' ? '8k' : size;
};

/** Lattice iCE40, with nextpnr-ice40 of project IceStorm. The bench itself packs. */
export const ice40: Family = {
  name: 'ice40',
  title: 'iCE40',
  libraries: ['ice40/cells_sim.v'],
  embedded: ['nextpnr-ice40'],
  installed: [],
  followsPcf: true,
  constraint: (port, site, pullUp) => `set_io${pullUp ? ' -pullup yes' : ''} ${port} ${site}`,
  resources: RESOURCES,
  placedNetlist: PLACED_NETLIST,
  blockRam: {
    bits: 4096,
    cell: BLOCK_RAM,
    available: (board) => BLOCK_RAMS[sizeOf(board)] ?? 0,
  },

  memoryCapacity(board) {
    const [blocks, flipFlops] = [BLOCK_RAMS[sizeOf(board)], FLIP_FLOPS[sizeOf(board)]];
    if (blocks === undefined || flipFlops === undefined) return null;
    const blockRam = blocks * 4096 + (SINGLE_PORT_BITS[sizeOf(board)] ?? 0);
    return { blockRam, flipFlops, part: `${board.fpga.part}-${board.fpga.package}` };
  },
  delays: DELAYS,

  synthesisFiles: { [RAM_MAP]: ice40RamMap() },

  synthesis: (board, top, steps = {}) => [
    ...mapToGates(board, top, steps),
    ...(steps.atGates ?? []),
    ...(mapsQuickly(steps.arithmetic) ? mapQuickly(passOf(board, top)) : mapWithDelays(passOf(board, top))),
    `tee -q -o ${STATISTICS} stat -json`,
    // Without the library: nextpnr does not read it, and its modules of block RAM are named after their contents.
    `json -o ${NETLIST} ${top}`,
  ],

  ahead: {
    synthesis: (board, top, modules) => [
      `hierarchy -top ${top}`,
      // Yosys's names of modules with parameters.
      `setattr -mod -set keep_hierarchy 1 ${modules.map((name) => `$paramod*${name}*`).join(' ')}`,
      ...mapToGates(board, top, { arithmetic: 0 }),
      `write_rtlil ${BASE_GATES}`,
    ],
    cells: (board) => [readCells(board), `write_rtlil ${PART_CELLS}`],
    cellName: /^(?:SB|ICESTORM)_/,
    replaceBuildId,
  },

  placeAndRoute: ({ fpga }, { constraints, megahertz, seed, ignoreLoops }) => ({
    tool: 'nextpnr-ice40',
    args: [
      `--${fpga.part}`,
      ...['--package', fpga.package, '--json', NETLIST, '--pcf', 'design.pcf', '--asc', PLACED],
      ...['--write', PLACED_NETLIST, '--sdf', DELAYS],
      ...['--report', TIMING, '--freq', String(megahertz), '--timing-allow-fail', '--seed', String(seed)],
      ...(ignoreLoops ? ['--ignore-loops'] : []),
    ],
    files: { 'design.pcf': constraints },
    outputs: [PLACED, TIMING, PLACED_NETLIST, DELAYS],
  }),

  forPlacing(netlist, board, top, cells) {
    const tables = countCells(cells, /^SB_LUT4$/);
    if (isLargeWithRoom(tables, FLIP_FLOPS[sizeOf(board)] ?? 0))
      return {
        netlist: withPlacerOfLarge(netlist, top),
        note: 'large design, but room in the part: using the static placer for faster routing',
      };
    const places = isLarge(tables) ? null : blockRamPlaces(dieOf(board), countCells(cells, BLOCK_RAM));
    const placed = places === null ? netlist : withBlockRamPlaced(netlist, places);
    if (placed === netlist) return null;
    return { netlist: placed, note: 'placing block RAM in advance to place the rest faster' };
  },

  reuse: {
    decisive,
    adapt(outputs, netlist) {
      const { [PLACED]: configuration, [PLACED_NETLIST]: placed } = outputs;
      const filled = configuration && placed && withContents(configuration, placed, netlist);
      return filled ? { ...outputs, [PLACED]: filled } : null;
    },
  },

  pack: () => ({ by: 'bench', reads: PLACED }),

  partUse(cells, board) {
    const size = sizeOf(board);
    const ultraPlus = device(board) === 'u';
    return {
      // How many cells share a logic cell is unknown before packing.
      ICESTORM_LC: { used: 0, available: FLIP_FLOPS[size] ?? 0 },
      ICESTORM_RAM: { used: countCells(cells, BLOCK_RAM), available: BLOCK_RAMS[size] ?? 0 },
      ICESTORM_SPRAM: { used: countCells(cells, /^SB_SPRAM256KA$/), available: ultraPlus ? 4 : 0 },
      ICESTORM_DSP: { used: countCells(cells, /^SB_MAC16$/), available: ultraPlus ? 8 : 0 },
    };
  },

  typicalDelays: ({ fpga }) => ice40Delays(fpga.part),

  utilisation(cells, part) {
    // Every logic cell has one LUT, one flip-flop and one carry.
    const available = part['ICESTORM_LC']?.available ?? 0;
    return [
      { resource: 'LUT', used: countCells(cells, /^SB_LUT4$/), available },
      { resource: 'FF', used: countCells(cells, /^SB_DFF/), available },
      { resource: 'carry', used: countCells(cells, /^SB_CARRY$/), available },
      ...partRows(part, RESOURCES),
    ];
  },
};
