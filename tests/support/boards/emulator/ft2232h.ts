import type { Fabric } from '../../../../server/boards/virtual/fabric.ts';
import { FtdiChannelBuffers, STATUS as MODEM_STATUS } from './ftdi-channel.ts';
import type { Ice40Board } from './ice40-board.ts';
import { ModelFabric } from './model-fabric.ts';
import { type MpsseBoard, MpsseEngine } from './mpsse.ts';
import { type Wire, WireTime } from './wire-time.ts';

interface DeviceStrings {
  manufacturer?: string | null;
  product?: string | null;
  serial?: string | null;
}

/** The board around an FT2232H: channel A's pins, and the FPGA whose UART is channel B. */
export interface FtdiBoard extends MpsseBoard {
  readonly fabric: Fabric;
  /** The board lives on USB power. */
  power(on: boolean): void;
}

export interface Ft2232hOptions<Board extends FtdiBoard = Ice40Board> extends DeviceStrings {
  board: Board;
  wire?: Wire;
  vendorId?: number;
  productId?: number;
  /** bcdDevice; 0x0700 means FT2232H. */
  release?: number;
  /** Full speed, as with an isolator, a USB 1.1 hub or some virtual machines, has packets of 64 bytes. */
  speed?: 'high' | 'full';
}

/** A single fault, after this many more bytes over USB in either direction. */
interface UsbFault {
  afterBytes: number;
  kind: 'unplug' | 'stall' | 'timeout';
}

/** A control request, for tests of the driver's requests. */
interface ControlRequest {
  request: number;
  value: number;
  index: number;
}

/**
 * The chip itself, soldered to a board: descriptors, control requests, channel A with its MPSSE, channel B with its
 * UART. Several programs may access it; their claims belong to the system.
 */
export class Ft2232h<Board extends FtdiBoard = Ice40Board> {
  readonly strings: Required<DeviceStrings>;
  readonly vendorId: number;
  readonly productId: number;
  readonly release: number;
  readonly speed: 'high' | 'full';
  readonly wire: Wire;
  readonly board: Board;
  readonly channels: [FtdiChannelBuffers, FtdiChannelBuffers];
  readonly engine: MpsseEngine;
  /** Every control request since plugging in. */
  readonly requests: ControlRequest[] = [];
  /** Every byte that was sent to channel A while its MPSSE was on: the command stream. */
  readonly commands: number[] = [];
  recordCommands = false;
  /** Modem lines that the host has set on channel B. */
  readonly modem = { dtr: false, rts: false };
  fault: UsbFault | null = null;
  #onUnplug: (() => void) | null = null;

  constructor(options: Ft2232hOptions<Board>) {
    const wire = options.wire ?? 'instant';
    this.wire = wire;
    this.board = options.board;
    this.vendorId = options.vendorId ?? 0x0403;
    this.productId = options.productId ?? 0x6010;
    this.release = options.release ?? 0x0700;
    this.strings = {
      manufacturer: options.manufacturer === undefined ? 'Lattice' : options.manufacturer,
      product: options.product === undefined ? 'Lattice FTUSB Interface Cable' : options.product,
      serial: options.serial ?? null,
    };
    this.speed = options.speed ?? 'high';
    const packet = this.speed === 'full' ? 64 : 512;
    this.channels = [new FtdiChannelBuffers(wire, packet), new FtdiChannelBuffers(wire, packet)];
    this.engine = new MpsseEngine(this.board, new WireTime(wire));
    this.board.power(true);
    this.#runMpsse();
    this.#runUart();
  }

  /** Called by the chip when a fault pulls the plug. */
  onUnplug(listener: () => void): void {
    this.#onUnplug = listener;
  }

  get gone(): boolean {
    return this.channels[0].gone;
  }

  unplug(): void {
    if (this.gone) return;
    for (const channel of this.channels) channel.unplug();
    this.board.power(false);
    this.#onUnplug?.();
  }

