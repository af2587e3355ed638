import { assertNever } from '../../../errors/bench-error.ts';
import type { Node } from '../graph/boolean-graph.ts';
import { type Lanes, lanesWhere } from '../graph/lane-order.ts';
import type { Design, RamPort, Register } from '../graph/lower.ts';
import { type Cluster, nextsOf, type Partition, rootsOf } from '../graph/partition.ts';
import { DATA_MASKS, GATHER, SCATTER } from '../graph/ram-lanes.ts';
import { stored } from '../graph/ram-order.ts';
import type { Unit } from '../graph/units.ts';
import type { RamMode } from '../netlist/netlist.ts';
import { type FunctionBody, I32, type Local } from './assembler.ts';
import { type ChangeMarks, type DirtyWords, dirtyFrom, dirtyInMemory } from './change-marks.ts';
import { Expressions } from './expressions.ts';
import { CELL, type Layout, type UnitBit } from './layout.ts';

/** Minimum nodes under a condition that are worth a branch. */
const WORTH_A_BRANCH = 12;
/** Addresses that a unit shares among its block RAMs. */
const SHARED_PACKS = 4;

/** Writes the code that evaluates one unit: logic into its words, registers and ports into their prepared values. */
export class UnitCode {
  readonly #dirty: DirtyWords;
  readonly #inMemory: DirtyWords;
  /** Not 0 when there is a change to commit. */
  readonly #takes: Local;
  /** Addresses that this unit has packed, and locals for more. */
  readonly #packed = new Map<string, Local>();
  readonly #shared: Local[];
  readonly #design: Design;
  readonly #partition: Partition;
  readonly #layout: Layout;
  readonly #marks: ChangeMarks;
  readonly #body: FunctionBody;

  constructor(
    design: Design,
    partition: Partition,
    layout: Layout,
    marks: ChangeMarks,
    body: FunctionBody,
    unitBit: UnitBit,
    dirty: Local,
  ) {
    this.#design = design;
    this.#partition = partition;
    this.#layout = layout;
    this.#marks = marks;
    this.#body = body;
    this.#inMemory = dirtyInMemory((bank) => marks.dirtyAddress(bank));
    this.#dirty = dirtyFrom(unitBit, dirty, this.#inMemory);
    this.#takes = body.newLocal();
    this.#shared = Array.from({ length: SHARED_PACKS }, () => body.newLocal());
  }

