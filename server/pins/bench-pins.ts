import type { Clock } from '../clock.ts';
import type { BenchEvent, PinsEvent } from '../contract/events/events.ts';
import type { PinList, PinSettings } from '../contract/nodes/pins.ts';
import type { TerminalSending, TerminalView } from '../contract/nodes/terminal.ts';
import type { EventHub } from '../events/events.ts';
import type { NodePool } from '../jobs/node-pool.ts';
import { NodePins } from './node-pins.ts';
import { NodeTerminal } from './node-terminal.ts';

export interface BenchPinsOptions {
  pool: NodePool;
  events: EventHub;
  clock: Clock;
}

/** Pins of the running designs, through the port block of the base SoC. */
export class BenchPins {
  readonly #nodes: readonly NodePins[];
  readonly #terminals: readonly NodeTerminal[];
  readonly #unsubscribe: () => void;

  constructor({ pool, events, clock }: BenchPinsOptions) {
    const publish = (event: BenchEvent) => events.publish(event);
    const options = pool.nodes().map(({ fpga_id: fpgaId }) => ({ fpgaId, pool, clock, publish }));
    this.#nodes = options.map((one) => new NodePins(one));
    this.#terminals = options.map((one) => new NodeTerminal(one));
    this.#unsubscribe = events.subscribe((event) => {
      if (event.type !== 'node') return;
      this.#of(event.node.fpga_id).nodeChanged();
      this.#terminalOf(event.node.fpga_id).nodeChanged();
    });
  }

  /** See NodePins.read. */
  async read(fpgaId: number): Promise<PinList> {
    return await this.#of(fpgaId).read();
  }

  /** See NodePins.set. */
  async set(fpgaId: number, wanted: PinSettings['pins']): Promise<PinList> {
    return await this.#of(fpgaId).set(wanted);
  }

  /** See NodePins.current. */
  async current(fpgaId: number): Promise<PinsEvent> {
    return await this.#of(fpgaId).current();
  }

  /** See NodeTerminal.read. */
  async readTerminal(fpgaId: number, from?: number): Promise<TerminalView | null> {
    return await this.#terminalOf(fpgaId).read(from);
  }

  /** See NodeTerminal.send. */
  async sendToTerminal(fpgaId: number, sending: TerminalSending): Promise<TerminalView> {
    return await this.#terminalOf(fpgaId).send(sending);
  }

  /** Watches pins and terminal; see NodePins.watch, NodeTerminal.watch. */
  watch(fpgaId: number): () => void {
    const ends = [this.#of(fpgaId).watch(), this.#terminalOf(fpgaId).watch()];
    return () => {
      for (const end of ends) end();
    };
  }

  close(): void {
    this.#unsubscribe();
    for (const node of [...this.#nodes, ...this.#terminals]) node.close();
  }

  #of = (fpgaId: number): NodePins => existing(this.#nodes[fpgaId], fpgaId);

  #terminalOf = (fpgaId: number): NodeTerminal => existing(this.#terminals[fpgaId], fpgaId);
}

function existing<T>(found: T | undefined, fpgaId: number): T {
  if (found === undefined) throw new RangeError(`There is no node ${fpgaId}.`);
  return found;
}
