import type { Clock } from '../../clock.ts';
import type { DiscoveryProblem } from '../../contract/boards/boards.ts';
import { sentences } from '../../contract/sentences.ts';
import type { Logger } from '../../log.ts';
import type { BoardDefinition } from '../definition.ts';
import type { UsbBus, UsbBusDevice } from '../usb/usb-bus.ts';
import { type AttachedBoard, identifyBoards, mayBeBoard } from './attached.ts';
import { usbLocation } from './port-place.ts';
import { portsProblem, usbProblem } from './problems.ts';
import type { SerialPortInfo, SerialPorts } from './serial-ports.ts';

interface DiscoveryOptions {
  bus: UsbBus;
  ports: SerialPorts;
  boards: readonly BoardDefinition[];
  clock: Clock;
  logger: Logger;
}

/** Delay of a scan after a system event, because events come in bursts, ms. */
const SETTLE = 40;
/**
 * Interval of scans before the first hotplug event, ms: arrival and removal are seen within a second. A successful
 * watch proves nothing, because in a container it never reports an event.
 */
const POLL = 700;
/** Interval of scans after the first hotplug event, in case one is lost, ms. */
const POLL_WITH_HOTPLUG = 5_000;
/** Delays of extra scans after an arrival without a port: the system creates the port a moment after the device, ms. */
const PORT_FOLLOW_UP = [100, 200, 400, 800, 1_600, 3_200];

/**
 * Watches the USB for boards of the catalogue. A system that can't list devices or ports is a problem with a remedy,
 * never an exception. The visible boards are shown, and scanning continues.
 */
export class BoardDiscovery {
  readonly #options: DiscoveryOptions;
  readonly #listeners = new Set<() => void>();
  #attached: readonly AttachedBoard[] = [];
  #problems: readonly DiscoveryProblem[] = [];
  /** USB problems that were logged. */
  readonly #logged = new Set<string>();
  #scan: Promise<void> | undefined;
  #scanAgain = false;
  #cancelTimer: (() => void) | undefined;
  #stopWatch: (() => Promise<void>) | undefined;
  #watching: Promise<void> | undefined;
  #followUp = 0;
  /** A hotplug event has come at least once. */
  #hotplugWorks = false;
  #ports: SerialPortInfo[] = [];
  /** Devices at the time of the last listing of the ports. */
  #pluggedKey = '';
  #portsStale = false;
  #portsFailed = false;
  #closed = false;

  constructor(options: DiscoveryOptions) {
    this.#options = options;
  }

  get attached(): readonly AttachedBoard[] {
    return this.#attached;
  }

  get problems(): readonly DiscoveryProblem[] {
    return this.#problems;
  }

  /** Calls back when `attached` or `problems` has changed; returns the function that ends it. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Starts watching; resolves after the first scan. */
  async start(): Promise<void> {
    this.#watching = this.#watch();
    await this.rescan();
  }

