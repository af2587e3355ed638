import type { Design } from '../graph/lower.ts';
import type { SourceSet } from '../words/regions.ts';
import { type FunctionBody, I32, type Local, V128 } from './assembler.ts';
import { type ClockUpdates, isIn } from './clock-updates.ts';
import { CELL, type Layout } from './layout.ts';
import { writeRam } from './unit-code.ts';

/** Words of a vector instruction. */
const VECTOR = 4;
/** Sources of a set. */
const SET = 32;

/** Consecutive sources whose changes are found together. */
interface Difference {
  source: number;
  count: number;
  push: () => void;
}

/** Writes the code of a clock edge in the compiled engine: it commits the prepared values and records the changes. */
export class EdgeCode {
  readonly #design: Design;
  readonly #layout: Layout;
  readonly #taken: ClockUpdates;
  readonly #observed: ReadonlyMap<number, number>;
  readonly #watched: SourceSet;
  readonly #changed: (k: number) => number;

  /**
   * @param observed bits of words that are observed outputs
   * @param watched sources whose own changes matter
   * @param changed cell of the set of changed sources, by its index
   */
  constructor(
    design: Design,
    layout: Layout,
    taken: ClockUpdates,
    observed: ReadonlyMap<number, number>,
    watched: SourceSet,
    changed: (k: number) => number,
  ) {
    this.#design = design;
    this.#layout = layout;
    this.#taken = taken;
    this.#observed = observed;
    this.#watched = watched;
    this.#changed = changed;
  }

  /** Marks all sources as changed. */
  touch(body: FunctionBody): void {
    for (let k = 0; k < this.#taken.sets; k++) body.store(this.#changed(k), () => body.constant(-1));
  }

  /** Marks no source as changed. */
  clear(body: FunctionBody): void {
    for (let k = 0; k < this.#taken.sets; k++) body.store(this.#changed(k), () => body.constant(0));
  }

  /** Drops the prepared values: state stays unless they are prepared again. */
  forget(body: FunctionBody): void {
    const { first, words } = this.#taken;
    this.#copy(body, first, words, this.#layout.word, this.#layout.next);
  }

  /**
   * An edge of the clock of a domain.
   * @param moved becomes non-zero where anything changes with it
   * @param more whether changes add to earlier ones
   */
  write(body: FunctionBody, domain: number, moved: Local, more = false): void {
    this.#noteOutputs(body, domain);
    const differences = this.#differences(body, domain, this.#writeRams(body, domain));
    const isWatched = ({ source, count }: Difference) =>
      Array.from({ length: count }, (_, k) => source + k).some((one) => isIn(this.#watched, one));
    for (let k = 0; k < this.#taken.sets; k++) {
      const terms = differences.filter((one) => Math.floor(one.source / SET) === k && isWatched(one));
      // Skip sets without watched sources; values that depend only on inputs use the first set.
      if (terms.length === 0 && (more || (k > 0 && (this.#watched[k] ?? 0) === 0))) continue;
      const cell = this.#changed(k);
      body.store(cell, () => {
        body.constant(0);
        for (const { source, push } of terms) {
          push();
          if (source % SET > 0) {
            body.constant(source % SET);
            body.op(I32.shl);
          }
          body.op(I32.or);
        }
        const set = body.newLocal();
        body.tee(set);
        body.get(moved);
        body.op(I32.or);
        body.set(moved);
        if (more) body.load(cell);
        body.get(set);
        if (more) body.op(I32.or);
      });
    }
    // For the others it matters only whether anything changed.
    body.get(moved);
    body.op(I32.eqz);
    body.if(() => {
      for (const { push } of differences.filter((one) => !isWatched(one))) {
        push();
        body.get(moved);
        body.op(I32.or);
        body.set(moved);
      }
    });
    for (const { from, count } of this.#taken.wordsOf(domain))
      this.#copy(body, this.#taken.first + from, count, this.#layout.next, this.#layout.word);
  }

  #noteOutputs(body: FunctionBody, domain: number): void {
    for (const [word, mask] of this.#observed) {
      if (this.#taken.domainOf(word) !== domain) continue;
      body.store(CELL.outputs, () => {
        body.load(CELL.outputs);
        this.#difference(body, word);
        body.constant(mask);
        body.op(I32.and);
        body.op(I32.or);
      });
    }
  }

  /** Code that pushes which of some sources, one or a vector of them, will change: bit 0 for the first. */
  #differences(
    body: FunctionBody,
    domain: number,
    written: readonly { ram: number; changed: Local }[],
  ): Difference[] {
    const { first } = this.#taken;
    return [
      ...this.#taken.wordsOf(domain).flatMap(({ from, count }) => this.#inRow(body, first, from, count)),
      ...written.map(({ ram, changed }) => ({
        source: this.#taken.ofRam(ram),
        count: 1,
        push: () => {
          body.get(changed);
          body.constant(0);
          body.op(I32.ne);
        },
      })),
    ];
  }

  /** For consecutive words; no vector is in two sets. */
  #inRow(body: FunctionBody, first: number, from: number, count: number): Difference[] {
    const layout = this.#layout;
    const differences: Difference[] = [];
    for (let source = from; source < from + count; ) {
      const word = first + source;
      const isVector = source + VECTOR <= from + count && (source % SET) + VECTOR <= SET;
      differences.push(
        isVector
          ? {
              source,
              count: VECTOR,
              push: () => {
                body.loadVector(layout.word(word));
                body.loadVector(layout.next(word));
                body.vectorOp(V128.notEqual);
                body.vectorOp(V128.bitmask);
              },
            }
          : {
              source,
              count: 1,
              push: () => {
                this.#difference(body, word);
                body.constant(0);
                body.op(I32.ne);
              },
            },
      );
      source += isVector ? VECTOR : 1;
    }
    return differences;
  }

  /** Writes into block RAMs; gives a local for each that the edge may write, non-zero when its contents changed. */
  #writeRams(body: FunctionBody, domain: number): { ram: number; changed: Local }[] {
    return this.#design.rams.flatMap(({ write }, ram) => {
      if (write?.clockDomain !== domain) return [];
      const written = body.newLocal();
      body.constant(0);
      body.set(written);
      body.scoped(() =>
        writeRam(body, ram, this.#layout, (changed) => {
          body.get(changed);
          body.set(written);
        }),
      );
      return [{ ram, changed: written }];
    });
  }

  #difference(body: FunctionBody, word: number): void {
    body.load(this.#layout.next(word));
    body.load(this.#layout.word(word));
    body.op(I32.xor);
  }

  #copy(
    body: FunctionBody,
    first: number,
    count: number,
    from: (word: number) => number,
    to: (word: number) => number,
  ): void {
    for (let word = first; word < first + count; ) {
      const source = from(word);
      if (word + VECTOR <= first + count) {
        body.storeVector(to(word), () => body.loadVector(source));
        word += VECTOR;
      } else {
        body.store(to(word), () => body.load(source));
        word++;
      }
    }
  }
}
