import type { Clock } from '../../../clock.ts';
import type { ChipTable } from '../chip/chip-table.ts';
import { CommandReader } from '../configuration/command-reader.ts';
import type { FabricOptions } from '../fabric.ts';
import { extractNetlist } from '../netlist/extract.ts';
import type { FabricStatus } from '../protocol.ts';
import { FabricRefusal } from '../refusal.ts';
import type { WordsMaker } from './compiled-words.ts';
import { Machine } from './machine.ts';
import { compile } from './machine-plan.ts';
import { PlanStore, type PlanUse, planKey } from './plan-store.ts';
import { RunningDesign } from './running-design.ts';

/**
 * How long the block RAMs of an iCE40 read 0 after configuration, seconds. Measured on an HX8K: 36 clocks of 12 MHz,
 * and more of a faster clock (github.com/YosysHQ/icestorm/issues/76). A user's design that reads a ROM sooner fails on
 * the chip.
 */
const RAMS_ASLEEP = 3e-6;

/** One fabric: the configuration port and the running design. */
export class FabricHost {
  design: RunningDesign | null = null;
  #reader = new CommandReader();
  #refused: FabricRefusal | null = null;
  #baud = 115_200;
  readonly #options: FabricOptions;
  readonly #table: () => ChipTable;
  readonly #clock: Clock;
  readonly #makeWords: WordsMaker | undefined;
  readonly #goingOn: (() => number) | undefined;
  readonly #plans: PlanStore;
  /** The plan of the running design. */
  #held: PlanUse | null = null;

  /**
   * @param plans those of the thread, shared with its other fabrics
   * @param makeWords makes compiled engines while designs run; at once when absent
   * @param goingOn see RunningDesign
   */
  constructor(
    options: FabricOptions,
    table: () => ChipTable,
    clock: Clock,
    plans = new PlanStore(),
    makeWords?: WordsMaker,
    goingOn?: () => number,
  ) {
    this.#options = options;
    this.#table = table;
    this.#clock = clock;
    this.#makeWords = makeWords;
    this.#goingOn = goingOn;
    this.#plans = plans;
  }

  /** CRESET: configuration and state are lost. */
  reset(): void {
    this.#reader = new CommandReader();
    this.#refused = null;
    this.design = null;
    this.#held?.giveBack();
    this.#held = null;
  }

  /** Takes bytes; the wake-up command starts the design, unless it is refused. */
  configure(bytes: Uint8Array): void {
    if (this.design || this.#refused) return;
    try {
      this.#reader.push(bytes);
      if (this.#reader.awake) this.#start();
    } catch (error) {
      if (!(error instanceof FabricRefusal)) throw error;
      this.#refused = error;
    }
  }

  status(): FabricStatus {
    const refusal = this.#refused ?? this.design?.stopped ?? this.#incomplete();
    return {
      cdone: this.design !== null,
      refusal: refusal ? { code: refusal.code, message: refusal.message } : null,
    };
  }

  setBaud(baud: number): void {
    this.#baud = baud;
    this.design?.uart.setBaud(baud);
  }

  #incomplete(): FabricRefusal | null {
    if (this.design || this.#reader.bytes === 0) return null;
    return new FabricRefusal(
      'fabric_incomplete',
      `The bitstream is not complete: after ${this.#reader.bytes} bytes ${this.#reader.missing}.`,
    );
  }

  #start(): void {
    const { package: packageName, clock, rx, tx } = this.#options;
    const { memory } = this.#reader;
    const pins = { package: packageName, clock: clock.pin, inputs: [rx], outputs: [tx] };
    const held = this.#plans.take(planKey(memory, pins), () =>
      compile(extractNetlist(this.#table(), memory, pins)),
    );
    // The plan has the configuration, so its memory can be freed.
    this.#reader = new CommandReader();
    try {
      const asleep = Math.ceil(RAMS_ASLEEP * clock.hz);
      const machine = new Machine(held.plan, [], asleep, this.#makeWords);
      const now = () => this.#clock.monotonic();
      this.design = new RunningDesign(machine, clock.hz, this.#baud, now, this.#goingOn);
    } catch (error) {
      held.giveBack();
      throw error;
    }
    this.#held = held;
  }
}
