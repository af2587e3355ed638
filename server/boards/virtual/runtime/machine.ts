import type { Node } from '../graph/boolean-graph.ts';
import { evaluate } from '../graph/evaluate.ts';
import { type Place, placeOf } from '../graph/partition.ts';
import { storedWord } from '../graph/ram-order.ts';
import { FabricRefusal } from '../refusal.ts';
import type { Readers } from '../wasm/change-marks.ts';
import { CELL, FAULT } from '../wasm/layout.ts';
import { EFFORT, SETTLE_ROUNDS } from '../wasm/machine-code.ts';
import { samplerCode } from '../wasm/sampler-code.ts';
import { type CompiledWords, makeWords, type Seen, WORD_CELLS, type WordsMaker } from './compiled-words.ts';
import { EngineChoice, type Evaluation } from './engine-choice.ts';
import type { MachinePlan } from './machine-plan.ts';

const PAGE = 65_536;
/**
 * Clocks that are observed for the compiled engine: so many series of so many consecutive ones, with gaps, because a
 * program does different things over time.
 */
const LOOKS = 16;
const OBSERVED_CLOCKS = 32;
const CLOCKS_BETWEEN = 1499;

/** The exports of a machine's code: see MachineCode. */
interface MachineExports {
  evaluate(): void;
  edges(): number;
  run(cycles: number): number;
}

const isMachine = (exports: WebAssembly.Exports): exports is WebAssembly.Exports & MachineExports =>
  ['evaluate', 'edges', 'run'].every((name) => typeof exports[name] === 'function');

const canRun = (exports: WebAssembly.Exports): exports is WebAssembly.Exports & Pick<MachineExports, 'run'> =>
  typeof exports['run'] === 'function';

/** Collects bits of a machine at one moment. */
export interface Sampler {
  /** Fills `words`. Call it after a run of the machine, before its inputs change. */
  sample(): void;
  /** Bit k of the sample is bit k & 31 of word k >> 5. */
  readonly words: Int32Array;
}

const isSampler = (exports: WebAssembly.Exports): exports is WebAssembly.Exports & { sample(): void } =>
  typeof exports['sample'] === 'function';

/** A running, compiled netlist: the fabric between two board clocks. */
export class Machine {
  readonly #plan: MachinePlan;
  readonly #design: MachinePlan['design'];
  readonly #layout: MachinePlan['layout'];
  readonly #parts: MachinePlan['parts'];
  readonly #marks: MachinePlan['marks'];
  readonly #memory: WebAssembly.Memory;
  readonly #words: Int32Array;
  readonly #exports: MachineExports;
  readonly #choice: EngineChoice;
  /** The engine for which the memory is up to date. */
  #evaluation: Evaluation = 'events';
  /** Remaining board clocks in which runs are not reported and the engine stays. */
  #settledFor = 0;
  #inWords: (Pick<MachineExports, 'run'> & Omit<CompiledWords, 'module' | 'tables'>) | null = null;
  /** Board clocks until the block RAMs can be read. */
  #ramsAsleep: number;

  /**
   * Brings a compiled netlist to its state after power-up: registers 0, inputs as given (1 when absent).
   * @param ramsAsleep board clocks for which block RAMs read 0, whatever their contents.
   * @param makeLater makes compiled engines, concurrently or at once
   * @throws FabricRefusal when the logic oscillates from the start.
   */
  constructor(
    plan: MachinePlan,
    initialInputs: readonly number[] = [],
    ramsAsleep = 0,
    makeLater: WordsMaker = (design, seen, done) => done(makeWords(design, seen)),
  ) {
    this.#plan = plan;
    const { design, layout, parts, marks } = plan;
    this.#design = design;
    this.#layout = layout;
    this.#parts = parts;
    this.#marks = marks;
    this.#choice = new EngineChoice(
      () => performance.now(),
      (done) => makeLater(plan, this.#lookAhead(), (words) => done(this.#takeWords(words))),
    );
    this.#ramsAsleep = design.rams.length > 0 ? ramsAsleep : 0;
    const memory = new WebAssembly.Memory({ initial: Math.ceil((layout.bytes + WORD_CELLS) / PAGE) });
    const { exports } = new WebAssembly.Instance(plan.module, { env: { memory } });
    if (!isMachine(exports)) throw new Error('The code of a machine lacks an export.');
    this.#exports = exports;
    this.#memory = memory;
    this.#words = new Int32Array(memory.buffer);
    this.#powerUp(initialInputs);
    if (!plan.straight) this.#choice.fix('events');
  }

