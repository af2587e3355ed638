import type { Clock } from '../../clock.ts';
import { boardsError } from '../../errors/boards.ts';
import type { FtdiChannel } from './ftdi-channel.ts';
import { BAD_COMMAND, FLUSH, NO_COMMAND, PIN, READ_PINS } from './mpsse.ts';

/** Time limit for an answer of the MPSSE, ms. It takes one; a busy computer may be late. */
const ANSWER_DEADLINE = 5_000;

/** Size of a channel's buffer to the host, bytes. */
const CHIP_BUFFER = 4096;

/** An iCE40 and its flash behind a channel in MPSSE mode. */
export class Ice40Port {
  readonly clock: Clock;
  readonly #channel: FtdiChannel;

  constructor(channel: FtdiChannel, clock: Clock) {
    this.#channel = channel;
    this.clock = clock;
  }

  /**
   * Synchronises with the MPSSE: sends an invalid command and waits for its answer, after any older bytes.
   * @throws usb_transfer_failed.
   */
  async synchronize(): Promise<void> {
    await this.send([NO_COMMAND, ...FLUSH]);
    let before = 0;
    for (let read = 0; read < CHIP_BUFFER; read++) {
      const [byte = 0] = await this.#channel.read(1, ANSWER_DEADLINE);
      if (before === BAD_COMMAND && byte === NO_COMMAND) return;
      before = byte;
    }
    throw boardsError('usb_transfer_failed', { message: 'The USB chip does not accept commands.' });
  }

  /**
   * Sends commands without reading.
   * @param onSent called after every step with the bytes sent so far.
   */
  send(commands: readonly number[] | Uint8Array, onSent?: (bytes: number) => void): Promise<void> {
    return this.#channel.write(commands instanceof Uint8Array ? commands : Uint8Array.from(commands), onSent);
  }

  /** Sends commands and reads the `length` bytes that they produce. */
  async ask(commands: readonly number[], length: number): Promise<Uint8Array> {
    await this.send([...commands, ...FLUSH]);
    return this.#channel.read(length, ANSWER_DEADLINE);
  }

  /** CDONE at this moment. */
  async cdone(): Promise<boolean> {
    const [levels = 0] = await this.ask(READ_PINS, 1);
    return (levels & PIN.cdone) !== 0;
  }

  /** Reads CDONE until it is high, at least once; false when it is not within `ms` milliseconds. */
  async cdoneWithin(ms: number): Promise<boolean> {
    const until = this.clock.monotonic() + ms;
    for (;;) {
      // The last read begins after the deadline: this process may have been delayed before it.
      const late = this.clock.monotonic() >= until;
      if (await this.cdone()) return true;
      if (late) return false;
    }
  }
}
