import type { Design } from '../graph/lower.ts';
import { FunctionBody, I32 } from './assembler.ts';
import type { ClockUpdates } from './clock-updates.ts';
import type { EdgeCode } from './edge-code.ts';
import { CELL, FAULT, type Layout } from './layout.ts';
import { countRound, EFFORT } from './machine-code.ts';
import type { WordMemory } from './word-memory.ts';

/** The compiled engine's function that runs clock after clock, under construction. */
export class RunCode {
  readonly #design: Design;
  readonly #layout: Layout;
  readonly #edge: EdgeCode;
  readonly #own: WordMemory;
  readonly #overrules: readonly number[];
  readonly #evaluate: (body: FunctionBody) => void;
  /** Registers also change at falling edges of the board's clock. */
  readonly #falls: boolean;
  readonly #body = new FunctionBody('run', 1, 1);
  /** Clocks to run, and clocks done. */
  readonly #cycles = 0;
  readonly #done = this.#body.newLocal();
  /** Not 0 where anything changed with this edge, and in this clock. */
  readonly #moved = this.#body.newLocal();
  readonly #active = this.#body.newLocal();
  readonly #rounds = this.#body.newLocal();
  /** Not 0 when this function must return. */
  readonly #stopped = this.#body.newLocal();

  /**
   * @param own memory of the compiled engine
   * @param overrules cells that are not 0 where registers must be set or reset at once
   * @param evaluate evaluates the design once
   */
  constructor(
    design: Design,
    layout: Layout,
    taken: ClockUpdates,
    edge: EdgeCode,
    own: WordMemory,
    overrules: readonly number[],
    evaluate: (body: FunctionBody) => void,
  ) {
    this.#design = design;
    this.#layout = layout;
    this.#edge = edge;
    this.#own = own;
    this.#overrules = overrules;
    this.#evaluate = evaluate;
    this.#falls = taken.hasDomain(1);
  }

  /** To be called once. */
  write(): FunctionBody {
    const body = this.#body;
    const { stale } = this.#own;
    body.store(CELL.outputs, () => body.constant(0));
    body.store(CELL.effort, () => body.constant(0));
    body.load(stale);
    body.if(() => {
      for (const cell of [stale, ...this.#overrules]) body.store(cell, () => body.constant(0));
      this.#edge.touch(body);
      // Values prepared with other inputs are invalid: registers that are not enabled keep their state.
      this.#edge.forget(body);
      this.#evaluateAll();
      this.#followDerived();
    });
    body.get(this.#stopped);
    body.op(I32.eqz);
    body.if(() => body.loop(() => this.#clock()));
    body.get(this.#done);
    return body;
  }

  /** One clock, or the rest of it; branches to the loop around it. */
  #clock(): void {
    const body = this.#body;
    const begin = (depth: number) => {
      body.get(this.#done);
      body.get(this.#cycles);
      body.op(I32.geS);
      body.branchIf(depth);
      body.get(this.#done);
      body.constant(1);
      body.op(I32.add);
      body.set(this.#done);
      body.constant(0);
      body.set(this.#active);
      this.#half(0);
    };
    if (this.#falls) {
      const { half } = this.#own;
      body.load(half);
      body.if(
        () => {
          body.constant(1);
          body.set(this.#active);
        },
        () => {
          begin(2);
          body.get(this.#stopped);
          body.if(() => {
            body.store(half, () => body.constant(1));
            body.branch(3);
          });
        },
      );
      body.store(half, () => body.constant(0));
      this.#half(1);
    } else begin(1);
    body.store(CELL.active, () => body.get(this.#active));
    // Nothing changed in a whole cycle, so nothing will before an input does. An output may have changed with an
    // earlier input.
    body.get(this.#active);
    body.op(I32.eqz);
    body.if(() => {
      body.load(CELL.outputs);
      body.branchIf(2);
      body.get(this.#cycles);
      body.set(this.#done);
      body.branch(2);
    });
    body.get(this.#stopped);
    body.load(CELL.outputs);
    body.op(I32.or);
    body.branchIf(1);
    if (this.#isDerived) {
      body.load(CELL.effort);
      body.constant(EFFORT);
      body.op(I32.gtS);
      body.branchIf(1);
    }
    body.branch(0);
  }

  get #isDerived(): boolean {
    return this.#design.clocks.length > 0;
  }

  /** One edge of the board's clock, and its consequences. */
  #half(domain: 0 | 1): void {
    const body = this.#body;
    body.constant(0);
    body.set(this.#moved);
    this.#edge.write(body, domain, this.#moved);
    this.#evaluateMoved();
    this.#followDerived();
  }

  /** Evaluates the design where anything has changed. */
  #evaluateMoved(): void {
    const body = this.#body;
    body.get(this.#moved);
    body.if(() => {
      body.constant(1);
      body.set(this.#active);
      // A value for another edge may have been prepared earlier, under a condition that no longer holds.
      if (this.#falls || this.#isDerived) this.#edge.forget(body);
      this.#evaluateAll();
    });
  }

  #evaluateAll(): void {
    const body = this.#body;
    const { changedOutputs, overruled } = this.#own;
    this.#evaluate(body);
    body.store(CELL.outputs, () => {
      body.load(CELL.outputs);
      body.load(changedOutputs);
      body.op(I32.or);
    });
    if (this.#overrules.length === 0) return;
    this.#overrules.forEach((cell, k) => {
      body.load(cell);
      if (k > 0) body.op(I32.or);
    });
    body.if(() => {
      // They are cleared when the run continues, with everything marked for evaluation.
      body.store(overruled, () => body.constant(1));
      this.#stop();
    });
  }

  #stop(): void {
    this.#body.constant(1);
    this.#body.set(this.#stopped);
  }

  /** Edges of derived clocks, until there are no more. */
  #followDerived(): void {
    if (!this.#isDerived) return;
    const body = this.#body;
    body.constant(0);
    body.set(this.#rounds);
    body.loop(() => {
      body.get(this.#stopped);
      body.branchIf(1);
      this.#findEdges();
      body.op(I32.eqz);
      body.branchIf(1);
      this.#edge.clear(body);
      body.constant(0);
      body.set(this.#moved);
      this.#design.clocks.forEach((_, clock) => {
        const domain = 2 + clock;
        body.load(this.#layout.fire(domain));
        body.if(() => this.#edge.write(body, domain, this.#moved, true));
      });
      this.#evaluateMoved();
      countRound(body, this.#rounds, FAULT.clocks, () => this.#stop());
      body.branch(0);
    });
  }

  /** Sets `fire` of the derived clocks that have an edge, and pushes whether any has. */
  #findEdges(): void {
    const body = this.#body;
    const layout = this.#layout;
    const { levels } = this.#own;
    this.#design.clocks.forEach(({ falling }, clock) => {
      const [before, now] = [layout.level(clock), levels(clock)];
      body.store(layout.fire(2 + clock), () => {
        body.load(before);
        body.load(now);
        body.op(I32.xor);
        body.load(falling ? before : now);
        body.op(I32.and);
      });
      body.store(before, () => body.load(now));
      body.load(layout.fire(2 + clock));
      if (clock > 0) body.op(I32.or);
    });
  }
}
