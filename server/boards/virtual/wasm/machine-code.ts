import type { Node } from '../graph/boolean-graph.ts';
import type { Design } from '../graph/lower.ts';
import { type Cluster, type Partition, placeOf, rootsOf } from '../graph/partition.ts';
import { assembleModule, FunctionBody, I32, type Local } from './assembler.ts';
import { Expressions } from './cluster-code.ts';
import { CELL, FAULT, type Layout } from './layout.ts';

/** Rounds of evaluation after which logic or derived clocks count as oscillating. */
export const SETTLE_ROUNDS = 1000;

/** Lane mask and offset of the data bits of block RAM ports of 16, 8, 4 and 2 bits (source: Lattice, SB_RAM40_4K). */
const LANES = [
  { mask: 0xffff, offset: 0 },
  { mask: 0x5555, offset: 0 },
  { mask: 0x1111, offset: 1 },
  { mask: 0x0101, offset: 3 },
] as const;

/** What to write into which bank's dirty word when a word or a block RAM changes. */
type Readers = { bank: number; mask: number }[];

/**
 * Translates a partitioned design into a WebAssembly module. Exports: `evaluate()` brings all logic up to date,
 * `commit()` lets the domains in `fire` take over their next state, `edges()` finds edges of derived clocks,
 * `run(cycles)` returns after that many board clocks, or earlier when an observed output changed.
 */
export class MachineCode {
  private readonly functions: FunctionBody[] = [];
  private readonly wordReaders: Readers[];
  private readonly ramReaders: Readers[];
  /** Evaluating once may not be enough: there are loops, or registers that are set or reset asynchronously. */
  readonly iterative: boolean;
  readonly clockIsRead: boolean;
  private readonly domains: Set<number>;
  /** Per word: bits that are observed outputs, and bits that combinational loops keep. */
  private readonly observed: Map<number, number>;
  private readonly looped: Map<number, number>;

  constructor(
    private readonly design: Design,
    private readonly partition: Partition,
    private readonly layout: Layout,
  ) {
    this.observed = this.bitsOf(design.outputs.map(({ node }) => node));
    this.looped = this.bitsOf(design.loops.map(({ node }) => node));
    const { clusters } = partition;
    this.wordReaders = Array.from({ length: partition.words }, () => []);
    this.ramReaders = design.rams.map(() => []);
    for (const cluster of clusters) {
      const seat = layout.seat.get(cluster) ?? { bank: 0, bit: 0 };
      for (const word of cluster.reads) addReader(this.wordReaders[word] as Readers, seat);
      if (cluster.readsRam >= 0) addReader(this.ramReaders[cluster.readsRam] as Readers, seat);
    }
    this.iterative = design.loops.length > 0 || design.registers.some(({ asynchronous }) => asynchronous);
    this.clockIsRead = (this.wordReaders[design.clockInput] as Readers).length > 0;
    this.domains = new Set(clusters.map(domainOf).filter((domain) => domain >= 0));
  }

  private bitsOf(nodes: Node[]): Map<number, number> {
    const bits = new Map<number, number>();
    for (const node of nodes) {
      const place = placeOf(this.design, this.partition, node);
      if (place) bits.set(place.word, (bits.get(place.word) ?? 0) | (1 << place.bit));
    }
    return bits;
  }

  readersOf(word: number): Readers {
    return this.wordReaders[word] ?? [];
  }

  assemble(): Uint8Array {
    const banks = this.layout.banks.map((_, bank) => this.evaluateBank(bank));
    const evaluate = this.evaluateAll(banks);
    const commits = this.layout.banks
      .map((_, bank) => this.commitBank(bank))
      .filter((index): index is number => index !== null);
    const commit = this.inOne('commit', commits);
    const edges = this.edges();
    this.run(evaluate, commit, edges);
    return assembleModule(this.functions);
  }

  private define(body: FunctionBody): number {
    this.functions.push(body);
    return this.functions.length - 1;
  }

  private inOne(name: string, calls: number[]): number {
    const body = new FunctionBody(name, 0, 0);
    for (const index of calls) body.call(index);
    return this.define(body);
  }

  private evaluateAll(banks: number[]): number {
    const body = new FunctionBody('evaluate', 0, 0);
    const pass = () =>
      banks.forEach((index, bank) => {
        body.load(this.dirty(bank));
        body.if(() => body.call(index));
      });
    if (!this.iterative) pass();
    else {
      const rounds = body.newLocal();
      body.loop(() => {
        pass();
        this.layout.banks.forEach((_, bank) => {
          body.load(this.dirty(bank));
          if (bank > 0) body.op(I32.or);
        });
        body.op(I32.eqz);
        body.branchIf(1);
        this.giveUpAfter(body, rounds, FAULT.logic, 1);
        body.branch(0);
      });
    }
    return this.define(body);
  }

