import type { BoardDefinition } from '../../boards/definition.ts';
import { countCells, type Flow, NETLIST, partRows, STATISTICS, TIMING } from './flow.ts';
import { ice40RamMap } from './ice40-ram-map.ts';

const RAM_MAP = 'wishbench_ram_map.v';
const PLACED = 'design.asc';
const BITSTREAM = 'design.bin';

/** Logic cells of the parts that place and route counts in LCs. Source: Lattice iCE40 family data sheets. */
const device = ({ fpga }: BoardDefinition) => (fpga.part.startsWith('u') ? 'u' : fpga.part.slice(0, 2));

/** Only the UltraPlus parts have multipliers and the large single-port memories. */
const extras = (board: BoardDefinition) => (device(board) === 'u' ? ' -dsp -spram' : '');

/**
 * Words above which a memory that does not fit block RAM is refused: it would become registers, and no part
 * has more than 7,680 of them. Without this the tool runs for minutes to find out.
 */
const MOST_REGISTER_WORDS = 4096;

const RESOURCES: Record<string, string> = {
  ICESTORM_LC: 'logic cell',
  ICESTORM_RAM: 'BRAM',
  ICESTORM_SPRAM: 'SPRAM',
  ICESTORM_DSP: 'DSP',
  SB_IO: 'IO',
  SB_GB: 'global buffer',
  ICESTORM_PLL: 'PLL',
};

/** Lattice iCE40 with nextpnr-ice40 and icepack of project IceStorm. */
export const ice40Flow: Flow = {
  resources: RESOURCES,

  synthesisFiles: (engine): Record<string, string> =>
    engine === 'embedded' ? { [RAM_MAP]: ice40RamMap() } : {},

  synthesis(board, top, engine) {
    const pass = `synth_ice40 -device ${device(board)}${extras(board)} -top ${top}`;
    const automatic = device(board) === 'u' ? '' : ' -no-auto-huge';
    const guard = `select -assert-none t:$mem_v2 r:SIZE>${MOST_REGISTER_WORDS} %i`;
    // The steps of the label map_ram are written out here for the sake of RAM_MAP; another release of Yosys
    // than the one that is embedded may have other steps.
    const ram =
      engine === 'embedded'
        ? [
            `${pass} -run begin:map_ram`,
            `memory_libmap -lib +/ice40/brams.txt -lib +/ice40/spram.txt${automatic}`,
            guard,
            `techmap -map ${RAM_MAP} -map +/ice40/spram_map.v`,
            'ice40_braminit',
          ]
        : [`${pass} -run begin:map_ffram`, guard];
    return [
      ...ram,
      `${pass} -run map_ffram:blif`,
      `tee -q -o ${STATISTICS} stat -json`,
      `write_json ${NETLIST}`,
    ];
  },

  placeAndRoute: ({ fpga }, { constraints, megahertz, seed, ignoreLoops }) => ({
    tool: 'nextpnr-ice40',
    args: [
      `--${fpga.part}`,
      ...['--package', fpga.package, '--json', NETLIST, '--pcf', 'design.pcf', '--asc', PLACED],
      ...['--report', TIMING, '--freq', String(megahertz), '--timing-allow-fail', '--seed', String(seed)],
      ...(ignoreLoops ? ['--ignore-loops'] : []),
    ],
    files: { 'design.pcf': constraints },
    outputs: [PLACED, TIMING],
  }),

  pack: () => ({
    tool: 'icepack',
    args: [PLACED, BITSTREAM],
    files: {},
    outputs: [BITSTREAM],
    bitstream: BITSTREAM,
  }),

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
