import type { Design } from '../graph/lower.ts';
import type { SourceSet } from '../words/regions.ts';
import { FunctionBody, I32, type Local, V128 } from './assembler.ts';
import { CELL, type Layout } from './layout.ts';
import { isIn, type TakenOver } from './taken-over.ts';
import { writeRam } from './unit-code.ts';
import type { WordMemory } from './word-memory.ts';

/** Words of a vector instruction. */
const VECTOR = 4;

/** Sources in a row whose changes are found together. */
interface Difference {
  source: number;
  count: number;
  push: () => void;
}

/** Writes the function of a word machine that runs clock after clock. */
export class RunCode {
  readonly #design: Design;
  readonly #layout: Layout;
  readonly #taken: TakenOver;
  readonly #observed: Map<number, number>;
  readonly #watched: SourceSet;
  readonly #overrules: readonly number[];
  readonly #evaluate: (body: FunctionBody) => void;

  /**
   * @param observed bits of words that are observed outputs
   * @param watched sources of which it matters by itself whether they have changed
   * @param overrules cells that are not 0 where registers are to be set or reset at once
   * @param evaluate evaluates the design once
   */
  constructor(
    design: Design,
    layout: Layout,
    taken: TakenOver,
    observed: Map<number, number>,
    watched: SourceSet,
    overrules: readonly number[],
    evaluate: (body: FunctionBody) => void,
  ) {
    this.#design = design;
    this.#layout = layout;
    this.#taken = taken;
    this.#observed = observed;
    this.#watched = watched;
    this.#overrules = overrules;
    this.#evaluate = evaluate;
  }

