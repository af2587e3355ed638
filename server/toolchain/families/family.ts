import type { BoardDefinition } from '../../boards/definition.ts';
import type { Utilisation } from '../../contract/jobs/utilisation.ts';
import type { TypicalDelays } from '../../symbols/estimate/typical-delays.ts';
import type { ToolRun } from '../tool-engine.ts';

/** What a part can hold: bits. Null where that is not known, or memories may be in something else as well. */
export type MemoryCapacity = { blockRam: number; flipFlops: number; part: string } | null;

/** Names of the files that the stages hand on to each other. */
export const NETLIST = 'netlist.json';
export const STATISTICS = 'statistics.json';
export const TIMING = 'timing.json';

/** Modules of the base SoC as synthesis ahead of the designs leaves them, in Yosys's own form. */
export const BASE_GATES = 'wishbench_gates.il';

/** The cells of a part as black boxes in the same form, which is read in less time than the Verilog of their models. */
export const PART_CELLS = 'wishbench_cells.il';

/** What a build adds to the synthesis pass of its family, as commands of Yosys. */
export interface SynthesisSteps {
  /** For the moment when the design is flat and nothing of it is optimised yet. */
  whenFlat?: readonly string[];
  /** For the moment when all is gates, before flip-flops and look-up tables are mapped. */
  atGates?: readonly string[];
  /** Bits of the design's adders, comparators and the like; null or absent where that is not known. */
  arithmetic?: number | null;
  /** PART_CELLS is among the files. */
  cells?: boolean;
}

/** How modules of the base SoC are synthesised once, to be joined with one design after the other. */
interface SynthesisAhead {
  /**
   * Yosys commands from the elaborated modules to BASE_GATES: each of the modules flat, as gates and block RAM, as far as
   * synthesis goes without looking at more than one of them.
   */
  synthesis(board: BoardDefinition, top: string, modules: readonly string[]): string[];
  /** Yosys commands to PART_CELLS. */
  cells(board: BoardDefinition): string[];
  /** What cells are called. Of a design's module with the name of one Yosys tells where it reads the cells' Verilog; of black boxes it takes the other one. */
  cellName: RegExp;
  /** The same modules with another build id, 16 hexadecimal digits; throws where they do not have the one of before. */
  replaceBuildId(gates: string, from: string, to: string): string;
}

/** One run of a tool, as far as the family decides it. */
interface FamilyRun {
  tool: ToolRun['tool'];
  args: string[];
  /** Files besides those of the stage before. */
  files: Record<string, string>;
  outputs: string[];
}

/** A tool packs; `bitstream` is the output that it is for. */
export type ToolPacking = FamilyRun & { by: 'tool'; bitstream: string };

/** The bench packs by itself (toolchain/pack/), and reads one output of place and route for it. */
interface BenchPacking {
  by: 'bench';
  reads: string;
}

/** nextpnr's report of what a part has and what of it is used. */
export type PartUse = Record<string, { used: number; available: number }>;

/** What place and route is told first. */
interface ToldPlacing {
  /** With what it is told. */
  netlist: Uint8Array;
  /** For the log. */
  said: string;
}

/** A program that has to be installed to build for a family. */
export interface InstalledTool {
  name: string;
  /** The package of a distribution that brings it: for the remedy where it is missing. */
  package: string;
  /** With which it tells its version; null: it does not, and its contents stand for it. */
  versionArgument: string | null;
}

/**
 * A family of FPGAs: what it is called, what its cells are, and the commands and options of its tools. The rest of a build is the
 * same for all.
 */
