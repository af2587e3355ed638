import type { Design } from '../graph/lower.ts';
import type { Partition } from '../graph/partition.ts';
import type { Unit } from '../graph/units.ts';
import { assembleModule, FunctionBody, I32, type Local } from './assembler.ts';
import { type ChangeMarks, dirtyInMemory } from './change-marks.ts';
import { Expressions } from './expressions.ts';
import { CELL, FAULT, type Layout } from './layout.ts';
import { UnitCode, writeCommit } from './unit-code.ts';

/** Rounds of evaluation after which logic or derived clocks count as oscillating. */
export const SETTLE_ROUNDS = 1000;
/** Rounds after which `run` returns early, so that a design that settles slowly does not block its thread. */
export const EFFORT = 20_000;

/** Units that are tested together first: in most clocks few of a bank are marked, and each test takes time. */
const GROUP = 4;

/** Writes the code for each unit whose bit is set. Bits of later units that are set meanwhile count. */
function forEachIn(
  body: FunctionBody,
  set: Local,
  units: readonly Unit[],
  write: (unit: Unit, bit: number) => void,
): void {
  const where = (mask: number, then: () => void) => {
    body.get(set);
    body.constant(mask);
    body.op(I32.and);
    body.if(then);
  };
  for (let from = 0; from < units.length; from += GROUP) {
    const group = units.slice(from, from + GROUP);
    const each = () => {
      for (const [k, unit] of group.entries()) where(1 << (from + k), () => write(unit, from + k));
    };
    if (group.length > 1) where(((1 << group.length) - 1) << from, each);
    else each();
  }
}

/** Counts a round of settling; after too many, records the fault and gives up. */
export function countRound(body: FunctionBody, rounds: Local, fault: number, giveUp: () => void): void {
  body.store(CELL.effort, () => {
    body.load(CELL.effort);
    body.constant(1);
    body.op(I32.add);
  });
  body.get(rounds);
  body.constant(1);
  body.op(I32.add);
  body.tee(rounds);
  body.constant(SETTLE_ROUNDS);
  body.op(I32.gtS);
  body.if(() => {
    body.store(CELL.fault, () => body.constant(fault));
    giveUp();
  });
}

/**
 * Translates a design in units into a WebAssembly module. Exports: `evaluate()` brings all logic up to date, and
 * `edges()` finds edges of derived clocks. `run(cycles)` returns after that many board clocks, or earlier when an
 * observed output has changed or settling took much work. Once nothing can change, the remaining cycles are skipped.
 */
export class MachineCode {
  readonly #functions: FunctionBody[] = [];
  /** One evaluation may not be enough: there are loops, or registers with asynchronous set or reset. */
  readonly #iterative: boolean;
  /** Logic reads the level of the board's clock. */
  readonly #clockIsRead: boolean;
  readonly #domains: Set<number>;
  /** What fires decides what is taken over; otherwise there is only the board's clock, at one of its edges. */
  readonly #choosesByFire: boolean;
  readonly #design: Design;
  readonly #partition: Partition;
  readonly #layout: Layout;
  readonly #marks: ChangeMarks;

  constructor(design: Design, partition: Partition, layout: Layout, marks: ChangeMarks, units: Unit[]) {
    this.#design = design;
    this.#partition = partition;
    this.#layout = layout;
    this.#marks = marks;
    this.#iterative = design.loops.length > 0 || design.registers.some(({ asynchronous }) => asynchronous);
    this.#clockIsRead = marks.readersOf(design.clockInput).length > 0;
    this.#domains = new Set(units.map(({ domain }) => domain).filter((domain) => domain >= 0));
    this.#choosesByFire = this.#domains.size > 1 || design.clocks.length > 0;
  }

  assemble(): Uint8Array {
    const banks = this.#layout.banks.map((_, bank) => this.#evaluateBank(bank));
    const evaluate = this.#evaluateAll(banks);
    const commit = this.#commitAll();
    const edges = this.#edges();
    this.#run(evaluate, commit, edges);
    return assembleModule(this.#functions);
  }

  #define(body: FunctionBody): number {
    this.#functions.push(body);
    return this.#functions.length - 1;
  }