  /** @param own memory that the evaluation has for its own */
  write({ stale, changedOutputs, overruled, changed }: WordMemory): FunctionBody {
    const body = new FunctionBody('run', 1, 1);
    const cycles = 0;
    const done = body.newLocal();
    const active = body.newLocal();
    const evaluate = () => {
      this.#evaluate(body);
      body.store(CELL.outputs, () => {
        body.load(CELL.outputs);
        body.load(changedOutputs);
        body.op(I32.or);
      });
      this.#whereOverruled(body, () => {
        body.store(overruled, () => body.constant(1));
        body.get(done);
        body.set(cycles);
      });
    };
    body.store(CELL.outputs, () => body.constant(0));
    body.store(CELL.effort, () => body.constant(0));
    body.load(stale);
    body.if(() => {
      for (const cell of [stale, ...this.#overrules]) body.store(cell, () => body.constant(0));
      for (let k = 0; k < this.#taken.sets; k++) body.store(changed(k), () => body.constant(-1));
      // What was prepared with other inputs counts no more: registers that are not enabled stay what they are.
      this.#copy(body, this.#layout.word, this.#layout.next);
      evaluate();
    });
    body.loop(() => {
      body.get(done);
      body.get(cycles);
      body.op(I32.geS);
      body.branchIf(1);
      body.get(done);
      body.constant(1);
      body.op(I32.add);
      body.set(done);
      this.#noteChanges(body, active, changed);
      this.#copy(body, this.#layout.next, this.#layout.word);
      body.store(CELL.active, () => body.get(active));
      // Nothing has changed in a whole cycle: nothing will, until an input does. An output may have changed with the input before.
      body.get(active);
      body.op(I32.eqz);
      body.if(() => {
        body.load(CELL.outputs);
        body.branchIf(2);
        body.get(cycles);
        body.set(done);
        body.branch(2);
      });
      evaluate();
      body.load(CELL.outputs);
      body.branchIf(1);
      body.branch(0);
    });
    body.get(done);
    return body;
  }

  #whereOverruled(body: FunctionBody, then: () => void): void {
    if (this.#overrules.length === 0) return;
    this.#overrules.forEach((cell, k) => {
      body.load(cell);
      if (k > 0) body.op(I32.or);
    });
    body.if(() => {
      for (const cell of this.#overrules) body.store(cell, () => body.constant(0));
      then();
    });
  }

  /** Which sources will have changed with this clock; `active` is not 0 where any will. */
  #noteChanges(body: FunctionBody, active: Local, changed: (k: number) => number): void {
    for (const [word, mask] of this.#observed)
      body.store(CELL.outputs, () => {
        body.load(CELL.outputs);
        this.#difference(body, word);
        body.constant(mask);
        body.op(I32.and);
        body.op(I32.or);
      });
    const written = this.#writeRams(body);
    const differences = this.#differences(body, written);
    const isWatched = ({ source, count }: Difference) =>
      Array.from({ length: count }, (_, k) => source + k).some((one) => isIn(this.#watched, one));
    body.constant(0);
    body.set(active);
    for (let k = 0; k < this.#taken.sets; k++) {
      const terms = differences.filter((one) => one.source >> 5 === k && isWatched(one));
      // What depends on nothing but inputs goes by the first set.
      if (terms.length === 0 && k > 0) continue;
      body.store(changed(k), () => {
        body.constant(0);
        for (const { source, push } of terms) {
          push();
          if ((source & 31) > 0) {
            body.constant(source & 31);
            body.op(I32.shl);
          }
          body.op(I32.or);
        }
        const set = body.newLocal();
        body.tee(set);
        body.get(active);
        body.op(I32.or);
        body.set(active);
        body.get(set);
      });
    }
    // Of the others it matters only whether anything has changed at all.
    body.get(active);
    body.op(I32.eqz);
    body.if(() => {
      for (const { push } of differences.filter((one) => !isWatched(one))) {
        push();
        body.get(active);
        body.op(I32.or);
        body.set(active);
      }
    });
  }

  /** What pushes which of some sources, one or a vector of them, will have changed: bit 0 for the first. */
  #differences(body: FunctionBody, written: readonly (Local | undefined)[]): Difference[] {
    const layout = this.#layout;
    const { first, words, sources } = this.#taken;
    const differences: Difference[] = [];
    let source = 0;
    for (; source + VECTOR <= words; source += VECTOR) {
      const word = first + source;
      differences.push({
        source,
        count: VECTOR,
        push: () => {
          body.loadVector(layout.word(word));
          body.loadVector(layout.next(word));
          body.vectorOp(V128.notEqual);
          body.vectorOp(V128.bitmask);
        },
      });
    }
    for (; source < sources; source++) {
      const word = first + source;
      const ram = written[source - words];
      if (source < words) differences.push({ source, count: 1, push: () => this.#isDifferent(body, word) });
      else if (ram !== undefined)
        differences.push({
          source,
          count: 1,
          push: () => {
            body.get(ram);
            body.constant(0);
            body.op(I32.ne);
          },
        });
    }
    return differences;
  }

  /** Writes into the block RAMs; for each that is ever written a local that is not 0 when its contents have changed. */
  #writeRams(body: FunctionBody): (Local | undefined)[] {
    return this.#design.rams.map(({ write }, ram) => {
      if (!write) return undefined;
      const written = body.newLocal();
      body.constant(0);
      body.set(written);
      body.scoped(() =>
        writeRam(body, ram, this.#layout, (changed) => {
          body.get(changed);
          body.set(written);
        }),
      );
      return written;
    });
  }

  #isDifferent(body: FunctionBody, word: number): void {
    this.#difference(body, word);
    body.constant(0);
    body.op(I32.ne);
  }

  #difference(body: FunctionBody, word: number): void {
    body.load(this.#layout.next(word));
    body.load(this.#layout.word(word));
    body.op(I32.xor);
  }

  #copy(body: FunctionBody, from: (word: number) => number, to: (word: number) => number): void {
    const { first, words } = this.#taken;
    for (let word = first; word < first + words; )
      if (word + VECTOR <= first + words) {
        const source = from(word);
        body.storeVector(to(word), () => body.loadVector(source));
        word += VECTOR;
      } else {
        const source = from(word);
        body.store(to(word), () => body.load(source));
        word++;
      }
  }
}
