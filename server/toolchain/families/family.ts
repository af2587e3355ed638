import type { BoardDefinition } from '../../boards/definition.ts';
import type { Utilisation } from '../../contract/jobs/utilisation.ts';
import type { TypicalDelays } from '../../symbols/estimate/typical-delays.ts';
import type { ToolRun } from '../tool-engine.ts';
import { forgetOtherRam } from './ram-hints.ts';

/** Memory of a part, bits. Null when unknown, or when look-up tables hold memories as well. */
export type MemoryCapacity = { blockRam: number; flipFlops: number; part: string } | null;

/** Names of the files that the stages exchange. */
export const NETLIST = 'netlist.json';
export const STATISTICS = 'statistics.json';
export const TIMING = 'timing.json';
/** Inverters behind flip-flops, with all names of their nets: see recordInverters. */
export const INVERTERS = 'inverters.json';

/** Base gates: modules of the base SoC after synthesis, in Yosys's form. */
export const BASE_GATES = 'wishbench_gates.il';

/** Cells of a part as black boxes in Yosys's form. Reading them is faster than reading the Verilog models. */
export const PART_CELLS = 'wishbench_cells.il';

/** Yosys commands that a build adds to its family's synthesis. */
export interface SynthesisSteps {
  /** For the flat design, before optimisation. */
  whenFlat?: readonly string[];
  /** For the gates, before flip-flops and look-up tables are mapped. */
  atGates?: readonly string[];
  /** Total width of the design's adders, comparators and the like; null or absent when unknown. */
  arithmetic?: number | null;
  /** The files include PART_CELLS. */
  cells?: boolean;
}

/** Synthesis of the base gates, which many designs then share. */
interface SynthesisAhead {
  /**
   * Yosys commands from the elaborated modules to BASE_GATES. Each module becomes flat gates and block RAM, as far as
   * synthesis can go for a single module.
   */
  synthesis(board: BoardDefinition, top: string, modules: readonly string[]): string[];
  /** Yosys commands that write PART_CELLS. */
  cells(board: BoardDefinition): string[];
  /** Pattern of cell names. Yosys reports a module with a cell's name only when it reads the cells' Verilog, not for black boxes. */
  cellName: RegExp;
  /** Replaces the build id, 16 hexadecimal digits; throws when the gates do not have the old one. */
  replaceBuildId(gates: string, from: string, to: string): string;
}

/** The family's part of a tool run. */
interface FamilyRun {
  tool: ToolRun['tool'];
  args: string[];
  /** Files in addition to those of the stage before. */
  files: Record<string, string>;
  outputs: string[];
}

/** A tool packs; `bitstream` is its main output. */
export type ToolPacking = FamilyRun & { by: 'tool'; bitstream: string };

/** The bench packs (toolchain/build/pack/), from one output of place and route. */
interface BenchPacking {
  by: 'bench';
  reads: string;
}

/** Used and available resources of a part, as nextpnr reports them. */
export type PartUse = Record<string, { used: number; available: number }>;

/** Netlist of the first try of place and route. */
interface PlacementHints {
  /** The netlist with placement hints. */
  netlist: Uint8Array;
  /** Line for the log. */
  note: string;
}

/** Reuse of a placed and routed design for a netlist that place and route would treat the same. */
interface PlacementReuse {
  /** The part of a netlist that decides placement and routing. */
  decisive(netlist: Uint8Array): string;
  /** The outputs for a netlist from those for another with the same decisive part; null when it cannot be done. */
  adapt(
    outputs: Readonly<Record<string, Uint8Array>>,
    netlist: Uint8Array,
  ): Record<string, Uint8Array> | null;
}

/** A program that a family needs. */
export interface InstalledTool {
  name: string;
  /** Package of a distribution, for the remedy when it is missing. */
  package: string;
  /** Option that prints its version; null: the hash of the file is its version. */
  versionArgument: string | null;
}

