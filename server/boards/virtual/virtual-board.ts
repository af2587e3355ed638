import { SerialPortStream } from '@serialport/stream';
import type { Clock } from '../../clock.ts';
import type { BoardView } from '../../contract/boards/boards.ts';
import { boardsError } from '../../errors/boards.ts';
import type { Logger } from '../../log.ts';
import { closePort } from '../../wishbone/close-port.ts';
import type { WishboneLink } from '../../wishbone/link.ts';
import { openUartboneLink } from '../../wishbone/uartbone-link.ts';
import type { Board, ProgramContext } from '../board.ts';
import type { BoardDefinition } from '../definition.ts';
import { portRatesOf } from '../serial/bridge-rates.ts';
import { createFabric } from './create-fabric.ts';
import type { VirtualFabric } from './fabric.ts';
import { FabricInside } from './fabric-inside.ts';
import type { FabricThreads } from './fabric-threads.ts';
import { fabricBinding } from './serial-binding.ts';

/** Bytes of one write to the configuration port. */
const BLOCK = 32_768;

/**
 * Additional deadline of the link, ms: a virtual board runs as fast as its thread can, and a large design on a busy
 * machine is slower than its clock.
 */
const LINK_SLACK = 5000;

/** A virtual board: a fabric in a slot, with the programmer and link of a real board. */
interface VirtualBoard extends Board {
  readonly fabric: VirtualFabric;
}

/** The virtual board of a slot. It takes no resources before the first design. */
export function createVirtualBoard(
  slot: number,
  definition: BoardDefinition,
  { logger, clock, threads }: { logger: Logger; clock: Clock; threads?: FabricThreads },
): VirtualBoard {
  const { fpga, serial } = definition;
  const options = { package: fpga.package, clock: definition.clock, rx: serial.rx, tx: serial.tx };
  return new FabricBoard(slot, definition, createFabric(options, threads), logger, clock);
}

class FabricBoard implements VirtualBoard {
  readonly view: BoardView;
  readonly definition: BoardDefinition;
  readonly fabric: VirtualFabric;
  readonly inside: FabricInside;
  readonly #logger: Logger;
  readonly #clock: Clock;
  #port: SerialPortStream | null = null;
  #programming = false;

  constructor(
    slot: number,
    definition: BoardDefinition,
    fabric: VirtualFabric,
    logger: Logger,
    clock: Clock,
  ) {
    this.#clock = clock;
    this.definition = definition;
    this.fabric = fabric;
    this.inside = new FabricInside(fabric);
    this.#logger = logger;
    this.view = {
      slot,
      id: `virtual:${slot}`,
      kind: 'virtual',
      definition: definition.id,
      name: definition.name,
      present: true,
    };
    fabric.onStop(({ code, message }) => {
      logger.warn({ board: this.view.id, code }, message);
    });
  }

  expectDesign(): void {
    this.fabric.open();
  }

  async program(bitstream: Uint8Array, { log, progress, signal }: ProgramContext): Promise<void> {
    if (this.#programming) throw boardsError('board_in_use');
    this.#programming = true;
    try {
      await this.#closePort();
      const { fabric } = this;
      await fabric.reset();
      this.inside.designGone();
      for (let at = 0; at < bitstream.length; at += BLOCK) {
        if (signal?.aborted) throw boardsError('programming_aborted');
        await fabric.configure(Uint8Array.from(bitstream.subarray(at, at + BLOCK)));
        progress(Math.min(1, (at + BLOCK) / bitstream.length));
      }
      if (await fabric.cdone()) {
        log(`CDONE is high after ${bitstream.length} bytes.`);
        return;
      }
      const refusal = await fabric.refusal();
      if (refusal) throw boardsError(refusal.code, { message: refusal.message });
      throw boardsError('fabric_incomplete');
    } finally {
      this.#programming = false;
    }
  }

  designReady(): void {
    // A fabric that stopped meanwhile reports that to the next caller.
    this.fabric.ready().catch(() => {});
  }

  async openLink(): Promise<WishboneLink> {
    if (this.#port?.isOpen) throw boardsError('port_busy');
    const { baud } = this.definition.serial;
    const path = this.view.id;
    const port = new SerialPortStream({
      binding: fabricBinding(this.fabric, path),
      path,
      baudRate: baud,
      autoOpen: false,
    });
    await new Promise<void>((resolve, reject) => {
      port.open((error) => (error ? reject(error) : resolve()));
    });
    this.#port = port;
    // serialport reports that a port broke, but not why: the fabric knows the reason.
    const endListening = this.fabric.onStop(({ code, message }) => {
      port.emit('error', boardsError(code, { message }));
    });
    port.once('close', endListening);
    port.on('error', () => {}); // a closing link has no listener
    // The rate stays unless a caller changes it: the peer at the design's pins follows any.
    const portRates = portRatesOf(port, () => true);
    return openUartboneLink(port, { baud, slackMs: LINK_SLACK, clock: this.#clock, portRates });
  }

  async close(): Promise<void> {
    await this.#closePort();
    await this.fabric.close();
    this.#logger.debug({ board: this.view.id }, 'The virtual board is closed.');
  }

  async #closePort(): Promise<void> {
    const port = this.#port;
    this.#port = null;
    if (port) await closePort(port);
  }
}
