import type { Design } from '../graph/lower.ts';
import type { Partition } from '../graph/partition.ts';
import type { Logic } from '../netlist/netlist.ts';
import { Cases } from '../words/cases.ts';
import { LutGraph } from '../words/lut-graph.ts';
import { Regions } from '../words/regions.ts';
import { Schedule } from '../words/schedule.ts';
import { ValueSamples } from '../words/value-samples.ts';
import { isAvailable, type Value, WORD_OP, WordGraph } from '../words/word-graph.ts';
import { WordPlanner } from '../words/word-planner.ts';
import { assembleModule } from './assembler.ts';
import { CaseCode } from './case-code.ts';
import type { ChangeMarks } from './change-marks.ts';
import { ClockUpdates } from './clock-updates.ts';
import { EdgeCode } from './edge-code.ts';
import type { Layout } from './layout.ts';
import { RunCode } from './run-code.ts';
import { usedBits, WordActions } from './word-actions.ts';
import { WordMemory } from './word-memory.ts';

/** A compiled engine, which evaluates everything in every clock, in words. */
export interface WordMachine {
  code: Uint8Array;
  /** Cell to be set to 1 when the memory was changed from outside the machine. */
  stale: number;
  /** Cell that is 1 where `run` returned because registers must be set or reset at once: MachineCode does that. */
  overruled: number;
  /** Cell that is not 0 where that was in the middle of a clock: the next call of `run` continues there. */
  half: number;
  /** Operations of the general evaluation, and of all functions. */
  operations: number;
  functions: number;
  regions: number;
  /** Branches around rarely needed values. */
  branches: number;
  /** Cases that have code of their own. */
  cases: number;
  /** End of its memory. */
  bytes: number;
  /** Constants in it, from a byte address on. */
  tables: { address: number; contents: Int32Array }[];
}

/**
 * Whether a design can be evaluated in one order after each clock edge: it has no loops, and no logic on the clock's
 * level.
 */
export function isStraight(design: Design, marks: ChangeMarks): boolean {
  return marks.readersOf(design.clockInput).length === 0 && design.loops.length === 0;
}

/**
 * The code of such a machine. It exports `run(cycles)` as MachineCode does, over the same registers and block RAMs.
 * @param from begin of its own memory
 * @param seen the machine's memory in some clocks of the running design: several series of consecutive clocks
 * @throws RangeError when the logic is too entangled or too deep.
 */
export function wordMachineCode(
  netlist: Logic,
  design: Design,
  partition: Partition,
  layout: Layout,
  from: number,
  seen: readonly (readonly Int32Array[])[],
): WordMachine {
  const taken = new ClockUpdates(design, partition);
  const own = new WordMemory(from, taken.sets, design.clocks.length);
  const graph = new LutGraph(
    netlist,
    design.clocks.map(({ net }) => net),
  );
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
  const overruling = actions.overruling(own.cell);
  const order = new Schedule(words, planner, [
    ...overruling,
    ...actions.levels(own.levels),
    ...actions.all(own.changedOutputs),
  ]);
  const sourceOf = (value: Value) => {
    const index = words.operand(value, 0);
    return words.operator(value) === WORD_OP.ram ? taken.ofRam(index) : taken.ofWord(index);
  };
  const memories = seen.flat();
  const changes = taken.changesOver(layout, seen);
  const regions = new Regions(order, words, sourceOf, taken.sources, changes);
  const isKept = (value: Value) => regions.isGuarded(value) && !isAvailable(words.operator(value));
  const states = memories.map((memory) => bits.map((_, word) => memory[layout.word(word) >> 2] ?? 0));
  const stateBits = (word: number) => (taken.isWord(word) ? (bits[word] ?? 0) : 0);
  const cases = new Cases(order, words, states, stateBits, isKept);
  regions.extend(cases.needs());
  const observed = new ValueSamples(order, words, memories, layout);
  const code = new CaseCode({ order, words, regions, observed, isKept }, cases, layout, own, memories);
  const { functions, general } = code;
  const watched = taken.watched(regions.guards, changes);
  const overrules = overruling.flatMap(({ stores }) => stores.map(({ address }) => address));
  const edge = new EdgeCode(design, layout, taken, actions.observedBits(), watched, own.changed);
  const run = new RunCode(design, layout, taken, edge, own, overrules, (body) => code.write(body));
  return {
    code: assembleModule([...functions, run.write()]),
    stale: own.stale,
    overruled: own.overruled,
    half: own.half,
    operations: general.functions.reduce((sum, { operations }) => sum + operations, 0),
    functions: functions.length + 1,
    regions: regions.guards.length,
    branches: general.branches,
    cases: code.ways.length,
    bytes: own.end,
    tables: own.tables,
  };
}
