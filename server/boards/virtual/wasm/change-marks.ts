import type { Node } from '../graph/boolean-graph.ts';
import type { Design } from '../graph/lower.ts';
import { type Partition, placeOf } from '../graph/partition.ts';
import type { Unit } from '../graph/units.ts';
import { type FunctionBody, I32, type Local } from './assembler.ts';
import { CELL, type Layout, type UnitBit } from './layout.ts';

/** Units that read something: a mask of bits for each of their banks. */
export type Readers = { bank: number; mask: number }[];

/** Up to this many banks are marked without a branch. */
const BRANCHLESS = 3;

/** Finds the readers of a word or a block RAM, and writes the code that marks them when it changes. */
export class ChangeMarks {
  readonly #wordReaders: Readers[];
  readonly #ramReaders: Readers[];
  /** Per word: bits that are observed outputs, and bits of combinational loops. */
  readonly #observed: Map<number, number>;
  readonly #looped: Map<number, number>;
  readonly #layout: Layout;

  constructor(design: Design, partition: Partition, layout: Layout, units: Unit[]) {
    this.#layout = layout;
    this.#wordReaders = Array.from({ length: partition.words }, () => []);
    this.#ramReaders = design.rams.map(() => []);
    for (const unit of units)
      for (const cluster of unit.clusters) {
        const bit = layout.unitBits.get(unit);
        if (!bit) throw new Error('a unit has no place in the layout');
        for (const word of cluster.reads) addReader(this.#wordReaders[word], bit);
        if (cluster.readsRam >= 0) addReader(this.#ramReaders[cluster.readsRam], bit);
      }
    const bitsOf = (nodes: Node[]) => {
      const bits = new Map<number, number>();
      for (const node of nodes) {
        const place = placeOf(design, partition, node);
        if (place) bits.set(place.word, (bits.get(place.word) ?? 0) | (1 << place.bit));
      }
      return bits;
    };
    this.#observed = bitsOf(design.outputs.map(({ node }) => node));
    this.#looped = bitsOf(design.loops.map(({ node }) => node));
  }

  readersOf(word: number): Readers {
    return this.#wordReaders[word] ?? [];
  }

  readersOfRam(ram: number): Readers {
    return this.#ramReaders[ram] ?? [];
  }

  /** Records changes of observed outputs and of loop bits. `changed` holds the changed bits. */
  recordChange(body: FunctionBody, word: number, changed: Local): void {
    for (const [cell, mask] of [
      [CELL.outputs, this.#observed.get(word)],
      [CELL.active, this.#looped.get(word)],
    ] as const) {
      if (mask === undefined) continue;
      body.store(cell, () => {
        body.load(cell);
        body.get(changed);
        body.constant(mask);
        body.op(I32.and);
        body.op(I32.or);
      });
    }
  }

  /** Marks `readers` dirty if `changed` is not 0. */
  markIf(body: FunctionBody, readers: Readers, changed: Local, dirty: DirtyWords): void {
    if (readers.length === 0) return;
    if (readers.length > BRANCHLESS) {
      body.get(changed);
      body.if(() => this.mark(body, readers, dirty));
      return;
    }
    for (const reader of readers)
      dirty.or(body, reader, (mask) => {
        body.constant(mask);
        body.constant(0);
        body.get(changed);
        body.select();
      });
  }

  mark(body: FunctionBody, readers: Readers, dirty: DirtyWords): void {
    for (const reader of readers) dirty.or(body, reader, (mask) => body.constant(mask));
  }

  dirtyAddress(bank: number): number {
    return this.#layout.banks[bank]?.dirty ?? 0;
  }
}

function addReader(readers: Readers | undefined, { bank, bit }: UnitBit): void {
  if (!readers) throw new Error('a unit reads what the machine does not have');
  const known = readers.find((reader) => reader.bank === bank);
  if (known) known.mask |= 1 << bit;
  else readers.push({ bank, mask: 1 << bit });
}

/** How a function writes the banks' dirty words. */
export interface DirtyWords {
  /** Ors what `bits` pushes for a mask into the dirty word of a bank. */
  or(body: FunctionBody, reader: { bank: number; mask: number }, bits: (mask: number) => void): void;
}

/** Dirty words in memory. */
export const dirtyInMemory = (addressOf: (bank: number) => number): DirtyWords => ({
  or(body, { bank, mask }, bits) {
    body.store(addressOf(bank), () => {
      body.load(addressOf(bank));
      bits(mask);
      body.op(I32.or);
    });
  },
});

/**
 * Dirty words during the evaluation of a bank: later units are marked in a local, and so evaluated in the same pass.
 */
export const dirtyFrom = (here: UnitBit, dirty: Local, elsewhere: DirtyWords): DirtyWords => ({
  or(body, { bank, mask }, bits) {
    const later = bank === here.bank ? mask & ~((2 << here.bit) - 1) : 0;
    if (later !== 0) {
      body.get(dirty);
      bits(later);
      body.op(I32.or);
      body.set(dirty);
    }
    const rest = mask & ~later;
    if (rest !== 0) elsewhere.or(body, { bank, mask: rest }, bits);
  },
});