  get size(): MachinePlan['size'] {
    return this.#plan.size;
  }

  /** Fixes the engine, where the design allows it, whatever its speed. */
  evaluateIn(evaluation: Evaluation): void {
    const possible =
      evaluation === 'events' || (this.#plan.straight && (this.#inWords !== null || this.prepareWords()));
    this.#choice.fix(possible ? evaluation : 'events');
    this.#settledFor = 0;
  }

  /** The parts of the compiled engine; null before it was compiled. */
  get words(): Omit<CompiledWords, 'module' | 'tables'> | null {
    return this.#inWords;
  }

  /** The present engine. */
  get evaluation(): Evaluation {
    return this.#evaluation;
  }

  /**
   * Compiles the design for the compiled engine, from its behaviour in the next clocks; false where that is impossible.
   * It may have been compiled before.
   */
  prepareWords(): boolean {
    return this.#takeWords(makeWords(this.#plan, this.#lookAhead()));
  }

  /** Adopts a compiled engine; false where there is none. */
  #takeWords(words: CompiledWords | null): boolean {
    if (!words) return false;
    // The memory of the old compiled engine is useless to the new one.
    if (this.#evaluation === 'words') this.#changeOver('events');
    const { module, tables, ...rest } = words;
    const { exports } = new WebAssembly.Instance(module, { env: { memory: this.#memory } });
    if (!canRun(exports)) throw new Error('The code of a machine lacks an export.');
    for (const { address, contents } of tables) this.#words.set(contents, address >> 2);
    this.#inWords = { ...rest, run: exports.run };
    this.#settledFor = 0;
    return true;
  }

  /** The memory in some future clocks, which do not count and have no effect. */
  #lookAhead(): Seen {
    if (this.#evaluation === 'words') this.#changeOver('events');
    const own = this.#words.subarray(0, this.#layout.bytes >> 2);
    const now = own.slice();
    const seen = Array.from({ length: LOOKS }, (_, look) => {
      for (let left = look > 0 ? CLOCKS_BETWEEN : 0; left > 0; ) left -= this.#exports.run(left);
      return Array.from({ length: OBSERVED_CLOCKS }, () => {
        this.#exports.run(1);
        return own.slice();
      });
    });
    own.set(now);
    return seen;
  }

  /** Updates the memory for the other engine: recomputes what only that engine stores. */
  #changeOver(to: Evaluation): void {
    this.#evaluation = to;
    this.#settledFor = 0;
    if (to === 'events') {
      for (const bank of this.#layout.banks) this.#words[bank.dirty >> 2] = -1;
      return;
    }
    this.#touch();
  }

  /** The memory was changed from outside the machine. */
  #touch(): void {
    if (this.#inWords) this.#words[this.#inWords.stale >> 2] = 1;
    this.#words[CELL.active >> 2] = 1;
  }

  #powerUp(initialInputs: readonly number[]): void {
    this.#design.rams.forEach(({ source }, ram) => {
      const bytes = new Uint16Array(this.#words.buffer, this.#layout.ram(ram), 256);
      const order = this.#parts.ramOrders[ram] ?? [];
      bytes.set(source.initial.map((word) => storedWord(word, order)));
    });
    this.#plan.inputs.forEach(({ cell }, index) => {
      this.#words[cell] = index === this.#design.clockInput ? 0 : (initialInputs[index] ?? 1);
    });
    for (const bank of this.#layout.banks) this.#words[bank.dirty >> 2] = -1;
    this.#words[CELL.ramsAwake >> 2] = this.#ramsAsleep > 0 ? 0 : -1;
    this.#exports.evaluate();
    // Derived clocks start at their power-up level: that is no edge.
    this.#exports.edges();
    for (let clock = 0; clock < this.#design.clocks.length; clock++)
      this.#words[this.#layout.fire(2 + clock) >> 2] = 0;
    this.#words[CELL.active >> 2] = 1;
    this.#checkFault();
  }

  setInput(index: number, value: number): void {
    const input = this.#plan.inputs[index];
    if (!input || this.#words[input.cell] === value) return;
    this.#words[input.cell] = value;
    for (const { cell, mask } of input.readers) this.#words[cell] = (this.#words[cell] ?? 0) | mask;
    this.#touch();
  }

  output(index: number): number {
    const output = this.#plan.outputs[index];
    if (!output) return 0;
    return output.cell < 0 ? output.constant : ((this.#words[output.cell] ?? 0) >>> output.bit) & 1;
  }

  /**
   * Runs board clocks until `cycles` are done, or an observed output has changed. Once nothing can change, the
   * remaining cycles take no time.
   * @returns the elapsed cycles.
   * @throws FabricRefusal when the design oscillates; the machine must not be used afterwards.
   */
  run(cycles: number): number {
    if (this.#ramsAsleep > 0) {
      const done = this.#exports.run(Math.min(cycles, this.#ramsAsleep));
      if (this.#words[CELL.fault >> 2] !== FAULT.none) this.#checkFault();
      this.#letRamsSleep(done);
      return done;
    }
    const done = this.#settledFor > 0 ? this.#runNow(cycles) : this.#runWatched(cycles);
    this.#settledFor -= done;
    if (this.#words[CELL.fault >> 2] !== FAULT.none) this.#checkFault();
    return done;
  }

  /** Runs with the present engine. */
  #runNow(cycles: number): number {
    if (this.#evaluation === 'events' || !this.#inWords) return this.#exports.run(cycles);
    let done = this.#inWords.run(cycles);
    if (!this.#overrule()) return done;
    if (done === 0) {
      // An input has set or reset registers before the first clock. The resulting changes are reported after it.
      done = this.#inWords.run(this.#words[CELL.outputs >> 2] === 0 ? cycles : Math.min(cycles, 1));
      if (!this.#overrule()) return done;
    }
    if (this.#words[this.#inWords.half >> 2] !== 0) {
      this.#inWords.run(0);
      this.#overrule();
    }
    return done;
  }

  /** Sets or resets registers that the compiled engine found overridden; false where there are none. */
  #overrule(): boolean {
    const cell = (this.#inWords?.overruled ?? 0) >> 2;
    if (cell === 0 || this.#words[cell] === 0) return false;
    this.#words[cell] = 0;
    const settledFor = this.#settledFor;
    const changedOutputs = this.#words[CELL.outputs >> 2] ?? 0;
    this.#changeOver('events');
    this.#exports.run(0);
    this.#changeOver('words');
    this.#settledFor = settledFor;
    this.#words[CELL.outputs >> 2] = (this.#words[CELL.outputs >> 2] ?? 0) | changedOutputs;
    return true;
  }

  /** A run that is reported to the choice of engines. */
  #runWatched(cycles: number): number {
    const { current } = this.#choice;
    if (current !== this.#evaluation) this.#changeOver(current);
    const started = this.#choice.start();
    const done = this.#runNow(cycles);
    // A resting design takes no time in any engine.
    if (!this.resting) this.#settledFor = this.#choice.finish(started, done);
    return done;
  }

  /** The places (see places.ts) on which no observed pin depends. */
  unknown(places: readonly string[]): number[] {
    return places.flatMap((place, index) => (this.#nodeAt(place) === null ? [index] : []));
  }

  /** Present values at places, from the state and the inputs, which needs no update. Unknown places read 0. */
  peek(places: readonly string[]): number[] {
    const nodes = places.map((place) => this.#nodeAt(place) ?? 0);
    return evaluate(this.#design.graph, nodes, (leaf) => {
      const place = placeOf(this.#design, this.#parts, leaf);
      return place ? ((this.#words[this.#layout.word(place.word) >> 2] ?? 0) >>> place.bit) & 1 : 0;
    });
  }

  /**
   * Compiles a sampler of these places. Unknown places read 0.
   * @throws RangeError for more than 384.
   */
  sampler(places: readonly string[]): Sampler {
    const nodes = places.map((place) => this.#nodeAt(place) ?? 0);
    // The compiled engine does not store logic where the event-driven one does: compute it from the registers.
    const kept = this.#plan.straight ? { ...this.#parts, places: new Map<Node, Place>() } : this.#parts;
    const bytes = samplerCode(this.#design, kept, this.#layout, nodes);
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes), {
      env: { memory: this.#memory },
    });
    if (!isSampler(exports)) throw new Error('The code of a sampler lacks its export.');
    const { sample } = exports;
    const words = new Int32Array(this.#memory.buffer, this.#layout.sample, Math.ceil(places.length / 32));
    return { sample, words };
  }

  #nodeAt(place: string): Node | null {
    const { graph, places } = this.#design;
    if (place === '0') return graph.low;
    if (place === '1') return graph.high;
    if (!place.startsWith('!')) return places.get(place) ?? null;
    const inverse = places.get(place.slice(1));
    return inverse === undefined ? null : graph.not(inverse);
  }

  /** Counts board clocks; after the last one in which block RAMs read 0, their contents become visible. */
  #letRamsSleep(cycles: number): void {
    this.#ramsAsleep -= cycles;
    if (this.#ramsAsleep > 0) return;
    this.#words[CELL.ramsAwake >> 2] = -1;
    for (let ram = 0; ram < this.#design.rams.length; ram++) this.#markDirty(this.#marks.readersOfRam(ram));
    this.#words[CELL.active >> 2] = 1;
  }

  #markDirty(readers: Readers): void {
    for (const { bank, mask } of readers) {
      const cell = (this.#layout.banks[bank]?.dirty ?? 0) >> 2;
      this.#words[cell] = (this.#words[cell] ?? 0) | mask;
    }
  }

  /** True when the last run returned early because the design settles slowly. */
  get laborious(): boolean {
    return (this.#words[CELL.effort >> 2] ?? 0) > EFFORT;
  }

  /** True when nothing changed in the last cycle and nothing will before an input does. */
  get resting(): boolean {
    return this.#words[CELL.active >> 2] === 0 && this.#ramsAsleep === 0;
  }

  #checkFault(): void {
    const fault = this.#words[CELL.fault >> 2] ?? 0;
    if (fault === FAULT.none) return;
    const names = fault === FAULT.clocks ? this.#design.clocks : this.#unsettledLoops();
    const list = [...new Set(names.map(({ name }) => name))];
    const shown = list.slice(0, 5).join(', ') + (list.length > 5 ? ` and ${list.length - 5} more` : '');
    const what =
      fault === FAULT.clocks ? 'Clocks that the design makes itself' : 'Loops of logic without a register';
    throw new FabricRefusal(
      'fabric_oscillation',
      `The design oscillates: ${what} did not settle in ${SETTLE_ROUNDS} rounds, through ${shown || 'set or reset of a register'}.`,
    );
  }

  /** Loops that were not settled when the machine gave up. */
  #unsettledLoops(): { name: string }[] {
    const unsettled = this.#design.loops.filter(({ node }) => {
      const place = placeOf(this.#design, this.#parts, node);
      return (
        place &&
        this.#marks
          .readersOf(place.word)
          .some(
            ({ bank, mask }) =>
              ((this.#words[(this.#layout.banks[bank]?.dirty ?? 0) >> 2] ?? 0) & mask) !== 0,
          )
      );
    });
    return unsettled.length > 0 ? unsettled : this.#design.loops;
  }
}
