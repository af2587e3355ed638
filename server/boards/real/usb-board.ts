import type { Clock } from '../../clock.ts';
import type { BoardView } from '../../contract/boards/boards.ts';
import { assertNever, BenchError } from '../../errors/bench-error.ts';
import { boardsError } from '../../errors/boards.ts';
import type { Logger } from '../../log.ts';
import { closePort } from '../../wishbone/close-port.ts';
import type { WishboneLink } from '../../wishbone/link.ts';
import type { Assignment } from '../assignments.ts';
import type { Board, ProgramContext } from '../board.ts';
import type { BoardDefinition, ProgrammingMode } from '../definition.ts';
import { type AttachedBoard, linkPort } from '../discovery/attached.ts';
import type { BoardDiscovery } from '../discovery/discovery.ts';
import type { SerialPorts } from '../discovery/serial-ports.ts';
import type { LineRateStore } from '../line-rates.ts';
import { abortablePause } from '../programmers/abort.ts';
import { programIce40 } from '../programmers/ice40-mpsse.ts';
import type { OpenFpgaLoader } from '../programmers/openfpgaloader.ts';
import { bridgeCan, portRatesOf } from '../serial/bridge-rates.ts';
import { type OpenedPort, openPort } from '../serial/open-port.ts';
import { reattachKernelDrivers } from '../usb/kernel-driver.ts';
import type { UsbBus } from '../usb/usb-bus.ts';
import { Attachment } from './attachment.ts';
import { BoardLink } from './board-link.ts';
import { LineRateMemory } from './line-rate-memory.ts';

/** The programmer of a USB board. */
type UsbProgrammer = Exclude<BoardDefinition['programmer'], { kind: 'virtual' }>;

interface UsbBoardOptions {
  slot: number;
  assignment: Assignment;
  definition: BoardDefinition;
  /** The programmer of the definition. */
  programmer: UsbProgrammer;
  discovery: BoardDiscovery;
  bus: UsbBus;
  ports: SerialPorts;
  loader: OpenFpgaLoader;
  lineRates: LineRateStore;
  clock: Clock;
  logger: Logger;
}

/** Why an assigned board can't be used: one sentence each. */
export interface Absence {
  reason: string;
  remedy: string;
}

/** The operation in progress on the board. */
interface Operation {
  attachment: Attachment;
  signal: AbortSignal | undefined;
  /** Resolves when it has released everything, whatever its outcome. */
  ended: Promise<void>;
}

const ignore = () => {};

/** Time limit for the port, ms: it may be re-enumerating after programming. */
const PORT_DEADLINE = 5_000;
const RETRY = 100;
const LOOK_DEADLINE = 2_000;

/** Error codes of a pulled plug before the system reports it. */
const PULLED_PLUG = new Set([
  'usb_transfer_failed',
  'board_absent',
  'port_missing',
  'port_failed',
  'programmer_failed',
  'link_closed',
  'link_silent',
  'link_corrupted',
]);

/** A board of the catalogue on the USB, assigned to a slot; it may be absent. */
export class UsbBoard implements Board {
  readonly definition: BoardDefinition;
  readonly assignment: Assignment;
  readonly #options: UsbBoardOptions;
  #attachment: Attachment | null = null;
  #absence: Absence | null = null;
  #link: BoardLink | null = null;
  #operation: Operation | null = null;
  #warnedLatency = false;
  readonly #lineRate: LineRateMemory;

  constructor(options: UsbBoardOptions) {
    this.#options = options;
    this.definition = options.definition;
    this.assignment = options.assignment;
    const { assignment, lineRates: store, clock, logger } = options;
    this.#lineRate = new LineRateMemory({ board: assignment.board, store, clock, logger });
  }

