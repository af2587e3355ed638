import type { Recorder } from '../../../server/boards/virtual/runtime/recorder.ts';
import type { TransferResult, WishboneLink } from '../../../server/wishbone/link.ts';
import { encodeFrame } from '../../../server/wishbone/uartbone.ts';

/** Clocks a bit of the line, at 3 Mbaud and 12 MHz. */
const BIT = 4;
/** Clocks of silence in which an answer must have begun. */
const PATIENCE = 10_000;
/** Words of one read. */
const BURST = 250;

/** The line of a machine that is stepped clock by clock, from the host's side: frames only, without checks. */
export class MachineLine implements Pick<WishboneLink, 'read' | 'write'> {
  clock = 0;
  readonly #step: (clock: number, level: 0 | 1) => 0 | 1;
  readonly #received: number[] = [];
  /** Clocks since the start bit began, of the byte that is coming; null between bytes. */
  #since: number | null = null;
  #byte = 0;

  /** @param machine runs a clock with a level of the receive line, and returns that of the transmit line */
  constructor(
    machine: { setInput(input: 0, level: 0 | 1): void; output(output: 0): number },
    recorder: Recorder,
  ) {
    this.#step = (clock, level) => {
      machine.setInput(0, level);
      recorder.run(clock, 1);
      return machine.output(0) ? 1 : 0;
    };
  }

  /** Lets clocks pass. */
  wait(clocks: number, level: 0 | 1 = 1): void {
    for (let k = 0; k < clocks; k++) this.#hear(this.#step(this.clock++, level));
  }

  async read(byteAddress: number, words: number, { fixed = false } = {}): Promise<TransferResult> {
    const data = new Uint32Array(words);
    for (let at = 0; at < words; at += BURST) {
      const count = Math.min(BURST, words - at);
      data.set(this.#burst(byteAddress + (fixed ? 0 : 4 * at), count, fixed), at);
    }
    return { ok: true, data };
  }

  async write(byteAddress: number, data: Uint32Array): Promise<TransferResult> {
    this.#send(encodeFrame({ kind: 'write', byteAddress, data, fixed: false }));
    this.wait(40 * 32);
    return { ok: true, data: new Uint32Array() };
  }

  #burst(byteAddress: number, words: number, fixed: boolean): Uint32Array {
    this.#send(encodeFrame({ kind: 'read', byteAddress, words, fixed }));
    for (let patience = PATIENCE; this.#received.length < 4 * words; patience--) {
      if (this.#since !== null) patience = PATIENCE;
      if (patience === 0) throw new Error('The machine does not answer.');
      this.wait(1);
    }
    const bytes = Buffer.from(this.#received.splice(0));
    return Uint32Array.from({ length: words }, (_, word) => bytes.readUInt32BE(4 * word));
  }

  #send(bytes: Uint8Array): void {
    for (const byte of bytes)
      for (let k = 0, frame = (byte << 1) | 0x200; k < 10; k++, frame >>= 1)
        this.wait(BIT, frame & 1 ? 1 : 0);
  }

  #hear(level: 0 | 1): void {
    if (this.#since === null) {
      if (level === 0) this.#since = 0;
      return;
    }
    this.#since++;
    const bit = (this.#since - BIT / 2) / BIT;
    if (!Number.isInteger(bit) || bit === 0) return;
    if (bit <= 8) this.#byte |= level << (bit - 1);
    else {
      this.#received.push(this.#byte);
      this.#byte = 0;
      this.#since = null;
    }
  }
}
