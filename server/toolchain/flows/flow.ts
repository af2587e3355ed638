import type { BoardDefinition } from '../../boards/definition.ts';
import type { Utilisation } from '../../contract/designs.ts';
import type { ToolEngine, ToolRun } from '../toolchain.ts';

/** Names of the files that the stages hand on to each other. */
export const NETLIST = 'netlist.json';
export const STATISTICS = 'statistics.json';
export const TIMING = 'timing.json';

/** One run of a tool, as far as the family decides it. */
interface FlowRun {
  tool: ToolRun['tool'];
  args: string[];
  /** Files besides those of the stage before. */
  files: Record<string, string>;
  outputs: string[];
}

/** nextpnr's report of what a part has and what of it is used. */
export type PartUse = Record<string, { used: number; available: number }>;

/**
 * How a family of FPGAs is built for: the commands and options of its tools. The rest of a build is the same
 * for all.
 */
export interface Flow {
  /** Files that the synthesis script reads besides the sources. */
  synthesisFiles(engine: ToolEngine['name']): Record<string, string>;
  /** Yosys commands from the elaborated modules to NETLIST and STATISTICS. */
  synthesis(board: BoardDefinition, top: string, engine: ToolEngine['name']): string[];
  placeAndRoute(
    board: BoardDefinition,
    options: { constraints: string; megahertz: number; seed: number; ignoreLoops: boolean },
  ): FlowRun;
  /** Reads the outputs of place and route, writes the bitstream. */
  pack(board: BoardDefinition): FlowRun & { bitstream: string };
  /** nextpnr's names of what a part has → names for people. */
  resources: Record<string, string>;
  /** What of the part is used, from the cells of the netlist and nextpnr's report. */
  utilisation(cells: Record<string, number>, part: PartUse): Utilisation[];
}

/** How many cells of the netlist have a type that fits. */
export const countCells = (cells: Record<string, number>, type: RegExp): number =>
  Object.entries(cells).reduce((sum, [name, count]) => (type.test(name) ? sum + count : sum), 0);

/** Rows of the report for resources of the part that are counted by nextpnr; those that no part has are left out. */
export const partRows = (part: PartUse, names: Record<string, string>): Utilisation[] =>
  Object.entries(names).flatMap(([type, resource]) => {
    const use = part[type];
    return use && use.available > 0 ? [{ resource, used: use.used, available: use.available }] : [];
  });
