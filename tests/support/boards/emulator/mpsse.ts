import type { WireTime } from './wire-time.ts';

/** Source of the engine's commands, and target of its answers. */
interface MpsseStreams {
  /** Waits for the next `count` bytes; null when the device is gone. */
  take(count: number): Promise<Uint8Array | null>;
  answer(bytes: Uint8Array): void;
  /** Since when there have been commands without a break, milliseconds of performance.now(). */
  backlogSince(): number;
  /** `87`: what has been answered is sent now. */
  flush(): void;
}

/** The board at the pins of channel A. */
export interface MpsseBoard {
  /** The chip drives these pins with these levels. */
  drive(value: number, direction: number): void;
  /** One rising edge of SCK or TCK with this level on MOSI or TDI; returns MISO or TDO. */
  clock(out: number): number;
  /** A command has ended; `isData` when it shifted data out. */
  deliver(isData: boolean): void;
  /** The levels on AD0 to AD7. */
  pins(): Promise<number>;
}

/** AD3, which is TMS where the pins are a JTAG port. */
const TMS = 0x08;

const BAD_COMMAND = 0xfa;
/** Bytes of a data command that are shifted between two reads of the clock. */
const STEP = 512;

/**
 * The command processor of the FT2232H (FTDI AN_108) as far as SPI and JTAG need it: data shifting in bytes and bits on
 * either edge and in either order, TMS, the low byte's pins, loopback, the clock, and its answer `FA xx` to unknown
 * commands.
 */
export class MpsseEngine {
  /** A fault to play: commands are taken and never answered. */
  deaf = false;
  readonly #board: MpsseBoard;
  readonly #wire: WireTime;
  #masterHz = 12_000_000;
  #divisor = 0;
  #mosi = 0;
  /** Output bits return as input; no bit mode ends it. */
  #loopback = false;
  #value = 0;
  #direction = 0;

  constructor(board: MpsseBoard, wire: WireTime) {
    this.#board = board;
    this.#wire = wire;
  }

  get clockHz(): number {
    return this.#masterHz / ((1 + this.#divisor) * 2);
  }

