import { type Design, lower } from '../graph/lower.ts';
import { type Partition, partition, placeOf } from '../graph/partition.ts';
import { joinClusters, type Unit } from '../graph/units.ts';
import type { Logic, Netlist } from '../netlist/netlist.ts';
import { ChangeMarks } from '../wasm/change-marks.ts';
import { type Layout, layOut } from '../wasm/layout.ts';
import { MachineCode } from '../wasm/machine-code.ts';
import { isStraight } from '../wasm/word-machine-code.ts';

/** What a machine is made of, for reports and tests. */
interface MachineSize {
  registers: number;
  units: number;
  nodes: number;
  codeBytes: number;
}

/** A design and where its parts are in a machine's memory: the same for the same netlist, whatever its nets are called. */
export interface LaidOut {
  /** Without the names of its nets, behind which is the whole routing: those that are needed are in the design. */
  readonly netlist: Logic;
  readonly design: Design;
  readonly parts: Partition;
  readonly units: Unit[];
  readonly layout: Layout;
}

/**
 * A netlist as it is compiled: all of a machine that no run changes. Any number of machines may stand on one plan, each with a
 * memory of its own.
 */
export interface MachinePlan extends LaidOut {
  readonly marks: ChangeMarks;
  /** Over a memory `env.memory`; see MachineCode for what it exports. */
  readonly module: WebAssembly.Module;
  readonly size: MachineSize;
  /** It can be evaluated in words. */
  readonly straight: boolean;
  /** Where inputs are, and the bits that mark what reads them: indices of 32-bit cells. */
  readonly inputs: readonly { cell: number; readers: readonly { cell: number; mask: number }[] }[];
  /** Where outputs are; a cell of -1 stands for the constant. */
  readonly outputs: readonly { cell: number; bit: number; constant: number }[];
}

/** Lays a netlist out in memory. */
export function laidOut({ nameOf, ...netlist }: Netlist): LaidOut {
  const design = lower({ ...netlist, nameOf });
  const parts = partition(design);
  const units = joinClusters(parts);
  return { netlist, design, parts, units, layout: layOut(design, parts, units) };
}

/** Compiles a netlist. */
export function compile(whole: Netlist): MachinePlan {
  const { netlist, design, parts, units, layout } = laidOut(whole);
  const marks = new ChangeMarks(design, parts, layout, units);
  const code = new MachineCode(design, parts, layout, marks, units).assemble();
  return {
    netlist,
    design,
    parts,
    units,
    layout,
    marks,
    module: new WebAssembly.Module(code),
    size: {
      registers: design.registers.length,
      units: units.length,
      nodes: design.graph.size,
      codeBytes: code.length,
    },
    straight: isStraight(design, marks),
    inputs: design.inputs.map((_, index) => ({
      cell: layout.word(index) >> 2,
      readers: marks
        .readersOf(index)
        .map(({ bank, mask }) => ({ cell: (layout.banks[bank]?.dirty ?? 0) >> 2, mask })),
    })),
    outputs: design.outputs.map(({ node }) => {
      const place = placeOf(design, parts, node);
      return place
        ? { cell: layout.word(place.word) >> 2, bit: place.bit, constant: 0 }
        : { cell: -1, bit: 0, constant: node & 1 };
    }),
  };
}
