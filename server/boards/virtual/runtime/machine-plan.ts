import { type Design, lower } from '../graph/lower.ts';
import { type Partition, partition, placeOf } from '../graph/partition.ts';
import { joinClusters, type Unit } from '../graph/units.ts';
import type { Logic, Netlist } from '../netlist/netlist.ts';
import { ChangeMarks } from '../wasm/change-marks.ts';
import { type Layout, layOut } from '../wasm/layout.ts';
import { MachineCode } from '../wasm/machine-code.ts';
import { isStraight } from '../wasm/word-machine-code.ts';

/** The size of a machine, for reports and tests. */
interface MachineSize {
  registers: number;
  units: number;
  nodes: number;
  codeBytes: number;
}

/** A design and its layout in a machine's memory: equal for equal netlists, whatever their net names. */
export interface LaidOut {
  /** Without net names, which would keep the whole routing in memory; the design has the needed ones. */
  readonly netlist: Logic;
  readonly design: Design;
  readonly parts: Partition;
  readonly units: Unit[];
  readonly layout: Layout;
}

/**
 * A compiled netlist: everything of a machine that no run changes. Several machines can share a plan, each with its own
 * memory.
 */
export interface MachinePlan extends LaidOut {
  readonly marks: ChangeMarks;
  /** Over a memory `env.memory`; see MachineCode for its exports. */
  readonly module: WebAssembly.Module;
  readonly size: MachineSize;
  /** The compiled engine can evaluate it. */
  readonly straight: boolean;
  /** Places of inputs, and the bits that mark their readers: indices of 32-bit cells. */
  readonly inputs: readonly { cell: number; readers: readonly { cell: number; mask: number }[] }[];
  /** Places of outputs; a cell of -1 means the constant. */
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
