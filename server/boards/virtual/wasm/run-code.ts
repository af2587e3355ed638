import type { Design } from '../graph/lower.ts';
import { FunctionBody, I32, type Local, V128 } from './assembler.ts';
import { CELL, type Layout } from './layout.ts';
import type { TakenOver } from './taken-over.ts';
import { writeRam } from './unit-code.ts';

/** Words of a vector instruction. */
const VECTOR = 4;

/** Writes the function of a word machine that runs clock after clock. */
export class RunCode {
  readonly #design: Design;
  readonly #layout: Layout;
  readonly #taken: TakenOver;
  readonly #observed: Map<number, number>;
  readonly #evaluate: (body: FunctionBody) => void;

  /**
   * @param observed bits of words that are observed outputs
   * @param evaluate evaluates the design once
   */
  constructor(
    design: Design,
    layout: Layout,
    taken: TakenOver,
    observed: Map<number, number>,
    evaluate: (body: FunctionBody) => void,
  ) {
    this.#design = design;
    this.#layout = layout;
    this.#taken = taken;
    this.#observed = observed;
    this.#evaluate = evaluate;
  }

  /**
   * @param stale cell that is not 0 when everything is to be evaluated
   * @param changedOutputs cell with changes of outputs that are logic
   * @param changed cell of the set of sources that have changed, by its index
   */
  write(stale: number, changedOutputs: number, changed: (k: number) => number): FunctionBody {
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
    };
    body.store(CELL.outputs, () => body.constant(0));
    body.store(CELL.effort, () => body.constant(0));
    body.load(stale);
    body.if(() => {
      body.store(stale, () => body.constant(0));
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

  /** Which sources will have changed with this clock; `active` is not 0 where any will. */
  #noteChanges(body: FunctionBody, active: Local, changed: (k: number) => number): void {
    const layout = this.#layout;
    const { first, words } = this.#taken;
    for (const [word, mask] of this.#observed)
      body.store(CELL.outputs, () => {
        body.load(CELL.outputs);
        this.#difference(body, word);
        body.constant(mask);
        body.op(I32.and);
        body.op(I32.or);
      });
    const written = this.#writeRams(body);
    body.constant(0);
    body.set(active);
    for (let k = 0; k < this.#taken.sets; k++) {
      const terms: { source: number; push: () => void }[] = [];
      for (let source = 32 * k; source < Math.min(32 * (k + 1), this.#taken.sources); ) {
        const at = source;
        if (source + VECTOR <= words) {
          terms.push({
            source,
            push: () => {
              body.loadVector(layout.word(first + at));
              body.loadVector(layout.next(first + at));
              body.vectorOp(V128.notEqual);
              body.vectorOp(V128.bitmask);
            },
          });
          source += VECTOR;
          continue;
        }
        const ram = written[source - words];
        if (source < words || ram !== undefined)
          terms.push({
            source,
            push: () => {
              if (ram === undefined) this.#difference(body, first + at);
              else body.get(ram);
              body.constant(0);
              body.op(I32.ne);
            },
          });
        source++;
      }
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