  /** Counts a round; after too many, notes the fault and branches out. */
  private giveUpAfter(body: FunctionBody, rounds: Local, fault: number, depth: number): void {
    body.get(rounds);
    body.constant(1);
    body.op(I32.add);
    body.tee(rounds);
    body.constant(SETTLE_ROUNDS);
    body.op(I32.gtS);
    body.if(() => {
      body.store(CELL.fault, () => body.constant(fault));
      body.branch(depth + 1);
    });
  }

  private evaluateBank(bank: number): number {
    const body = new FunctionBody(`evaluate${bank}`, 0, 0);
    const at = this.layout.banks[bank];
    if (!at) throw new Error(`no bank ${bank}`);
    const dirty = body.newLocal();
    const pending = body.newLocal();
    body.load(at.dirty);
    body.set(dirty);
    body.store(at.dirty, () => body.constant(0));
    body.load(at.pending);
    body.set(pending);
    at.clusters.forEach((cluster, bit) => {
      body.get(dirty);
      body.constant(1 << bit);
      body.op(I32.and);
      body.if(() => body.scoped(() => this.evaluateCluster(body, cluster, bank, bit, dirty, pending)));
    });
    body.store(at.pending, () => body.get(pending));
    return this.define(body);
  }

  private evaluateCluster(
    body: FunctionBody,
    cluster: Cluster,
    bank: number,
    bit: number,
    dirty: Local,
    pending: Local,
  ): void {
    const { layout } = this;
    const roots = rootsOf(cluster);
    const code = new Expressions(this.design, this.partition, layout, body, cluster.nodes, roots);
    const changed = body.newLocal();
    const value = body.newLocal();
    const mark = (readers: Readers) => this.mark(body, readers, { bank, bit, dirty });

    if (cluster.kind === 'logic') {
      code.prepare(roots);
      code.pack(cluster.outputs);
      body.tee(value);
      body.load(layout.word(cluster.word));
      body.op(I32.xor);
      body.tee(changed);
      body.if(() => {
        body.store(layout.word(cluster.word), () => body.get(value));
        this.noteChange(body, cluster.word, () => body.get(changed));
        mark(this.wordReaders[cluster.word] as Readers);
      });
      return;
    }

    body.constant(0);
    body.set(changed);
    const notePending = () => {
      body.get(pending);
      body.constant(~(1 << bit));
      body.op(I32.and);
      body.get(changed);
      body.constant(0);
      body.op(I32.ne);
      if (bit > 0) {
        body.constant(bit);
        body.op(I32.shl);
      }
      body.op(I32.or);
      body.set(pending);
    };
    const takeOver = (word: number) => {
      body.store(layout.next(word), () => body.get(value));
      body.get(value);
      body.load(layout.word(word));
      body.op(I32.xor);
      body.set(changed);
    };
    const whenEnabled = (enable: number, then: () => void) => {
      if (enable === 0) return;
      if (enable === 1) return then();
      code.prepare([enable]);
      code.bit(enable);
      body.if(then);
    };

    switch (cluster.kind) {
      case 'register': {
        const [first] = cluster.registers;
        if (!first) return;
        const nexts = cluster.registers.map(({ next }) => next);
        const setValue = cluster.registers.reduce(
          (mask, { sets }, lane) => (sets ? mask | (1 << lane) : mask),
          0,
        );
        const compute = () => {
          code.prepare(nexts);
          code.pack(nexts);
          body.set(value);
        };
        const setOrReset = () => {
          body.constant(setValue);
          body.set(value);
        };
        const takeNext = (withSetReset: boolean) =>
          whenEnabled(first.enable, () => {
            if (withSetReset && first.setReset === 1) setOrReset();
            else if (withSetReset && first.setReset !== 0) {
              code.prepare([first.setReset]);
              code.bit(first.setReset);
              body.if(setOrReset, compute);
            } else compute();
            takeOver(cluster.word);
          });
        if (!first.asynchronous || first.setReset === 0) takeNext(!first.asynchronous);
        else {
          code.prepare([first.setReset]);
          code.bit(first.setReset);
          body.if(
            () => {
              setOrReset();
              body.get(value);
              body.load(layout.word(cluster.word));
              body.op(I32.xor);
              body.if(() => {
                body.get(value);
                body.load(layout.word(cluster.word));
                body.op(I32.xor);
                body.set(changed);
                this.noteChange(body, cluster.word, () => body.get(changed));
                body.store(layout.word(cluster.word), () => body.get(value));
                body.store(CELL.active, () => body.constant(1));
                mark(this.wordReaders[cluster.word] as Readers);
                body.constant(0);
                body.set(changed);
              });
            },
            () => takeNext(false),
          );
        }
        return notePending();
      }
      case 'ram-read': {
        const { enable, address, lane } = cluster.port.read;
        const { mask, offset } = LANES[cluster.port.source.readMode];
        whenEnabled(enable, () => {
          code.prepare([...address, ...lane]);
          code.pack(address);
          body.constant(1);
          body.op(I32.shl);
          body.load16(layout.ram(cluster.ram));
          if (lane.length > 0) {
            code.pack(lane);
            body.op(I32.shrU);
            body.constant(mask);
            body.op(I32.and);
            body.constant(offset);
            body.op(I32.shl);
          }
          body.set(value);
          takeOver(cluster.word);
        });
        return notePending();
      }
      case 'ram-write': {
        const { write } = cluster.port;
        if (!write) return;
        const { mask, offset } = LANES[cluster.port.source.writeMode];
        const slot = layout.write(cluster.ram);
        whenEnabled(write.enable, () => {
          code.prepare(roots);
          body.store(slot, () => code.pack(write.address));
          body.store(slot + 4, () => {
            code.pack(write.data);
            if (write.lane.length === 0) return;
            body.constant(offset);
            body.op(I32.shrU);
            body.constant(mask);
            body.op(I32.and);
            code.pack(write.lane);
            body.op(I32.shl);
          });
          body.store(slot + 8, () => {
            if (write.mask) {
              code.pack(write.mask);
              body.constant(0xffff);
              body.op(I32.xor);
              return;
            }
            body.constant(mask);
            if (write.lane.length === 0) return;
            code.pack(write.lane);
            body.op(I32.shl);
          });
          body.constant(1);
          body.set(changed);
        });
        return notePending();
      }
    }
  }

