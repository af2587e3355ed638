import { type Design, lower } from '../graph/lower.ts';
import { type Partition, partition, placeOf } from '../graph/partition.ts';
import { joinClusters } from '../graph/units.ts';
import type { Netlist } from '../netlist/netlist.ts';
import { FabricRefusal } from '../refusal.ts';
import { ChangeMarks } from '../wasm/change-marks.ts';
import { CELL, FAULT, type Layout, layOut } from '../wasm/layout.ts';
import { EFFORT, MachineCode, SETTLE_ROUNDS } from '../wasm/machine-code.ts';

const PAGE = 65_536;

/** What the code of a machine exports: see MachineCode. */
interface MachineExports {
  evaluate(): void;
  edges(): number;
  run(cycles: number): number;
}

const isMachine = (exports: WebAssembly.Exports): exports is WebAssembly.Exports & MachineExports =>
  ['evaluate', 'edges', 'run'].every((name) => typeof exports[name] === 'function');

/** What a machine is made of, for reports and tests. */
interface MachineSize {
  registers: number;
  units: number;
  nodes: number;
  codeBytes: number;
}

/** A netlist, compiled and running: the fabric between two board clocks. */
export class Machine {
  readonly size: MachineSize;
  readonly #design: Design;
  readonly #layout: Layout;
  readonly #parts: Partition;
  readonly #words: Int32Array;
  readonly #exports: MachineExports;
  readonly #inputs: { cell: number; readers: { cell: number; mask: number }[] }[];
  readonly #outputs: { cell: number; bit: number; constant: number }[];
  readonly #marks: ChangeMarks;

  /**
   * Compiles a netlist and brings it to its state after power-up: registers 0, inputs as given (1 when absent).
   * @throws FabricRefusal when the logic oscillates from the start.
   */
  constructor(netlist: Netlist, initialInputs: readonly number[] = []) {
    this.#design = lower(netlist);
    this.#parts = partition(this.#design);
    const units = joinClusters(this.#parts);
    this.#layout = layOut(this.#design, this.#parts, units);
    this.#marks = new ChangeMarks(this.#design, this.#parts, this.#layout, units);
    const bytes = new MachineCode(this.#design, this.#parts, this.#layout, this.#marks, units).assemble();
    const memory = new WebAssembly.Memory({ initial: Math.ceil(this.#layout.bytes / PAGE) });
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes), {
      env: { memory },
    });
    if (!isMachine(exports)) throw new Error('The code of a machine lacks an export.');
    this.#exports = exports;
    this.#words = new Int32Array(memory.buffer);
    this.size = {
      registers: this.#design.registers.length,
      units: units.length,
      nodes: this.#design.graph.size,
      codeBytes: bytes.length,
    };
    this.#inputs = this.#design.inputs.map((_, index) => ({
      cell: this.#layout.word(index) >> 2,
      readers: this.#marks
        .readersOf(index)
        .map(({ bank, mask }) => ({ cell: (this.#layout.banks[bank]?.dirty ?? 0) >> 2, mask })),
    }));
    this.#outputs = this.#design.outputs.map(({ node }) => {
      const place = placeOf(this.#design, this.#parts, node);
      return place
        ? { cell: this.#layout.word(place.word) >> 2, bit: place.bit, constant: 0 }
        : { cell: -1, bit: 0, constant: node & 1 };
    });
    this.#powerUp(initialInputs);
  }

  #powerUp(initialInputs: readonly number[]): void {
    this.#design.rams.forEach(({ source }, ram) => {
      const bytes = new Uint16Array(this.#words.buffer, this.#layout.ram(ram), 256);
      bytes.set(source.initial);
    });
    this.#inputs.forEach(({ cell }, index) => {
      this.#words[cell] = index === this.#design.clockInput ? 0 : (initialInputs[index] ?? 1);
    });
    for (const bank of this.#layout.banks) this.#words[bank.dirty >> 2] = -1;
    this.#exports.evaluate();
    // The level of derived clocks at power-up is where they start from, not an edge.
    this.#exports.edges();
    this.#layout.fire(0);
    for (let clock = 0; clock < this.#design.clocks.length; clock++)
      this.#words[this.#layout.fire(2 + clock) >> 2] = 0;
    this.#words[CELL.active >> 2] = 1;
    this.#checkFault();
  }

  setInput(index: number, value: number): void {
    const input = this.#inputs[index];
    if (!input || this.#words[input.cell] === value) return;
    this.#words[input.cell] = value;
    for (const { cell, mask } of input.readers) this.#words[cell] = (this.#words[cell] ?? 0) | mask;
    this.#words[CELL.active >> 2] = 1;
  }

  output(index: number): number {
    const output = this.#outputs[index];
    if (!output) return 0;
    return output.cell < 0 ? output.constant : ((this.#words[output.cell] ?? 0) >>> output.bit) & 1;
  }

  /**
   * Runs board clocks: until `cycles` are done, or an observed output has changed. When nothing can change any
   * more, the rest of the cycles takes no time.
   * @returns the cycles that have passed.
   * @throws FabricRefusal when the design oscillates; the machine is not to be used afterwards.
   */
  run(cycles: number): number {
    const done = this.#exports.run(cycles);
    if (this.#words[CELL.fault >> 2] !== FAULT.none) this.#checkFault();
    return done;
  }

  /** True when the last run returned early because the design settles slowly. */
  get laborious(): boolean {
    return (this.#words[CELL.effort >> 2] ?? 0) > EFFORT;
  }

  /** True when nothing changed in the last cycle and no input has since: the design rests. */
  get resting(): boolean {
    return this.#words[CELL.active >> 2] === 0;
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

  /** Loops that something was still to be evaluated for when the machine gave up. */
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
