import { assertNever } from '../../../errors/bench-error.ts';
import { OP } from '../graph/boolean-graph.ts';
import { lanesWhere } from '../graph/lane-order.ts';
import type { Design, Ram } from '../graph/lower.ts';
import { type Cluster, type Partition, placeOf } from '../graph/partition.ts';
import { DATA_MASKS, GATHER, RAM_LANES, SCATTER } from '../graph/ram-lanes.ts';
import { stored } from '../graph/ram-order.ts';
import type { Logic, Net } from '../netlist/netlist.ts';
import type { Literal, LutGraph } from '../words/lut-graph.ts';
import type { Action } from '../words/schedule.ts';
import type { Value, WordGraph } from '../words/word-graph.ts';
import { ANY, type WordPlanner } from '../words/word-planner.ts';
import type { Layout } from './layout.ts';

/** Bits in use of each word of the machine. */
export function usedBits(design: Design, partition: Partition): Int32Array {
  const bits = new Int32Array(partition.words).fill(-1);
  for (let input = 0; input < partition.inputs; input++) bits[input] = 1;
  for (const cluster of partition.clusters) {
    if (cluster.kind === 'register') bits[cluster.word] = lanesWhere(cluster.lanes, () => true);
    if (cluster.kind === 'ram-read')
      bits[cluster.word] = (1 << (16 >> (design.rams[cluster.ram]?.source.readMode ?? 0))) - 1;
  }
  return bits;
}

/** The results of an evaluation: next states of registers and ports, and outputs. */
export class WordActions {
  readonly #netlist: Logic;
  readonly #design: Design;
  readonly #partition: Partition;
  readonly #layout: Layout;
  readonly #graph: LutGraph;
  readonly #words: WordGraph;
  readonly #planner: WordPlanner;

  constructor(
    netlist: Logic,
    design: Design,
    partition: Partition,
    layout: Layout,
    graph: LutGraph,
    words: WordGraph,
    planner: WordPlanner,
  ) {
    this.#netlist = netlist;
    this.#design = design;
    this.#partition = partition;
    this.#layout = layout;
    this.#graph = graph;
    this.#words = words;
    this.#planner = planner;
  }