  /** Notes changes of observed outputs and of bits that loops keep; `changed` pushes the bits that changed. */
  private noteChange(body: FunctionBody, word: number, changed: () => void): void {
    for (const [cell, mask] of [
      [CELL.outputs, this.observed.get(word)],
      [CELL.active, this.looped.get(word)],
    ] as const) {
      if (mask === undefined) continue;
      body.store(cell, () => {
        body.load(cell);
        changed();
        body.constant(mask);
        body.op(I32.and);
        body.op(I32.or);
      });
    }
  }

  /** Marks readers dirty: those later in the bank being evaluated through its local, others in memory. */
  private mark(
    body: FunctionBody,
    readers: Readers,
    here?: { bank: number; bit: number; dirty: Local },
  ): void {
    for (const { bank, mask } of readers) {
      const later = here?.bank === bank ? mask & ~((2 << here.bit) - 1) : 0;
      if (here && later !== 0) {
        body.get(here.dirty);
        body.constant(later);
        body.op(I32.or);
        body.set(here.dirty);
      }
      const inMemory = mask & ~later;
      if (inMemory !== 0)
        body.store(this.dirty(bank), () => {
          body.load(this.dirty(bank));
          body.constant(inMemory);
          body.op(I32.or);
        });
    }
  }

  private dirty(bank: number): number {
    return this.layout.banks[bank]?.dirty ?? 0;
  }

  private commitBank(bank: number): number | null {
    const { layout } = this;
    const at = layout.banks[bank];
    if (!at) return null;
    const masks = new Map<number, number>();
    at.clusters.forEach((cluster, bit) => {
      const domain = domainOf(cluster);
      if (domain >= 0) masks.set(domain, (masks.get(domain) ?? 0) | (1 << bit));
    });
    if (masks.size === 0) return null;
    const body = new FunctionBody(`commit${bank}`, 0, 0);
    const firing = body.newLocal();
    body.load(at.pending);
    if (this.domains.size > 1) {
      let first = true;
      for (const [domain, mask] of masks) {
        body.load(layout.fire(domain));
        body.constant(mask);
        body.op(I32.and);
        if (!first) body.op(I32.or);
        first = false;
      }
      body.op(I32.and);
    }
    body.tee(firing);
    body.if(() => {
      body.store(at.pending, () => {
        body.load(at.pending);
        body.get(firing);
        body.op(I32.xor);
      });
      body.store(CELL.active, () => body.constant(1));
      at.clusters.forEach((cluster, bit) => {
        if (cluster.kind === 'logic') return;
        body.get(firing);
        body.constant(1 << bit);
        body.op(I32.and);
        body.if(() => body.scoped(() => this.commitCluster(body, cluster)));
      });
    });
    return this.define(body);
  }