  /** @param pending local with the bank's pending bits. */
  write(unit: Unit, bit: number, pending: Local): void {
    const body = this.#body;
    if (unit.domain < 0) {
      for (const cluster of unit.clusters) body.scoped(() => this.#cluster(cluster));
      return;
    }
    body.constant(0);
    body.set(this.#takes);
    for (const cluster of unit.clusters) body.scoped(() => this.#cluster(cluster));
    body.get(pending);
    body.constant(~(1 << bit));
    body.op(I32.and);
    body.constant(1 << bit);
    body.constant(0);
    body.get(this.#takes);
    body.select();
    body.op(I32.or);
    body.set(pending);
  }

  #cluster(cluster: Cluster): void {
    const body = this.#body;
    const layout = this.#layout;
    const roots = rootsOf(cluster);
    const code = new Expressions(this.#design, this.#partition, layout, body, cluster.nodes, roots);
    switch (cluster.kind) {
      case 'logic': {
        const changed = body.newLocal();
        const value = body.newLocal();
        code.pack(cluster.outputs);
        body.tee(value);
        body.load(layout.word(cluster.word));
        body.op(I32.xor);
        body.set(changed);
        body.store(layout.word(cluster.word), () => body.get(value));
        this.#marks.recordChange(body, cluster.word, changed);
        this.#marks.markIf(body, this.#marks.readersOf(cluster.word), changed, this.#dirty);
        return;
      }
      case 'register':
        this.#register(code, cluster.word, cluster.control, cluster.lanes, cluster.nodes.length);
        return;
      case 'ram-read':
        this.#ramRead(code, cluster.word, cluster.ram, cluster.port.read, cluster.port.source.readMode);
        return;
      case 'ram-write':
        if (cluster.port.write)
          this.#ramWrite(
            code,
            cluster.ram,
            cluster.port.write,
            cluster.port.source.writeMode,
            cluster.nodes.length,
          );
        return;
      default:
        assertNever(cluster);
    }
  }

  /** Sets `value` to what `then` pushes where `enable` holds, and leaves it elsewhere. */
  #whereEnabled(code: Expressions, enable: Node, value: Local, cost: number, then: () => void): void {
    const body = this.#body;
    if (enable === 0) return;
    if (enable === 1) {
      then();
      body.set(value);
      return;
    }
    code.prepare([enable]);
    if (cost >= WORTH_A_BRANCH) {
      code.bit(enable);
      body.if(() => {
        then();
        body.set(value);
      });
      return;
    }
    then();
    body.get(value);
    code.bit(enable);
    body.select();
    body.set(value);
  }

  #register(code: Expressions, word: number, first: Register, lanes: Lanes, nodes: number): void {
    const body = this.#body;
    const layout = this.#layout;
    const nexts = nextsOf(lanes);
    const setTo = lanesWhere(lanes, ({ sets }) => sets);
    const current = body.newLocal();
    const value = body.newLocal();
    body.load(layout.word(word));
    body.tee(current);
    body.set(value);
    // Before anything under a condition: values computed there are undefined elsewhere.
    const overruled = first.asynchronous && first.setReset !== 0 ? body.newLocal() : null;
    if (overruled !== null) {
      code.prepare([first.setReset]);
      code.bit(first.setReset);
      body.set(overruled);
    }
    this.#whereEnabled(code, first.enable, value, nodes, () => {
      if (first.asynchronous || first.setReset === 0) {
        code.pack(nexts);
      } else if (first.setReset === 1) body.constant(setTo);
      else {
        code.prepare([first.setReset]);
        body.constant(setTo);
        code.pack(nexts);
        code.bit(first.setReset);
        body.select();
      }
    });
    if (overruled !== null) this.#overrule(word, overruled, setTo, current, value);
    this.#takeOver(word, value, current);
  }

  /** An asynchronous set or reset: while it holds, it determines the registers, whatever the clock does. */
  #overrule(word: number, when: Local, setTo: number, current: Local, value: Local): void {
    const body = this.#body;
    const layout = this.#layout;
    body.get(when);
    body.if(() => {
      const changed = body.newLocal();
      body.constant(setTo);
      body.tee(value);
      body.get(current);
      body.op(I32.xor);
      body.set(changed);
      body.get(changed);
      body.if(() => {
        this.#marks.recordChange(body, word, changed);
        body.store(layout.word(word), () => body.get(value));
        body.store(CELL.active, () => body.constant(1));
        this.#marks.mark(body, this.#marks.readersOf(word), this.#dirty);
      });
      body.get(value);
      body.set(current);
    });
  }

  #ramRead(code: Expressions, word: number, ram: number, port: RamPort, mode: RamMode): void {
    const body = this.#body;
    const layout = this.#layout;
    const current = body.newLocal();
    const value = body.newLocal();
    body.load(layout.word(word));
    body.tee(current);
    body.set(value);
    this.#whereEnabled(code, port.enable, value, 0, () => {
      this.#packOnce(code, port.address);
      body.constant(1);
      body.op(I32.shl);
      body.load16(layout.ram(ram));
      body.load(CELL.ramsAwake);
      body.op(I32.and);
      if (mode === 0) return;
      this.#packOnce(code, port.lane);
      body.op(I32.shrU);
      body.constant(DATA_MASKS[mode]);
      body.op(I32.and);
      this.#steps(GATHER[mode], I32.shrU);
    });
    this.#takeOver(word, value, current);
  }

  #steps(steps: readonly (readonly [shift: number, mask: number])[], shift: number): void {
    const body = this.#body;
    for (const [distance, mask] of steps) {
      const before = body.newLocal();
      body.tee(before);
      body.get(before);
      body.constant(distance);
      body.op(shift);
      body.op(I32.or);
      body.constant(mask);
      body.op(I32.and);
    }
  }

  /** Packs shared inputs of a unit's ports once. Only for unconditional code. */
  #packOnce(code: Expressions, nodes: readonly Node[]): void {
    const body = this.#body;
    const key = nodes.join();
    const known = this.#packed.get(key);
    if (known !== undefined) {
      body.get(known);
      return;
    }
    code.pack(nodes);
    const local = this.#shared.pop();
    if (local === undefined) return;
    body.tee(local);
    this.#packed.set(key, local);
  }

  #ramWrite(
    code: Expressions,
    ram: number,
    port: RamPort & { data: Node[]; mask: Node[] | null },
    mode: RamMode,
    nodes: number,
  ): void {
    const body = this.#body;
    const layout = this.#layout;
    const slot = layout.write(ram);
    const order = this.#partition.ramOrders[ram] ?? [];
    const enabled = body.newLocal();
    code.prepare([port.enable]);
    code.bit(port.enable);
    body.set(enabled);
    body.store(slot, () => body.get(enabled));
    const prepare = () => {
      body.store(slot + 4, () => code.pack(port.address));
      body.store(slot + 8, () => {
        code.pack(stored(port.data, order));
        if (mode === 0) return;
        this.#steps(SCATTER[mode], I32.shl);
        code.pack(port.lane);
        body.op(I32.shl);
      });
      body.store(slot + 12, () => {
        if (port.mask) {
          code.pack(stored(port.mask, order));
          body.constant(0xffff);
          body.op(I32.xor);
          return;
        }
        body.constant(DATA_MASKS[mode]);
        if (mode === 0) return;
        code.pack(port.lane);
        body.op(I32.shl);
      });
    };
    if (nodes >= WORTH_A_BRANCH) {
      body.get(enabled);
      body.if(prepare);
    } else prepare();
    body.get(this.#takes);
    body.get(enabled);
    body.op(I32.or);
    body.set(this.#takes);
  }

  /** Stores the prepared value of a clock, and records whether it differs from the present one. */
  #takeOver(word: number, value: Local, current: Local): void {
    const body = this.#body;
    const layout = this.#layout;
    body.store(layout.next(word), () => body.get(value));
    body.get(this.#takes);
    body.get(value);
    body.get(current);
    body.op(I32.xor);
    body.op(I32.or);
    body.set(this.#takes);
  }
}

/** Writes the code that commits the prepared values of a unit. */
export function writeCommit(body: FunctionBody, unit: Unit, layout: Layout, marks: ChangeMarks): void {
  const dirty = dirtyInMemory((bank) => marks.dirtyAddress(bank));
  for (const cluster of unit.clusters)
    body.scoped(() => {
      if (cluster.kind === 'logic') return;
      if (cluster.kind === 'ram-write') {
        const readers = marks.readersOfRam(cluster.ram);
        writeRam(body, cluster.ram, layout, (changed) => marks.markIf(body, readers, changed, dirty));
        return;
      }
      const next = body.newLocal();
      const changed = body.newLocal();
      body.load(layout.next(cluster.word));
      body.tee(next);
      body.load(layout.word(cluster.word));
      body.op(I32.xor);
      body.set(changed);
      body.store(layout.word(cluster.word), () => body.get(next));
      marks.recordChange(body, cluster.word, changed);
      marks.markIf(body, marks.readersOf(cluster.word), changed, dirty);
    });
}

/**
 * Writes the code that performs a prepared write into a block RAM.
 * @param then gets a local that is not 0 where that changes its contents
 */
export function writeRam(
  body: FunctionBody,
  ram: number,
  layout: Layout,
  then: (changed: Local) => void,
): void {
  const slot = layout.write(ram);
  body.load(slot);
  body.if(() => {
    const address = body.newLocal();
    const old = body.newLocal();
    const updated = body.newLocal();
    body.load(slot + 4);
    body.constant(1);
    body.op(I32.shl);
    body.tee(address);
    body.load16(layout.ram(ram));
    body.tee(old);
    body.get(old);
    body.load(slot + 8);
    body.op(I32.xor);
    body.load(slot + 12);
    body.op(I32.and);
    body.op(I32.xor);
    body.set(updated);
    body.get(address);
    body.get(updated);
    body.store16(layout.ram(ram));
    body.get(updated);
    body.get(old);
    body.op(I32.xor);
    body.set(updated);
    then(updated);
  });
}
