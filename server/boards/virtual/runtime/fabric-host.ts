import type { Clock } from '../../../clock.ts';
import type { ChipTable } from '../chip/chip-table.ts';
import { CommandReader } from '../configuration/command-reader.ts';
import type { FabricOptions } from '../fabric.ts';
import { extractNetlist } from '../netlist/extract.ts';
import type { FabricStatus } from '../protocol.ts';
import { FabricRefusal } from '../refusal.ts';
import { Machine } from './machine.ts';
import { RunningDesign } from './running-design.ts';

/** One fabric: configuration port in front, running design behind. */
export class FabricHost {
  design: RunningDesign | null = null;
  #reader = new CommandReader();
  #refused: FabricRefusal | null = null;
  #baud = 115_200;
  readonly #options: FabricOptions;
  readonly #table: () => ChipTable;
  readonly #clock: Clock;

  constructor(options: FabricOptions, table: () => ChipTable, clock: Clock) {
    this.#options = options;
    this.#table = table;
    this.#clock = clock;
  }

  /** CRESET: configuration and state are lost. */
  reset(): void {
    this.#reader = new CommandReader();
    this.#refused = null;
    this.design = null;
  }

  /** Takes in bytes; with the wake-up command the design starts, unless it is refused. */
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
    const netlist = extractNetlist(this.#table(), this.#reader.memory, {
      package: packageName,
      clock: clock.pin,
      inputs: [rx],
      outputs: [tx],
    });
    // The configuration is in the netlist now; its memory is not needed any more.
    this.#reader = new CommandReader();
    this.design = new RunningDesign(new Machine(netlist), clock.hz, this.#baud, () =>
      this.#clock.monotonic(),
    );
  }
}
