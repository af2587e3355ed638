import type { JtagPart } from './jtag-tap.ts';
import type { SpiFlash } from './spi-flash.ts';

/** Instructions of the ECP5 (Lattice FPGA-TN-02039, "ECP5 and ECP5-5G sysCONFIG"). */
const INSTRUCTION = {
  erase: 0x0e,
  preload: 0x1c,
  disable: 0x26,
  spi: 0x3a,
  status: 0x3c,
  initAddress: 0x46,
  refresh: 0x79,
  burst: 0x7a,
  enable: 0xc6,
  idcode: 0xe0,
  busy: 0xf0,
} as const;

/** Bits of the status register, and its error codes from bit 23 on. */
const STATUS = { done: 1 << 8, enabled: 1 << 9, fail: 1 << 13 } as const;
const ERROR = { none: 0, id: 1, command: 2, crc: 3, preamble: 4 } as const;

/** Commands inside a bitstream (Project Trellis, "Bitstream Commands"). */
const COMMAND = {
  dummy: 0xff,
  resetCrc: 0x3b,
  verifyId: 0xe2,
  control: 0x22,
  initAddress: 0x46,
  frames: 0x82,
  userCode: 0xc2,
  done: 0x5e,
} as const;

/** Bytes of each frame in a bitstream of a part, before a CRC of two bytes (Project Trellis). */
const FRAME_BYTES: Record<number, number> = { 2165387331: 142, 1091637315: 74, 554766403: 74 };
/** Key that opens the way to the FPGA's flash: operand of LSC_PROG_SPI. */
const SPI_KEY = [0xfe, 0x68];

type Outcome = { kind: 'running' } | { kind: 'done' } | { kind: 'failed'; error: number };

/**
 * Reads a bitstream as the configuration logic does: what comes before the preamble is passed over, the id must be the
 * part's own, and only the command at its end makes the FPGA start. CRCs are passed over.
 */
function readEcp5Bitstream(bytes: Uint8Array, idcode: number): Outcome {
  const preamble = Buffer.from(bytes).indexOf(Uint8Array.of(0xff, 0xff, 0xbd, 0xb3));
  if (preamble < 0) return { kind: 'failed', error: ERROR.preamble };
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const frameBytes = (FRAME_BYTES[idcode] ?? 0) + 2;
  for (let at = preamble + 4; at < bytes.length; ) {
    const command = bytes[at];
    if (command === COMMAND.dummy) {
      at += 1;
      continue;
    }
    if (at + 4 > bytes.length) break;
    const operand = at + 4;
    at = operand;
    switch (command) {
      case COMMAND.resetCrc:
      case COMMAND.initAddress:
        break;
      case COMMAND.verifyId:
        if (operand + 4 > bytes.length) return { kind: 'running' };
        if (view.getUint32(operand) !== idcode) return { kind: 'failed', error: ERROR.id };
        at += 4;
        break;
      case COMMAND.control:
      case COMMAND.userCode:
        at += 4;
        break;
      case COMMAND.frames:
        at += view.getUint16(operand - 2) * frameBytes;
        break;
      case COMMAND.done:
        return { kind: 'done' };
      default:
        return { kind: 'failed', error: ERROR.command };
    }
  }
  return { kind: 'running' };
}

/** A valid bitstream for a part, with random content; no design. @param frames the part's own number or fewer. */
export function ecp5Bitstream(idcode: number, frames: number, content: (at: number) => number): Uint8Array {
  const id = [24, 16, 8, 0].map((shift) => (idcode >>> shift) & 0xff);
  const size = frames * ((FRAME_BYTES[idcode] ?? 0) + 2);
  return Uint8Array.from([
    ...[0xff, 0x00, ...Buffer.from('Part: test\0'), 0xff],
    ...[0xff, 0xff, 0xbd, 0xb3, 0xff, 0xff, 0xff, 0xff],
    ...[COMMAND.resetCrc, 0, 0, 0],
    ...[COMMAND.verifyId, 0, 0, 0, ...id],
    ...[COMMAND.control, 0, 0, 0, 0x40, 0, 0, 0],
    ...[COMMAND.initAddress, 0, 0, 0],
    ...[COMMAND.frames, 0x91, frames >> 8, frames & 0xff],
    ...Array.from({ length: size }, (_, at) => content(at) & 0xff),
    ...[COMMAND.done, 0, 0, 0, 0xff, 0xff, 0xff, 0xff],
  ]);
}