  private commitCluster(body: FunctionBody, cluster: Exclude<Cluster, { kind: 'logic' }>): void {
    const { layout } = this;
    if (cluster.kind !== 'ram-write') {
      const word = layout.word(cluster.word);
      this.noteChange(body, cluster.word, () => {
        body.load(layout.next(cluster.word));
        body.load(word);
        body.op(I32.xor);
      });
      body.store(word, () => body.load(layout.next(cluster.word)));
      return this.mark(body, this.wordReaders[cluster.word] as Readers);
    }
    const slot = layout.write(cluster.ram);
    const address = body.newLocal();
    const old = body.newLocal();
    const updated = body.newLocal();
    body.load(slot);
    body.constant(1);
    body.op(I32.shl);
    body.tee(address);
    body.load16(layout.ram(cluster.ram));
    body.tee(old);
    body.get(old);
    body.load(slot + 4);
    body.op(I32.xor);
    body.load(slot + 8);
    body.op(I32.and);
    body.op(I32.xor);
    body.tee(updated);
    body.get(old);
    body.op(I32.xor);
    body.if(() => {
      body.get(address);
      body.get(updated);
      body.store16(layout.ram(cluster.ram));
      this.mark(body, this.ramReaders[cluster.ram] as Readers);
    });
  }

  /** Sets `fire` of the derived clocks that have an edge and returns whether any has. */
  private edges(): number {
    const { design, layout } = this;
    const body = new FunctionBody('edges', 0, 1);
    const any = body.newLocal();
    const level = body.newLocal();
    design.clocks.forEach(({ node, falling }, index) => {
      const code = new Expressions(design, this.partition, layout, body, [], [node]);
      code.bit(node);
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
    return this.define(body);
  }

  private run(evaluate: number, commit: number, edges: number): void {
    const { design, layout } = this;
    const body = new FunctionBody('run', 1, 1);
    const cycles = 0;
    const done = body.newLocal();
    const rounds = body.newLocal();
    const derived = design.clocks.length > 0;
    const several = this.domains.size > 1;
    const setFire = (domain: number, value: number) => {
      if (several) body.store(layout.fire(domain), () => body.constant(value));
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
        this.giveUpAfter(body, rounds, FAULT.clocks, 1);
        body.branch(0);
      });
    };
    /** One edge of the board's clock. */
    const half = (domain: 0 | 1) => {
      if (this.clockIsRead) {
        const word = layout.word(design.clockInput);
        body.store(word, () => body.constant(1 - domain));
        this.mark(body, this.wordReaders[design.clockInput] as Readers);
        body.call(evaluate);
        if (derived) {
          body.call(edges);
          body.set(rounds);
        }
      }
      if (this.domains.has(domain) || derived) {
        setFire(domain, -1);
        setFire(1 - domain, 0);
        body.call(commit);
        body.call(evaluate);
        followDerived();
      }
    };

    body.store(CELL.outputs, () => body.constant(0));
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
      if (this.clockIsRead || this.domains.has(1)) half(1);
      // Nothing has changed in a whole cycle: nothing will, until an input does.
      body.load(CELL.active);
      body.op(I32.eqz);
      body.if(() => {
        body.get(cycles);
        body.set(done);
        body.branch(2);
      });
      body.load(CELL.outputs);
      body.load(CELL.fault);
      body.op(I32.or);
      body.branchIf(1);
      body.branch(0);
    });
    body.get(done);
    this.define(body);
  }
}

/** Clock domain in which a cluster takes over its next state; -1 for logic. */
function domainOf(cluster: Cluster): number {
  switch (cluster.kind) {
    case 'logic':
      return -1;
    case 'register':
      return cluster.registers[0]?.domain ?? 0;
    case 'ram-read':
      return cluster.port.read.clockDomain;
    case 'ram-write':
      return cluster.port.write?.clockDomain ?? 0;
  }
}

function addReader(readers: Readers, { bank, bit }: { bank: number; bit: number }): void {
  const known = readers.find((reader) => reader.bank === bank);
  if (known) known.mask |= 1 << bit;
  else readers.push({ bank, mask: 1 << bit });
}
