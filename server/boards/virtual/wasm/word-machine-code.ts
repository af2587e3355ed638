import type { Design } from '../graph/lower.ts';
import type { Partition } from '../graph/partition.ts';
import type { Logic } from '../netlist/netlist.ts';
import { LutGraph } from '../words/lut-graph.ts';
import { Observed } from '../words/observed.ts';
import { Regions } from '../words/regions.ts';
import { Schedule } from '../words/schedule.ts';
import { type Value, WORD_OP, WordGraph } from '../words/word-graph.ts';
import { WordPlanner } from '../words/word-planner.ts';
import { assembleModule } from './assembler.ts';
import type { ChangeMarks } from './change-marks.ts';
import type { Layout } from './layout.ts';
import { RunCode } from './run-code.ts';
import { TakenOver } from './taken-over.ts';
import { usedBits, WordActions } from './word-actions.ts';
import { WordCode } from './word-code.ts';

/** A machine that evaluates everything in every clock, in words. */
export interface WordMachine {
  code: Uint8Array;
  /** Cell that is to be set to 1 when anything but the machine itself has changed its memory. */
  stale: number;
  /** Operations of one evaluation, and functions. */
  operations: number;
  functions: number;
  regions: number;
  /** Branches behind which is what is seldom needed. */
  branches: number;
  /** End of the memory that it uses. */
  bytes: number;
  /** Constants in it, from a byte address on. */
  tables: { address: number; contents: Int32Array }[];
}

/**
 * Whether a design can be evaluated once for every clock and nothing else: one clock edge for everything, no loops, no
 * register that an input sets or resets at once.
 */
export function isStraight(design: Design, marks: ChangeMarks): boolean {
  return (
    marks.readersOf(design.clockInput).length === 0 &&
    design.loops.length === 0 &&
    design.clocks.length === 0 &&
    design.registers.every(
      ({ domain, asynchronous, setReset }) => domain === 0 && (!asynchronous || setReset === 0),
    ) &&
    design.rams.every(({ read, write }) => read.clockDomain === 0 && (write?.clockDomain ?? 0) === 0)
  );
}

/**
 * The code of such a machine. It exports `run(cycles)` as MachineCode does, over the same registers and block RAMs.
 * @param from where memory for its own begins
 * @param memories what the machine's memory was in some clocks of the running design, one after another
 * @throws RangeError when the logic is too entangled or too deep.
 */
export function wordMachineCode(
  netlist: Logic,
  design: Design,
  partition: Partition,
  layout: Layout,
  from: number,
  memories: readonly Int32Array[],
): WordMachine {
  const stale = from;
  const changedOutputs = from + 4;
  const taken = new TakenOver(design, partition);
  const changed = from + 8;
  let bytes = changed + 4 * taken.sets;
  const graph = new LutGraph(netlist);
  const words = new WordGraph();
  const bits = usedBits(design, partition);
  const planner = new WordPlanner(
    graph,
    words,
    (source) =>
      source < design.states
        ? (partition.statePlaces[source] ?? null)
        : { word: source - design.states, bit: 0 },
    (word) => bits[word] ?? -1,
  );
  const actions = new WordActions(netlist, design, partition, layout, graph, words, planner);
  const schedule = new Schedule(words, planner, actions.all(changedOutputs));
  const sourceOf = (value: Value) => {
    const index = words.operand(value, 0);
    return words.operator(value) === WORD_OP.ram ? taken.ofRam(index) : taken.ofWord(index);
  };
  const regions = new Regions(schedule, words, sourceOf, taken.sources, taken.changesOver(layout, memories));
  const tables = new Map<number, { address: number; contents: Int32Array }>();
  const places = {
    word: layout.word,
    ram: layout.ram,
    changed: (k: number) => changed + 4 * k,
    table: (index: number) => {
      const known = tables.get(index);
      if (known) return known.address;
      const contents = words.tables[index] ?? new Int32Array();
      const address = bytes;
      tables.set(index, { address, contents });
      bytes += contents.byteLength;
      return address;
    },
    cell: () => {
      bytes += 4;
      return bytes - 4;
    },
  };
  const code = new WordCode(
    schedule,
    words,
    places,
    regions,
    new Observed(schedule, words, memories, layout),
  );
  const functions = [...code.functions];
  const run = new RunCode(design, layout, taken, actions.observedBits(), functions.length);
  functions.push(run.write(stale, changedOutputs, places.changed));
  return {
    code: assembleModule(functions),
    stale,
    operations: code.functions.reduce((sum, { operations }) => sum + operations, 0),
    functions: functions.length,
    regions: regions.guards.length,
    branches: code.branches,
    bytes,
    tables: [...tables.values()],
  };
}
