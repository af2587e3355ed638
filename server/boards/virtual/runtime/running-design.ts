import { FabricRefusal } from '../refusal.ts';
import type { Machine } from './machine.ts';
import { UartPeer } from './uart-peer.ts';

/** How a thread has to treat a design now. */
export type Urgency =
  /** Bytes are on their way, or were a moment ago: it runs as fast as it can. */
  | 'busy'
  /** Nothing waits for it, but it goes on by itself: it is paced. */
  | 'free-running'
  /** It rests: only an input can wake it. */
  | 'resting';

/** Board time after the last byte during which a design still runs as fast as it can, seconds. */
const ATTENTION = 0.1;
/** Lag behind the board's clock that a waking design may make up for, seconds of the thread's time. */
const CATCH_UP = 0.002;
/** Longest time that a design has a thread for itself, seconds. */
const SLICE = 0.002;

/** A configured design between its UART peer and the clock on the wall. */
export class RunningDesign {
  readonly uart: UartPeer;
  /** Set when the design could not go on. */
  stopped: FabricRefusal | null = null;
  readonly #startedAt: number;
  #lastByteAt = 0;
  /** Board clocks a millisecond of this thread does: cautious at first, then measured. */
  #speed = 20;
  readonly #machine: Machine;
  readonly #clockHz: number;
  readonly #now: () => number;

  constructor(
    machine: Machine,
    clockHz: number,
    baud: number,
    /** Milliseconds, monotonic. */
    now: () => number,
  ) {
    this.#machine = machine;
    this.#clockHz = clockHz;
    this.#now = now;
    this.#startedAt = now();
    this.uart = new UartPeer(
      {
        setRx: (level) => machine.setInput(0, level),
        tx: () => machine.output(0),
        run: (cycles) => machine.run(cycles),
        laborious: () => machine.laborious,
      },
      clockHz,
      baud,
    );
  }

  get urgency(): Urgency {
    if (this.stopped) return 'resting';
    if (!this.uart.quiet) return 'busy';
    if (this.#machine.resting) return 'resting';
    return this.uart.now - this.#lastByteAt < ATTENTION * this.#clockHz ? 'busy' : 'free-running';
  }

  /** Bytes from the host. A design that had slept makes up for a part of the time that it slept. */
  send(bytes: Uint8Array): void {
    if (this.stopped) return;
    if (this.urgency === 'free-running') this.runPaced(CATCH_UP * 1000);
    else if (this.urgency === 'resting') this.uart.skip(Math.max(0, this.#owed()));
    this.uart.send(bytes);
    this.#lastByteAt = this.uart.now;
  }

  /** One turn of a busy design. Returns the bytes that it has sent. */
  runSlice(): Uint8Array {
    return this.#advance(Math.ceil(this.#speed * SLICE * 1000));
  }

  /** One turn of a free-running design: up to the wall clock, or for `budget` milliseconds. */
  runPaced(budget: number): Uint8Array {
    const owed = this.#owed();
    if (owed <= 0) return new Uint8Array(0);
    return this.#advance(Math.min(owed, Math.ceil(this.#speed * budget)));
  }

  /** Board clocks that the wall clock is ahead. */
  #owed(): number {
    return Math.floor(((this.#now() - this.#startedAt) * this.#clockHz) / 1000 - this.uart.now);
  }

  #advance(cycles: number): Uint8Array {
    const before = this.#now();
    const from = this.uart.now;
    try {
      this.uart.advance(cycles);
    } catch (error) {
      // Whatever it is, it ends this design and not its neighbours in the thread.
      this.stopped =
        error instanceof FabricRefusal ? error : new FabricRefusal('fabric_stopped', String(error));
    }
    const took = this.#now() - before;
    // A resting design passes cycles without executing them, so its speed says nothing.
    if (!this.#machine.resting && took > 0) {
      const measured = (this.uart.now - from) / took;
      this.#speed = Math.max(1, Math.min(measured, this.#speed * 4));
    }
    const bytes = this.uart.take();
    if (bytes.length > 0) this.#lastByteAt = this.uart.now;
    return bytes;
  }
}