export interface Family {
  /** As boards, REST and queues of a farm name it. */
  readonly name: string;
  /** For people. */
  readonly title: string;
  /** Files of Yosys's libraries that describe its cells. Source: Yosys, `help synth_<family>`, label `begin`. */
  readonly libraries: readonly string[];
  /** Embedded tools that place and route for it, beside Yosys; none where `installed` has them. */
  readonly embedded: readonly string[];
  /** Programs that place, route and pack for it. */
  readonly installed: readonly InstalledTool[];
  /** Whether a .pcf beside a design can bind its ports to pins. */
  readonly followsPcf: boolean;
  /** Lines of the constraints that put one bit of a port at a pin of the package. */
  constraint(port: string, site: string, pullUp: boolean): string;
  /** Files that the synthesis script reads besides the sources. */
  readonly synthesisFiles: Readonly<Record<string, string>>;
  /**
   * Yosys commands from the elaborated modules to NETLIST and STATISTICS.
   * @param steps those at the gates only where the family has `ahead`
   */
  synthesis(board: BoardDefinition, top: string, steps?: SynthesisSteps): string[];
  /** Null for a family whose base SoC is synthesised with every design. */
  ahead: SynthesisAhead | null;
  /** The block RAM of the family: bits of one, the cells that stand for one in a netlist, and how many a part has. */
  blockRam: { bits: number; cell: RegExp; available(board: BoardDefinition): number };
  /** What memories of a design can be in; null where look-up tables hold memories as well. */
  memoryCapacity(board: BoardDefinition): MemoryCapacity;
  placeAndRoute(
    board: BoardDefinition,
    options: { constraints: string; megahertz: number; seed: number; ignoreLoops: boolean },
  ): FamilyRun;
  /**
   * What place and route is first told for the sake of the design's size; null for nothing. Absent where a family has nothing to tell.
   * @param cells of the netlist, by type
   */
  forPlacing?(
    netlist: Uint8Array,
    board: BoardDefinition,
    top: string,
    cells: Record<string, number>,
  ): ToldPlacing | null;
  /**
   * The output of place and route that is its netlist with the place of each cell, from which the design's symbols are
   * made; null for a family whose symbols nobody reads yet.
   */
  placedNetlist: string | null;
  /** The output with the delays of the routed design; null where nobody reads it. */
  delays: string | null;
  /** Reads the outputs of place and route, writes the bitstream. */
  pack(board: BoardDefinition): ToolPacking | BenchPacking;
  /** nextpnr's names of what a part has → names for people. */
  resources: Record<string, string>;
  /** What nextpnr will about say of the part, from the cells of the netlist: of resources that synthesis decides on. */
  partUse(cells: Record<string, number>, board: BoardDefinition): PartUse;
  /** What delays of the part are about; null where they are not known. */
  typicalDelays(board: BoardDefinition): TypicalDelays | null;
  /** What of the part is used, from the cells of the netlist and nextpnr's report. */
  utilisation(cells: Record<string, number>, part: PartUse): Utilisation[];
}

/**
 * A synthesis pass of Yosys from its beginning to a label, or to its end, with commands between making the design flat and that.
 * @param second the pass's second label, before which nothing is optimised
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
 * How ABC9 is used: it does not prove by itself that what it has made is the same, which takes as long as mapping and would only find
 * mistakes of ABC; and its input is written so that nets keep all their names. The writer that Yosys 0.70 prefers, an experimental
 * one, leaves a net the name of its register alone.
 */
export const ABC9_SETTINGS: readonly string[] = [
  'scratchpad -set abc9.verify 0',
  'scratchpad -set abc9.xaiger 1',
];

/** How many cells of the netlist have a type that fits. */
export const countCells = (cells: Record<string, number>, type: RegExp): number =>
  Object.entries(cells).reduce((sum, [name, count]) => (type.test(name) ? sum + count : sum), 0);

/** Rows of the report for resources of the part that are counted by nextpnr; those that no part has are left out. */
export const partRows = (part: PartUse, names: Record<string, string>): Utilisation[] =>
  Object.entries(names).flatMap(([type, resource]) => {
    const use = part[type];
    return use && use.available > 0 ? [{ resource, used: use.used, available: use.available }] : [];
  });