  get view(): BoardView {
    const { slot, assignment } = this.#options;
    return {
      slot,
      id: assignment.board,
      kind: 'usb',
      definition: this.definition.id,
      name: this.definition.name,
      present: this.#attachment !== null,
      ...(this.#attachment === null && { reason: this.absence.reason }),
    };
  }

  get mode(): ProgrammingMode {
    const [first = 'sram'] = this.#options.programmer.modes;
    return this.assignment.mode ?? first;
  }

  /** Bits a second of the open link, else of the last one; null before the first. */
  get lineRate(): number | null {
    return this.#link?.lineRate ?? this.#lineRate.rate;
  }

  get attached(): AttachedBoard | null {
    return this.#attachment?.attached ?? null;
  }

  get absence(): Absence {
    const { message, remedy } = boardsError.specs.board_absent;
    return this.#absence ?? { reason: message, remedy };
  }

  /** Takes the newest scan's result: where the board is, or why it is absent. True when the view changed. */
  update(attached: AttachedBoard | null, absence: Absence | null): boolean {
    const before = JSON.stringify(this.view);
    this.#absence = absence;
    const current = this.#attachment;
    if (current && attached?.device === current.attached.device) {
      current.update(attached);
    } else {
      current?.end();
      void this.#dropLink();
      this.#attachment = attached ? new Attachment(attached, this.#options.clock) : null;
    }
    return JSON.stringify(this.view) !== before;
  }

  async program(bitstream: Uint8Array, context: ProgramContext): Promise<void> {
    // A board that was replugged a moment ago is another device to the system.
    if (!this.#operation) await this.#look(false);
    await this.#exclusively(async (attachment) => {
      await this.#dropLink();
      const signals = [attachment.gone, ...(context.signal ? [context.signal] : [])];
      const signal = AbortSignal.any(signals);
      try {
        await this.#configureWhenAllowed(attachment, bitstream, { ...context, signal });
      } catch (error) {
        throw await this.#named(error, attachment);
      } finally {
        // The driver was detached, or another program had the device: its port may have a new name.
        attachment.appeared();
        void this.#options.discovery.rescan(true);
      }
    }, context.signal);
  }