  /** Counts bytes towards the next fault; returns the fault when it happens. */
  passes(bytes: number): UsbFault['kind'] | null {
    if (!this.fault) return null;
    this.fault.afterBytes -= bytes;
    if (this.fault.afterBytes > 0) return null;
    const { kind } = this.fault;
    this.fault = null;
    if (kind === 'unplug') this.unplug();
    return kind;
  }

  /**
   * A vendor request to the device; null is a stall. Requests and values are those of libftdi 1.5 (`ftdi.h`: SIO_*)
   * and of Linux (`ftdi_sio.h`); the low byte of the index is the channel, where 0, too, is channel A.
   */
  control(request: number, value: number, index: number, length: number): Uint8Array | null {
    this.requests.push({ request, value, index });
    const number = index & 0xff || 1;
    const channel = this.channels[number - 1];
    if (!channel) return null;
    switch (request) {
      case 0x00:
        // SIO_TCOFLUSH is 1 and SIO_TCIFLUSH 2: the older names PURGE_RX and PURGE_TX had them the wrong way round.
        if (value === 0 || value === 1) channel.purge('out');
        if (value === 0 || value === 2) channel.purge('in');
        return new Uint8Array(0);
      case 0x01:
        // The high byte is a mask of lines, the low byte has their levels.
        if (number === 2) {
          if (value & 0x0100) this.modem.dtr = (value & 0x01) !== 0;
          if (value & 0x0200) this.modem.rts = (value & 0x02) !== 0;
        }
        return new Uint8Array(0);
      case 0x03:
        // Only channel B leads to the FPGA's UART.
        if (number === 2) void this.board.fabric.setBaud(baudOf(value, index));
        return new Uint8Array(0);
      case 0x02:
      case 0x04:
      case 0x06:
      case 0x07:
        // Flow control, 8N1, event and error characters: taken, without effect here.
        return new Uint8Array(0);
      case 0x05:
        return Uint8Array.of(...MODEM_STATUS).subarray(0, length);
      case 0x09:
        if (value < 1 || value > 255) return null;
        channel.latency = value;
        return new Uint8Array(0);
      case 0x0a:
        return Uint8Array.of(channel.latency).subarray(0, length);
      case 0x0b:
        // Also sets the command processor back: half a command from before is forgotten.
        channel.bitMode = value >> 8;
        channel.restart();
        return new Uint8Array(0);
      default:
        return null;
    }
  }

  #runMpsse(): void {
    const [a] = this.channels;
    const streams = {
      take: async (count: number) => {
        const bytes = await a.take(count);
        if (bytes && this.recordCommands) this.commands.push(...bytes);
        return bytes;
      },
      backlogSince: () => a.backlogSince,
      answer: (bytes: Uint8Array) => a.give(bytes),
      flush: () => a.flush(),
    };
    void (async () => {
      while (!a.gone) await this.engine.run(streams);
    })();
  }

  #runUart(): void {
    const { fabric } = this.board;
    const [, b] = this.channels;
    fabric.onData((bytes) => b.give(bytes));
    void (async () => {
      for (;;) {
        const bytes = await b.takeSome(1024);
        if (!bytes) return;
        if (fabric instanceof ModelFabric) await fabric.take(bytes, b.backlogSince);
        else await fabric.write(bytes);
      }
    })();
  }
}

/**
 * The rate of a baud request: a 120 MHz base divided by 10 when bit 1 of the index's high byte is set, with eighths in
 * the two upper bits of the value and the lowest bit of the index's high byte (FTDI AN_120).
 */
export function baudOf(value: number, index: number): number {
  const eighths = [0, 4, 2, 1, 3, 5, 6, 7][((value >> 14) & 3) | (((index >> 8) & 1) << 2)] ?? 0;
  const base = (index >> 8) & 2 ? 12_000_000 : 3_000_000;
  const divisor = (value & 0x3fff) + eighths / 8;
  if ((value & 0x3fff) === 0) return base;
  if ((value & 0x3fff) === 1 && eighths === 0) return (base * 2) / 3;
  return base / divisor;
}