/** The configuration logic of an ECP5 at its TAP, with the flash that it boots from. */
export class Ecp5Part implements JtagPart {
  readonly instructionBits = 8;
  readonly resetInstruction = INSTRUCTION.idcode;
  readonly idcode: number;
  /** The bitstream that the FPGA was configured with since it was last erased. */
  configuration: Uint8Array = new Uint8Array(0);
  /** Instructions in the order in which they came. */
  readonly instructions: number[] = [];
  readonly #flash: SpiFlash;
  readonly #changed: (configured: boolean) => void;
  #done = false;
  #enabled = false;
  #fail = false;
  #error: number = ERROR.none;
  #spiOpen = false;
  /** The selected data register, first bit out first; empty for bitstream and flash, which have none. */
  #register: number[] = [];
  #burst: number[] = [];
  #burstByte = 0;
  #burstBits = 0;

  /** @param options.changed the FPGA starts with `configuration`, or it has been cleared. */
  constructor(options: { idcode: number; flash: SpiFlash; changed: (configured: boolean) => void }) {
    this.idcode = options.idcode;
    this.#flash = options.flash;
    this.#changed = options.changed;
  }

  get done(): boolean {
    return this.#done;
  }

  get #status(): number {
    return (
      (this.#done ? STATUS.done : 0) |
      (this.#enabled ? STATUS.enabled : 0) |
      (this.#fail ? STATUS.fail : 0) |
      (this.#error << 23)
    );
  }

  begin(instruction: number): void {
    this.instructions.push(instruction);
    switch (instruction) {
      case INSTRUCTION.disable:
        this.#enabled = false;
        if (this.#done) this.#changed(true);
        break;
      case INSTRUCTION.burst:
        this.#burst = [];
        this.#burstBits = 0;
        break;
      case INSTRUCTION.refresh:
        this.boot();
        break;
    }
  }

  capture(instruction: number): void {
    this.#register = this.#captured(instruction);
    if (instruction === INSTRUCTION.spi && this.#spiOpen) this.#flash.select(true);
  }

  #captured(instruction: number): number[] {
    const bits = (value: number, count: number) =>
      Array.from({ length: count }, (_, at) => (value >>> at) & 1);
    switch (instruction) {
      case INSTRUCTION.idcode:
        return bits(this.idcode, 32);
      case INSTRUCTION.status:
        return bits(this.#status, 32);
      case INSTRUCTION.busy:
      case INSTRUCTION.enable:
      case INSTRUCTION.erase:
        return bits(0, 8);
      case INSTRUCTION.spi:
        return this.#spiOpen ? [] : bits(0, 16);
      case INSTRUCTION.preload:
        return bits(0, 208);
      default:
        // BYPASS, and unknown instructions.
        return [0];
    }
  }

  shift(instruction: number, tdi: number): number {
    if (instruction === INSTRUCTION.burst) {
      this.#burstByte = ((this.#burstByte << 1) | tdi) & 0xff;
      if (++this.#burstBits % 8 === 0) this.#burst.push(this.#burstByte);
      return 0;
    }
    // The flash's chip select is low while the data register is shifted: its bits pass straight through.
    if (instruction === INSTRUCTION.spi && this.#spiOpen) return this.#flash.clock(tdi);
    this.#register.push(tdi);
    return this.#register.shift() ?? 0;
  }

  update(instruction: number): void {
    const operand = this.#register.reduce((value, bit, at) => value | (bit << at), 0);
    switch (instruction) {
      case INSTRUCTION.enable:
        this.#enabled = true;
        break;
      case INSTRUCTION.erase:
        if (this.#enabled && operand & 1) this.#clear();
        else this.#fail = true;
        break;
      case INSTRUCTION.burst:
        if (this.#enabled) this.#configure(Uint8Array.from(this.#burst));
        break;
      case INSTRUCTION.spi:
        if (this.#spiOpen) this.#flash.select(false);
        else this.#spiOpen = (operand & 0xff) === SPI_KEY[0] && operand >> 8 === SPI_KEY[1];
        break;
    }
  }

  #clear(): void {
    this.#done = false;
    this.#fail = false;
    this.#error = ERROR.none;
    this.configuration = new Uint8Array(0);
    this.#changed(false);
  }

  #configure(bytes: Uint8Array): void {
    const outcome = readEcp5Bitstream(bytes, this.idcode);
    this.configuration = bytes;
    this.#done = outcome.kind === 'done';
    this.#error = outcome.kind === 'failed' ? outcome.error : ERROR.none;
  }

  /** Power comes, or REFRESH: the FPGA clears itself and reads its flash. */
  boot(): void {
    this.#enabled = false;
    this.#spiOpen = false;
    this.#clear();
    if (this.#flash.content.subarray(0, 256).every((byte) => byte === 0xff)) return;
    this.#configure(this.#flash.content.slice());
    if (this.#done) this.#changed(true);
  }
}
