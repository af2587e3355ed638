import type { Clock } from '../../clock.ts';
import type { FtdiChannel } from './ftdi-channel.ts';
import { FLUSH, PIN, READ_PINS } from './mpsse.ts';

/** Milliseconds for an answer of the MPSSE itself, which comes within one. */
const ANSWER_DEADLINE = 1_000;

/** An iCE40 and its flash behind a channel whose MPSSE is switched on. */
export class Ice40Port {
  readonly clock: Clock;
  readonly #channel: FtdiChannel;

  constructor(channel: FtdiChannel, clock: Clock) {
    this.#channel = channel;
    this.clock = clock;
  }

  /**
   * Sends commands; nothing is read.
   * @param onSent called with the bytes sent so far after every step.
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
    do {
      if (await this.cdone()) return true;
    } while (this.clock.monotonic() < until);
    return false;
  }
}