  #evaluateAll(banks: number[]): number {
    const body = new FunctionBody('evaluate', 0, 0);
    const pass = () =>
      banks.forEach((index, bank) => {
        body.load(this.#marks.dirtyAddress(bank));
        body.if(() => body.call(index));
      });
    if (!this.#iterative) pass();
    else {
      const rounds = body.newLocal();
      body.loop(() => {
        pass();
        banks.forEach((_, bank) => {
          body.load(this.#marks.dirtyAddress(bank));
          if (bank > 0) body.op(I32.or);
        });
        if (banks.length === 0) body.constant(0);
        body.op(I32.eqz);
        body.branchIf(1);
        countRound(body, rounds, FAULT.logic, () => body.branch(2));
        body.branch(0);
      });
    }
    return this.#define(body);
  }

  #evaluateBank(bank: number): number {
    const design = this.#design;
    const partition = this.#partition;
    const layout = this.#layout;
    const marks = this.#marks;
    const body = new FunctionBody(`evaluate${bank}`, 0, 0);
    const at = layout.banks[bank];
    if (!at) throw new Error(`no bank ${bank}`);
    const dirty = body.newLocal();
    const pending = body.newLocal();
    body.load(at.dirty);
    body.set(dirty);
    body.store(at.dirty, () => body.constant(0));
    body.load(at.pending);
    body.set(pending);
    forEachIn(body, dirty, at.units, (unit, bit) =>
      body.scoped(() =>
        new UnitCode(design, partition, layout, marks, body, { bank, bit }, dirty).write(unit, bit, pending),
      ),
    );
    body.store(at.pending, () => body.get(pending));
    return this.#define(body);
  }

  /** One function for all banks: commits are small, and calls would cost more. */
  #commitAll(): number {
    const layout = this.#layout;
    const body = new FunctionBody('commit', 0, 0);
    const firing = body.newLocal();
    for (const bank of layout.banks) {
      const masks = new Map<number, number>();
      bank.units.forEach(({ domain }, bit) => {
        if (domain >= 0) masks.set(domain, (masks.get(domain) ?? 0) | (1 << bit));
      });
      if (masks.size === 0) continue;
      body.load(bank.pending);
      if (this.#choosesByFire) {
        [...masks].forEach(([domain, mask], index) => {
          body.load(layout.fire(domain));
          body.constant(mask);
          body.op(I32.and);
          if (index > 0) body.op(I32.or);
        });
        body.op(I32.and);
      }
      body.tee(firing);
      body.if(() => {
        body.store(bank.pending, () => {
          body.load(bank.pending);
          body.get(firing);
          body.op(I32.xor);
        });
        body.store(CELL.active, () => body.constant(1));
        forEachIn(body, firing, bank.units, (unit) => {
          if (unit.domain >= 0) writeCommit(body, unit, layout, this.#marks);
        });
      });
    }
    return this.#define(body);
  }

  /** Sets `fire` of the derived clocks that have an edge and returns whether any has. */
  #edges(): number {
    const design = this.#design;
    const layout = this.#layout;
    const body = new FunctionBody('edges', 0, 1);
    const any = body.newLocal();
    const level = body.newLocal();
    design.clocks.forEach(({ node, falling }, index) => {
      const code = new Expressions(design, this.#partition, layout, body, [], [node]);
      body.scoped(() => code.bit(node));
      body.set(level);
      body.store(layout.fire(2 + index), () => {
        body.constant(0);
        body.load(layout.level(index));
        body.get(level);
        body.op(I32.xor);
        body.get(level);
        if (falling) {
          body.constant(1);
          body.op(I32.xor);
        }
        body.op(I32.and);
        body.op(I32.sub);
      });
      body.store(layout.level(index), () => body.get(level));
      body.get(any);
      body.load(layout.fire(2 + index));
      body.op(I32.or);
      body.set(any);
    });
    body.get(any);
    return this.#define(body);
  }

  #run(evaluate: number, commit: number, edges: number): void {
    const design = this.#design;
    const layout = this.#layout;
    const body = new FunctionBody('run', 1, 1);
    const cycles = 0;
    const done = body.newLocal();
    const rounds = body.newLocal();
    const derived = design.clocks.length > 0;
    const setFire = (domain: number, value: number) => {
      if (this.#choosesByFire) body.store(layout.fire(domain), () => body.constant(value));
    };
    const followDerived = () => {
      if (!derived) return;
      body.constant(0);
      body.set(rounds);
      setFire(0, 0);
      setFire(1, 0);
      body.loop(() => {
        body.call(edges);
        body.op(I32.eqz);
        body.branchIf(1);
        body.call(commit);
        body.call(evaluate);
        countRound(body, rounds, FAULT.clocks, () => body.branch(2));
        body.branch(0);
      });
    };
    /** One edge of the board's clock. */
    const half = (domain: 0 | 1) => {
      if (this.#clockIsRead) {
        body.store(layout.word(design.clockInput), () => body.constant(1 - domain));
        const inMemory = dirtyInMemory((bank) => this.#marks.dirtyAddress(bank));
        this.#marks.mark(body, this.#marks.readersOf(design.clockInput), inMemory);
        body.call(evaluate);
        if (derived) {
          // Clocks derived from the board's clock through logic: their edges come with it, before any state changes.
          body.call(edges);
          body.set(rounds);
        }
      }
      if (!this.#domains.has(domain) && !derived) return;
      setFire(domain, -1);
      setFire(1 - domain, 0);
      body.call(commit);
      body.call(evaluate);
      followDerived();
    };

    body.store(CELL.outputs, () => body.constant(0));
    body.store(CELL.effort, () => body.constant(0));
    body.call(evaluate);
    followDerived();
    body.loop(() => {
      body.get(done);
      body.get(cycles);
      body.op(I32.geS);
      body.branchIf(1);
      body.get(done);
      body.constant(1);
      body.op(I32.add);
      body.set(done);
      body.store(CELL.active, () => body.constant(0));
      half(0);
      if (this.#clockIsRead || this.#domains.has(1)) half(1);
      // Nothing changed in a whole cycle, so nothing will before an input does. An output may have changed with an
      // earlier input.
      body.load(CELL.active);
      body.op(I32.eqz);
      body.if(() => {
        body.load(CELL.outputs);
        body.branchIf(2);
        body.get(cycles);
        body.set(done);
        body.branch(2);
      });
      body.load(CELL.outputs);
      body.load(CELL.fault);
      body.op(I32.or);
      body.branchIf(1);
      if (this.#iterative || derived) {
        body.load(CELL.effort);
        body.constant(EFFORT);
        body.op(I32.gtS);
        body.branchIf(1);
      }
      body.branch(0);
    });
    body.get(done);
    this.#define(body);
  }
}