/** A family of FPGAs: its names, its cells, and the commands and options of its tools. Everything else is common. */
export interface Family {
  /** Name in board files, REST and a farm's queues. */
  readonly name: string;
  /** Name for users. */
  readonly title: string;
  /** Library files of Yosys with its cells. Source: Yosys, `help synth_<family>`, label `begin`. */
  readonly libraries: readonly string[];
  /** Embedded tools that place and route; empty when `installed` has them. */
  readonly embedded: readonly string[];
  /** Programs that place, route and pack. */
  readonly installed: readonly InstalledTool[];
  /** Whether a .pcf can bind ports to pins. */
  readonly followsPcf: boolean;
  /** Lines of the constraints that bind one bit of a port to a pin of the package. */
  constraint(port: string, site: string, pullUp: boolean): string;
  /** Files that the synthesis script reads in addition to the sources. */
  readonly synthesisFiles: Readonly<Record<string, string>>;
  /**
   * Yosys commands from the elaborated modules to NETLIST and STATISTICS.
   * @param steps `atGates` only for a family with `ahead`
   */
  synthesis(board: BoardDefinition, top: string, steps?: SynthesisSteps): string[];
  /** Synthesis of the base gates; null when the base SoC is synthesised with every design. */
  ahead: SynthesisAhead | null;
  /** Block RAM: bits of one, its cells in a netlist, and the number of a part. */
  blockRam: { bits: number; cell: RegExp; available(board: BoardDefinition): number };
  /** Memory of a part; null when look-up tables hold memories as well. */
  memoryCapacity(board: BoardDefinition): MemoryCapacity;
  placeAndRoute(
    board: BoardDefinition,
    options: { constraints: string; megahertz: number; seed: number; ignoreLoops: boolean },
  ): FamilyRun;
  /**
   * Placement hints for the first try, by the design's size; null for none. Absent when the family has no hints.
   * @param cells of the netlist, by type
   */
  forPlacing?(
    netlist: Uint8Array,
    board: BoardDefinition,
    top: string,
    cells: Record<string, number>,
  ): PlacementHints | null;
  /** How an earlier placement serves another netlist; absent when the family's tools do not allow it. */
  readonly reuse?: PlacementReuse;
  /** Output of place and route with the netlist and the place of each cell, for symbols; null when no reader supports it. */
  placedNetlist: string | null;
  /** Output with the delays of the routed design; null when no reader supports it. */
  delays: string | null;
  /** Packs the output of place and route. */
  pack(board: BoardDefinition): ToolPacking | BenchPacking;
  /** Names for users by nextpnr's names of resources. */
  resources: Record<string, string>;
  /** Estimated part utilisation, from the cells of the netlist, for resources that synthesis decides. */
  partUse(cells: Record<string, number>, board: BoardDefinition): PartUse;
  /** Typical delays of the part; null when unknown. */
  typicalDelays(board: BoardDefinition): TypicalDelays | null;
  /** Used resources, from the cells of the netlist and nextpnr's report. */
  utilisation(cells: Record<string, number>, part: PartUse): Utilisation[];
}

/**
 * Runs a Yosys pass from its beginning to a label, or to its end, with further commands for the flat design.
 * @param second the pass's second label; nothing is optimised before it
 */
export const passWith = (
  pass: string,
  second: string,
  end: string,
  whenFlat: readonly string[] = [],
): string[] => [
  `${pass} -run begin:${second}`,
  ...(whenFlat.length === 0 ? [] : ['proc', 'flatten', ...whenFlat]),
  `${pass} -run ${second}:${end}`,
];

/**
 * Settings of ABC9. It does not verify its result, which takes as long as mapping and finds only bugs of ABC. Its input is
 * written so that nets keep all names: the default writer of Yosys 0.70, an experimental one, keeps only the register's
 * name.
 */
export const ABC9_SETTINGS: readonly string[] = [
  'scratchpad -set abc9.verify 0',
  'scratchpad -set abc9.xaiger 1',
];

/** What a family does without whose part is placed, routed and packed by installed programs. */
export const BY_INSTALLED_TOOLS = {
  embedded: [],
  followsPcf: false,
  placedNetlist: null,
  delays: null,
  ahead: null,
  synthesisFiles: {},
  memoryCapacity: () => null,
  typicalDelays: () => null,
} satisfies Partial<Family>;

/** Synthesis by a family's own pass of Yosys. @param options of the pass after its RAM is mapped */
export const synthesisBy =
  (pass: string, options = ''): Family['synthesis'] =>
  (_board, top, { whenFlat } = {}) => [
    ...passWith(`${pass} -top ${top}`, 'coarse', 'map_ram', whenFlat),
    ...forgetOtherRam(['distributed']),
    ...ABC9_SETTINGS,
    `${pass}${options} -top ${top} -run map_ram:`,
    `tee -q -o ${STATISTICS} stat -json`,
    `write_json ${NETLIST}`,
  ];

/** Number of cells with a matching type. */
export const countCells = (cells: Record<string, number>, type: RegExp): number =>
  Object.entries(cells).reduce((sum, [name, count]) => (type.test(name) ? sum + count : sum), 0);

/** Rows for resources that nextpnr counts, without those that the part does not have. */
export const partRows = (part: PartUse, names: Record<string, string>): Utilisation[] =>
  Object.entries(names).flatMap(([type, resource]) => {
    const use = part[type];
    return use && use.available > 0 ? [{ resource, used: use.used, available: use.available }] : [];
  });