  /** @param changedOutputs address of the word that is not 0 where an observed logic output has changed */
  all(changedOutputs: number): Action[] {
    const actions = this.#partition.clusters.flatMap((cluster) => this.#of(cluster));
    return [...together(actions), this.#outputs(changedOutputs)];
  }

  /** The levels of derived clocks, in cells. */
  levels(cellOf: (clock: number) => number): Action[] {
    const words = this.#words;
    const stores = this.#design.clocks.map(({ net }, clock) => ({
      address: cellOf(clock),
      value: words.and(this.#planner.bit(this.#graph.literalOf(net)), words.constant(1)),
    }));
    return stores.length > 0 ? [{ condition: null, stores }] : [];
  }

  /**
   * Finds registers that must be set or reset at once, and do not have that value yet. One action for each condition,
   * with a cell that is then not 0 and otherwise stays.
   */
  overruling(cell: () => number): Action[] {
    const words = this.#words;
    const different = new Map<Value, Value>();
    for (const cluster of this.#partition.clusters) {
      if (cluster.kind !== 'register' || !cluster.control.asynchronous) continue;
      const first = this.#netlist.flipFlops[cluster.control.state];
      if (!first) continue;
      const condition = this.#holds(first.setReset);
      const used = lanesWhere(cluster.lanes, () => true);
      const bits = words.and(
        words.xor(
          words.load(cluster.word, used),
          words.constant(lanesWhere(cluster.lanes, ({ sets }) => sets)),
        ),
        words.constant(used),
      );
      different.set(condition, words.or(different.get(condition) ?? words.low, bits));
    }
    return [...different].flatMap(([condition, value]) =>
      this.#where(condition, [{ address: cell(), value }]),
    );
  }

  /** Observed outputs that are bits of registers or ports, by their words. */
  observedBits(): Map<number, number> {
    const bits = new Map<number, number>();
    for (const { node } of this.#design.outputs) {
      if (this.#design.graph.operator(node) !== OP.state) continue;
      const place = placeOf(this.#design, this.#partition, node);
      if (place) bits.set(place.word, (bits.get(place.word) ?? 0) | (1 << place.bit));
    }
    return bits;
  }

  #of(cluster: Cluster): Action[] {
    switch (cluster.kind) {
      case 'register':
        return this.#register(cluster);
      case 'ram-read':
        return this.#ramRead(cluster.word, cluster.ram, cluster.port);
      case 'ram-write':
        return this.#ramWrite(cluster.ram, cluster.port);
      case 'logic':
        return [];
      default:
        return assertNever(cluster);
    }
  }

  #literals(nets: readonly Net[]): Literal[] {
    return nets.map((net) => this.#graph.literalOf(net));
  }

  /** 0 or 1 where all nets are high. */
  #holds(...nets: Net[]): Value {
    const words = this.#words;
    return this.#literals(nets).reduce(
      (all, literal) => words.and(all, this.#planner.bit(literal)),
      words.constant(1),
    );
  }

  /** The condition of an action; `never` drops it, `always` needs none. */
  #where(condition: Value, stores: Action['stores']): Action[] {
    if (condition === this.#words.constant(0)) return [];
    return [{ condition: condition === this.#words.constant(1) ? null : condition, stores }];
  }

  #register({ word, control, lanes }: Cluster & { kind: 'register' }): Action[] {
    const words = this.#words;
    const { flipFlops } = this.#netlist;
    const first = flipFlops[control.state];
    if (!first) return [];
    const nexts = lanes.map((register) => {
      const flipFlop = register ? flipFlops[register.state] : undefined;
      return flipFlop ? this.#graph.literalOf(flipFlop.d) : ANY;
    });
    // Without waiting for the clock, `overruling` has given them the right value already.
    const value = words.select(
      this.#holds(first.setReset),
      words.constant(lanesWhere(lanes, ({ sets }) => sets)),
      this.#planner.exact(nexts),
    );
    return this.#where(this.#holds(first.enable), [{ address: this.#layout.next(word), value }]);
  }

  #ramRead(word: number, index: number, { source }: Ram): Action[] {
    const words = this.#words;
    const { readMode: mode } = source;
    const address = this.#planner.exact(this.#literals(source.readAddress.slice(0, 8)));
    let value = words.ram(index, address);
    if (mode !== 0) {
      const lane = this.#planner.exact(this.#literals(source.readAddress.slice(8, 8 + mode)));
      value = words.and(words.shrU(value, lane), words.constant(DATA_MASKS[mode]));
      for (const [distance, mask] of GATHER[mode])
        value = words.and(words.or(value, words.moved(value, distance)), words.constant(mask));
    }
    return this.#where(this.#holds(source.readEnable, source.readClockEnable), [
      { address: this.#layout.next(word), value },
    ]);
  }

  #ramWrite(index: number, { source, write }: Ram): Action[] {
    const words = this.#words;
    if (!write) return [];
    const { writeMode: mode } = source;
    const { step, offset } = RAM_LANES[mode];
    const slot = this.#layout.write(index);
    const order = this.#partition.ramOrders[index] ?? [];
    const enabled = this.#holds(source.writeEnable, source.writeClockEnable);
    const address = this.#planner.exact(this.#literals(source.writeAddress.slice(0, 8)));
    const lane = this.#planner.exact(this.#literals(source.writeAddress.slice(8, 8 + mode)));
    let data = this.#planner.exact(
      stored(this.#literals(source.writeData.filter((_, k) => k % step === offset)), order),
    );
    for (const [distance, mask] of SCATTER[mode])
      data = words.and(words.or(data, words.moved(data, -distance)), words.constant(mask));
    const masked =
      write.mask !== null ? this.#planner.exact(stored(this.#literals(source.writeMask), order)) : null;
    return [
      { condition: null, stores: [{ address: slot, value: enabled }] },
      ...this.#where(enabled, [
        { address: slot + 4, value: address },
        { address: slot + 8, value: words.shl(data, lane) },
        {
          address: slot + 12,
          value:
            masked === null
              ? words.shl(words.constant(DATA_MASKS[mode]), lane)
              : words.xor(masked, words.constant(0xffff)),
        },
      ]),
    ];
  }

  /** Logic outputs, stored where the code that follows changes also stores them. */
  #outputs(changedOutputs: number): Action {
    const words = this.#words;
    const byWord = new Map<number, { mask: number; value: Value }>();
    this.#design.outputs.forEach(({ node }, index) => {
      const net = this.#netlist.outputs[index]?.net;
      const place = this.#design.graph.operator(node) < OP.not ? undefined : this.#partition.places.get(node);
      if (!place || net === undefined) return;
      const known = byWord.get(place.word) ?? { mask: 0, value: words.low };
      const bit = words.and(this.#planner.bit(this.#graph.literalOf(net)), words.constant(1));
      byWord.set(place.word, {
        mask: known.mask | (1 << place.bit),
        value:
          known.mask & (1 << place.bit) ? known.value : words.or(known.value, words.moved(bit, -place.bit)),
      });
    });
    let changed = words.low;
    const stores: Action['stores'] = [];
    for (const [word, { mask, value }] of byWord) {
      const old = words.load(word, -1);
      changed = words.or(changed, words.and(words.xor(old, value), words.constant(mask)));
      stores.push({
        address: this.#layout.word(word),
        value: words.or(words.and(old, words.constant(~mask)), value),
      });
    }
    return { condition: null, stores: [{ address: changedOutputs, value: changed }, ...stores] };
  }
}

/**
 * Joins actions under one condition, so that values only they need share one branch. Their order is free, because none
 * stores what another reads.
 */
function together(actions: readonly Action[]): Action[] {
  const under = new Map<Value, Action>();
  const all: Action[] = [];
  for (const action of actions) {
    const { condition, stores } = action;
    const same = condition === null ? undefined : under.get(condition);
    if (same) {
      same.stores.push(...stores);
      continue;
    }
    all.push(action);
    if (condition !== null) under.set(condition, action);
  }
  return all;
}