  async #watch(): Promise<void> {
    const { bus, logger } = this.#options;
    try {
      const stop = await bus.watch(() => {
        this.#hotplugWorks = true;
        this.#followUp = 0;
        this.#schedule(SETTLE);
      });
      this.#stopWatch = stop;
    } catch (error) {
      logger.info({ error: String(error) }, 'no hotplug events: the USB is polled');
    }
  }

  /**
   * Scans now; calls during a scan share one that begins after it. Never rejects.
   * @param freshPorts list the serial ports even when no device has come or gone: a driver that was detached and
   * attached again may have renamed its port.
   */
  rescan(freshPorts = false): Promise<void> {
    this.#portsStale ||= freshPorts;
    if (this.#scan) {
      this.#scanAgain = true;
      return this.#scan;
    }
    this.#scan = this.#scanUntilQuiet().finally(() => {
      this.#scan = undefined;
      this.#schedule(this.#nextDelay());
    });
    return this.#scan;
  }

  async #scanUntilQuiet(): Promise<void> {
    do {
      this.#scanAgain = false;
      try {
        await this.#scanOnce();
      } catch (error) {
        // Timers and events start scans, so nothing else could catch this; the next scan tries again.
        this.#options.logger.error({ err: error }, 'a scan of the USB failed');
      }
    } while (this.#scanAgain && !this.#closed);
  }

  async #scanOnce(): Promise<void> {
    const problems: DiscoveryProblem[] = [];
    const attached = await this.#look(problems);
    if (this.#closed) return;
    const changed =
      attached.length !== this.#attached.length ||
      attached.some((board) => !this.#attached.includes(board)) ||
      JSON.stringify(problems) !== JSON.stringify(this.#problems);
    if (attached.some((board) => !this.#attached.some((one) => isSameAttachment(one, board))))
      this.#followUp = 0;
    this.#attached = attached;
    this.#problems = problems;
    if (changed) this.#announce();
  }

  /** A failed listing leaves the previous result: a board is gone only when a listing lacks it. */
  async #look(problems: DiscoveryProblem[]): Promise<readonly AttachedBoard[]> {
    const { bus, boards, logger } = this.#options;
    try {
      const devices = (await bus.getDevices()).filter((device) => mayBeBoard(device, boards));
      const ports = await this.#listPorts(devices, problems);
      return identifyBoards(devices, ports, boards).map((board) => this.#sameAsBefore(board));
    } catch (error) {
      const problem = usbProblem(error);
      problems.push(problem);
      // Log once, however often it recurs: the Boards screen shows the present state.
      if (!this.#logged.has(problem.message)) logger.warn(sentences(problem.message, problem.remedy));
      this.#logged.add(problem.message);
      logger.debug({ err: error }, 'a scan of the USB found nothing to list');
      return this.#attached;
    }
  }

  /** Lists the serial ports when a board has come, gone, or has none yet: listing starts a process on Linux. */
  async #listPorts(devices: UsbBusDevice[], problems: DiscoveryProblem[]): Promise<SerialPortInfo[]> {
    const plugged = devices.map((device) => `${usbLocation(device.bus, device.ports)}#${device.address}`);
    const key = plugged.sort().join(' ');
    const waiting = this.#attached.some((board) => board.ports.length === 0);
    const known = key === this.#pluggedKey && !waiting && !this.#portsStale && !this.#portsFailed;
    if (devices.length === 0 || known) {
      this.#pluggedKey = key;
      return this.#ports;
    }
    try {
      this.#portsStale = false;
      this.#ports = await this.#options.ports.list();
      this.#portsFailed = false;
    } catch (error) {
      this.#portsFailed = true;
      problems.push(portsProblem(error));
    }
    this.#pluggedKey = key;
    return this.#ports;
  }

  /** The object of the last scan for an unchanged board, so that users see that it is the same one. */
  #sameAsBefore(board: AttachedBoard): AttachedBoard {
    const before = this.#attached.find((one) => isSameAttachment(one, board));
    if (!before) return board;
    const keeps =
      before.id === board.id &&
      before.serialShared === board.serialShared &&
      JSON.stringify(before.ports) === JSON.stringify(board.ports);
    return keeps ? before : { ...board, device: before.device };
  }

  #announce(): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener();
      } catch (error) {
        this.#options.logger.error({ err: error }, 'a listener of the board discovery failed');
      }
    }
  }

  #nextDelay(): number {
    const waiting = this.#attached.some((board) => board.ports.length === 0);
    const followUp = waiting ? PORT_FOLLOW_UP[this.#followUp++] : undefined;
    const regular = this.#hotplugWorks ? POLL_WITH_HOTPLUG : POLL;
    return Math.min(followUp ?? regular, regular);
  }

  #schedule(ms: number): void {
    if (this.#closed) return;
    this.#cancelTimer?.();
    this.#cancelTimer = this.#options.clock.after(ms, () => void this.rescan());
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelTimer?.();
    this.#listeners.clear();
    await this.#watching;
    await this.#stopWatch?.().catch(() => {});
    await this.#scan;
  }
}

/** Whether two sightings have no replugging between them: the address changes when a device is plugged in again. */
function isSameAttachment(a: AttachedBoard, b: AttachedBoard): boolean {
  return (
    a.location === b.location &&
    a.address === b.address &&
    a.vendorId === b.vendorId &&
    a.productId === b.productId &&
    a.serial === b.serial
  );
}