  /** A device that was just plugged in may be denied until udev has processed it. */
  async #configureWhenAllowed(
    attachment: Attachment,
    bitstream: Uint8Array,
    context: ProgramContext & { signal: AbortSignal },
  ): Promise<void> {
    for (;;) {
      try {
        return await this.#configure(attachment.attached, bitstream, context);
      } catch (error) {
        const denied = error instanceof BenchError && error.code === 'usb_permission_denied';
        if (!denied || !attachment.rightsMayCome) throw error;
      }
      await abortablePause(this.#options.clock, RETRY, context.signal);
    }
  }

  async #configure(attached: AttachedBoard, bitstream: Uint8Array, context: ProgramContext): Promise<void> {
    const { definition, mode } = this;
    const { programmer, loader, bus, clock, discovery } = this.#options;
    switch (programmer.kind) {
      case 'ice40-mpsse':
        return programIce40(attached, bitstream, mode, context, {
          bus,
          clock,
          ...(programmer.jumpers && { jumpers: programmer.jumpers }),
        });
      case 'openfpgaloader':
        try {
          return await loader.program(
            {
              definition,
              board: programmer.board,
              mode,
              attached,
              others: discovery.attached.filter((other) => other.device !== attached.device),
            },
            bitstream,
            context,
          );
        } finally {
          await this.#returnPorts(attached, context);
        }
      default:
        return assertNever(programmer);
    }
  }

  /** openFPGALoader takes interfaces from the kernel and does not return them when it fails or is killed. */
  async #returnPorts(attached: AttachedBoard, { log }: ProgramContext): Promise<void> {
    const { serialInterface = 0 } = this.definition.usb ?? {};
    const left = await reattachKernelDrivers(this.#options.bus, attached, [...new Set([0, serialInterface])]);
    if (left.includes(serialInterface))
      log('the serial port could not be returned to the system: plug the board in again');
  }

  async openLink(): Promise<WishboneLink> {
    return this.#exclusively(async (attachment) => {
      if (this.#link)
        throw boardsError('board_in_use', { message: 'The link to the board is open already.' });
      const opened = await this.#openPort(attachment);
      const close = () => closePort(opened.port);
      attachment.gone.addEventListener('abort', close, { once: true });
      const release = async () => {
        attachment.gone.removeEventListener('abort', close);
        await close();
        if (this.#link === link) this.#link = null;
      };
      let link: BoardLink | null = null;
      try {
        if (attachment.gone.aborted) throw attachment.gone.reason;
        const { openUartboneLink } = await import('../../wishbone/uartbone-link.ts');
        const { baud, bridge } = this.definition.serial;
        const raw = await openUartboneLink(opened.port, {
          baud,
          clock: this.#options.clock,
          ...(bridge && { portRates: portRatesOf(opened.port, (rate) => bridgeCan(bridge, rate)) }),
        });
        await this.#lineRate.settle(raw);
        link = new BoardLink(raw, {
          gone: attachment.gone,
          onClose: release,
          name: (error) => this.#named(error, attachment),
          onDamage: (rate) => this.#lineRate.failed(rate, raw.lineRates),
        });
        this.#link = link;
        return link;
      } catch (error) {
        await release();
        throw await this.#named(error, attachment);
      }
    });
  }

  /** Opens the port of the link; waits for one that is about to appear. */
  async #openPort(attachment: Attachment): Promise<OpenedPort> {
    const { discovery, ports, clock } = this.#options;
    const until = clock.monotonic() + PORT_DEADLINE;
    for (;;) {
      const port = linkPort(attachment.attached, this.definition);
      try {
        if (!port) throw boardsError('port_missing');
        const binding = await ports.binding();
        const opened = await openPort({ path: port.path, baud: this.definition.serial.baud, binding });
        this.#reportLatency(opened);
        return opened;
      } catch (error) {
        const code = error instanceof BenchError ? error.code : null;
        const mayCome =
          (code === 'port_missing' && clock.monotonic() <= until) ||
          (code === 'port_permission_denied' && attachment.rightsMayCome);
        if (!mayCome) throw await this.#named(error, attachment);
      }
      await discovery.rescan(true);
      if (attachment.gone.aborted) throw attachment.gone.reason;
      await abortablePause(clock, RETRY, attachment.gone);
    }
  }

  #reportLatency({ lowLatency }: OpenedPort): void {
    if (lowLatency !== false || this.#warnedLatency) return;
    this.#warnedLatency = true;
    const { logger, assignment } = this.#options;
    logger.info({ board: assignment.board }, 'the serial driver offers no low latency: transfers are slower');
  }

  /** A failed transfer may be the first sign of a pulled plug: scan before naming the reason. */
  async #named(error: unknown, attachment: Attachment): Promise<unknown> {
    const suspicious = !(error instanceof BenchError) || PULLED_PLUG.has(error.code);
    if (suspicious && !attachment.gone.aborted) await this.#look();
    if (attachment.gone.aborted && !(error instanceof BenchError && error.code === 'board_vanished'))
      return boardsError('board_vanished', { cause: error });
    // It is still attached, so the plug is not the reason.
    if (error instanceof BenchError && error.code === 'board_absent')
      return boardsError('usb_unavailable', {
        cause: error,
        message: 'The system lists the board, but its USB device was not found.',
        remedy: 'In a container, pass /dev/bus/usb through; otherwise, plug the board in again.',
      });
    return error;
  }

  /** Scans the USB with a time limit: a hanging listing must not delay an error. */
  async #look(freshPorts = true): Promise<void> {
    const { discovery, clock } = this.#options;
    await new Promise<void>((resolve) => {
      const cancel = clock.after(LOOK_DEADLINE, resolve);
      void discovery.rescan(freshPorts).then(() => {
        cancel();
        resolve();
      });
    });
  }

  /**
   * Runs one operation at a time. An earlier one that lost its board or its job may still be releasing the device: wait
   * for that one. A healthy one makes the board busy.
   */
  async #exclusively<T>(work: (attachment: Attachment) => Promise<T>, signal?: AbortSignal): Promise<T> {
    while (this.#operation) {
      const { attachment, signal: itsSignal, ended } = this.#operation;
      if (!attachment.gone.aborted && !itsSignal?.aborted) throw boardsError('board_in_use');
      await ended;
    }
    const attachment = this.#attachment;
    if (!attachment) {
      const { reason, remedy } = this.absence;
      throw boardsError('board_absent', { message: reason, remedy });
    }
    const done = work(attachment);
    const operation = { attachment, signal, ended: done.then(ignore, ignore) };
    this.#operation = operation;
    try {
      return await done;
    } finally {
      if (this.#operation === operation) this.#operation = null;
    }
  }

  async #dropLink(): Promise<void> {
    await this.#link?.close();
  }

  async close(): Promise<void> {
    this.#attachment?.end();
    this.#attachment = null;
    await this.#dropLink();
  }
}