  /** Executes commands until the streams end. */
  async run(streams: MpsseStreams): Promise<void> {
    for (;;) {
      const opcode = await streams.take(1);
      if (!opcode || !(await this.#execute(opcode[0] ?? 0, streams))) return;
    }
  }

  async #execute(opcode: number, streams: MpsseStreams): Promise<boolean> {
    if (this.deaf) return true;
    if (opcode < 0x80) return this.#shift(opcode, streams);
    switch (opcode) {
      case 0x80: {
        const operands = await streams.take(2);
        if (!operands) return false;
        const [value = 0, direction = 0] = operands;
        this.#value = value;
        this.#direction = direction;
        this.#mosi = (this.#value >> 1) & 1;
        this.#board.drive(this.#value, this.#direction);
        return true;
      }
      case 0x81:
        streams.answer(Uint8Array.of(await this.#board.pins()));
        return true;
      case 0x82:
        return (await streams.take(2)) !== null;
      case 0x83:
        streams.answer(Uint8Array.of(0xff));
        return true;
      case 0x84:
      case 0x85:
        this.#loopback = opcode === 0x84;
        return true;
      case 0x8c:
      case 0x8d:
      case 0x96:
      case 0x97:
        return true;
      case 0x86: {
        const operands = await streams.take(2);
        if (!operands) return false;
        this.#divisor = (operands[0] ?? 0) | ((operands[1] ?? 0) << 8);
        return true;
      }
      case 0x87:
        streams.flush();
        return true;
      case 0x8a:
        this.#masterHz = 60_000_000;
        return true;
      case 0x8b:
        this.#masterHz = 12_000_000;
        return true;
      case 0x8e: {
        const operand = await streams.take(1);
        return operand !== null && this.#idle((operand[0] ?? 0) + 1);
      }
      case 0x8f: {
        const operands = await streams.take(2);
        if (!operands) return false;
        return this.#idle(8 * (((operands[0] ?? 0) | ((operands[1] ?? 0) << 8)) + 1));
      }
      default:
        streams.answer(Uint8Array.of(BAD_COMMAND, opcode));
        return true;
    }
  }

  async #idle(clocks: number): Promise<boolean> {
    for (let clock = 0; clock < clocks; clock++) this.#board.clock(this.#mosi);
    this.#board.deliver(false);
    await this.#wire.spend(clocks / this.clockHz);
    return true;
  }

  async #shift(opcode: number, streams: MpsseStreams): Promise<boolean> {
    const [outOnFall, inBits, inOnFall, lsbFirst, writes, reads, tms] = [
      0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40,
    ].map((bit) => (opcode & bit) !== 0);
    if (tms && inBits) return this.#shiftTms(reads === true, streams);
    if (tms || (!writes && !reads)) {
      streams.answer(Uint8Array.of(BAD_COMMAND, opcode));
      return true;
    }
    const shifter = {
      outOnFall: outOnFall === true,
      inOnFall: inOnFall === true,
      lsbFirst: lsbFirst === true,
    };
    if (inBits) {
      const operands = await streams.take(writes ? 2 : 1);
      if (!operands) return false;
      const bits = (operands[0] ?? 0) + 1;
      const byte = this.#exchange(operands[1] ?? 0xff, bits, writes === true, shifter);
      this.#board.deliver(writes === true);
      await this.#wire.spend(bits / this.clockHz);
      if (reads) streams.answer(Uint8Array.of(byte));
      return true;
    }
    const head = await streams.take(2);
    if (!head) return false;
    let left = ((head[0] ?? 0) | ((head[1] ?? 0) << 8)) + 1;
    while (left > 0) {
      const count = Math.min(left, STEP);
      const data = writes ? await streams.take(count) : new Uint8Array(count).fill(0xff);
      if (!data) return false;
      // The wire's time runs while the bits are worked out, which a real chip does not wait for either.
      const shifted = this.#wire.spend((8 * count) / this.clockHz, streams.backlogSince());
      const answer = data.map((byte) => this.#exchange(byte, 8, writes === true, shifter));
      this.#board.deliver(writes === true);
      await shifted;
      if (reads) streams.answer(answer);
      left -= count;
    }
    return true;
  }

  /** TMS takes up to seven bits, lowest first, while TDI holds the eighth. */
  async #shiftTms(reads: boolean, streams: MpsseStreams): Promise<boolean> {
    const operands = await streams.take(2);
    if (!operands) return false;
    const [length = 0, levels = 0] = operands;
    this.#mosi = levels >> 7;
    let answer = 0;
    for (let bit = 0; bit <= length; bit++) {
      this.#value = (this.#value & ~TMS) | ((levels >> bit) & 1 ? TMS : 0);
      this.#board.drive(this.#value, this.#direction);
      answer = (answer >> 1) | (this.#board.clock(this.#mosi) << 7);
    }
    this.#board.deliver(false);
    await this.#wire.spend((length + 1) / this.clockHz);
    if (reads) streams.answer(Uint8Array.of(answer));
    return true;
  }

  /**
   * Shifts up to eight bits; what comes in enters at the end where the first bit left. The slave samples MOSI on the
   * rising edge and changes MISO on the falling one (mode 0): MOSI that changes on the rising edge, too, is seen one bit
   * late.
   */
  #exchange(
    byte: number,
    bits: number,
    writes: boolean,
    order: { outOnFall: boolean; inOnFall: boolean; lsbFirst: boolean },
  ): number {
    let answer = 0;
    let late = 1;
    for (let count = 0; count < bits; count++) {
      const next = writes ? (byte >> (order.lsbFirst ? count : 7 - count)) & 1 : this.#mosi;
      const seen = order.outOnFall ? next : this.#mosi;
      this.#mosi = next;
      const pin = this.#board.clock(seen);
      const miso = this.#loopback ? seen : pin;
      const read = order.inOnFall ? late : miso;
      answer = order.lsbFirst ? (answer >> 1) | (read << 7) : (answer << 1) | read;
      late = miso;
    }
    return answer;
  }
}
