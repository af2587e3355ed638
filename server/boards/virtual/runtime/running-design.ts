import type { Recording, RecordingRequest } from '../observation.ts';
import { FabricRefusal } from '../refusal.ts';
import type { Machine } from './machine.ts';
import { Recorder } from './recorder.ts';
import { UartPeer } from './uart-peer.ts';

/** How a thread has to treat a design now. */
export type Urgency =
  /** Bytes are on their way, or were a moment ago: it runs as fast as it can. */
  | 'busy'
  /** It goes on by itself and has been used lately: it keeps up with the clock on the wall, as far as others leave time. */
  | 'going-on'
  /** As these two, but the line is quiet, and the board's time is as far ahead of the clock on the wall as it may be. */
  | 'ahead'
  /** Nothing waits for it, but it goes on by itself: it is paced. */
  | 'free-running'
  /** It rests: only an input can wake it. */
  | 'resting';

/** Board time after the last byte during which a design still has all the time that it needs, seconds. */
const ATTENTION = 0.12;
/**
 * How long a design goes on by itself after the last byte to it or look at it, milliseconds of the host: a program that was started is
 * done when its user comes back.
 */
const GOING_ON = 60_000;
/**
 * How far the board's time may be ahead of the host's while the line is quiet, seconds: a design that needs a while to
 * answer does so at once, and yet what counts the silence of the host (the base SoC forgets half a frame after 100 ms)
 * does not take a pause of the host for a longer one.
 */
const AHEAD = 0.02;
/** What a design that is ahead waits for, seconds: less is not worth a turn. */
const STEP = 0.002;
/** Lag behind the board's clock that a waking design may make up for, seconds of the thread's time. */
const CATCH_UP = 0.002;
/** Longest time that a design has a thread for itself, seconds. */
const SLICE = 0.002;
/** The same while the line is quiet, when what comes next is awaited: it is not to wait for the end of a long turn. */
const QUIET_SLICE = 0.0002;

/** A configured design between its UART peer and the clock on the wall. */
export class RunningDesign {
  readonly uart: UartPeer;
  /** Set when the design could not go on. */
  stopped: FabricRefusal | null = null;
  /** The board's clock stands: it passes only by steps. */
  #paused = false;
  #recorder: Recorder | null = null;
  /** The last one of which it was said that its trigger has come. */
  #triggered: Recorder | null = null;
  /** What was recorded and nobody has taken yet. */
  #recorded: Recording | null = null;
  /** A recording has stopped the clock. */
  #stopAsked = false;
  /** Board clocks since which silence counts. */
  #silenceFrom = 0;
  #startedAt: number;
  /** It is there for its user: before, it is only asked who it is. */
  #ready = false;
  /** Until when it goes on by itself, milliseconds. */
  #goesOnUntil: number;
  /** When the thread saw that the line had become quiet, milliseconds. */
  #quietAt: number;
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
    this.#goesOnUntil = this.#startedAt;
    this.#quietAt = this.#startedAt;
    this.uart = new UartPeer(
      {
        setRx: (level) => machine.setInput(0, level),
        tx: () => machine.output(0),
        run: (cycles) => (this.#recorder ? this.#recorder.run(this.uart.now, cycles) : machine.run(cycles)),
        // A clock that is to stop ends the turn like work that takes long.
        laborious: () => machine.laborious || this.#takeHalt(),
      },
      clockHz,
      baud,
    );
  }

  get urgency(): Urgency {
    if (this.stopped || this.#paused) return 'resting';
    if (!this.uart.quiet) return 'busy';
    if (this.#machine.resting && (this.#recorder?.idle ?? true)) return 'resting';
    // What is being recorded is waited for.
    const attended = this.#recorder !== null || this.#silence < ATTENTION * this.#clockHz;
    if (!attended && this.#now() >= this.#goesOnUntil) return 'free-running';
    if (this.#allowed() < STEP * this.#clockHz) return 'ahead';
    return attended ? 'busy' : 'going-on';
  }

  /** Bytes from the host. A design that had slept makes up for a part of the time that it slept. */
  send(bytes: Uint8Array): void {
    if (this.stopped) return;
    if (this.uart.quiet) this.#catchUp();
    this.use();
    this.uart.send(bytes);
  }

  /** Who sends to the design or looks at it from now on uses it. */
  ready(): void {
    this.#ready = true;
  }

  /** Somebody sends to the design or looks at it: it goes on by itself for a while, where that is its user. */
  use(): void {
    if (!this.#ready) return;
    if (this.urgency === 'free-running') this.#forgive();
    this.#goesOnUntil = this.#now() + GOING_ON;
  }

  /** Board clocks since power-up. */
  get clock(): number {
    return this.uart.now;
  }

  get paused(): boolean {
    return this.#paused;
  }

  /** See Machine.unknown. */
  unknown(places: readonly string[]): number[] {
    return this.#machine.unknown(places);
  }

  /** See Machine.peek. */
  peek(places: readonly string[]): number[] {
    return this.#machine.peek(places);
  }

  /** Lets the clock stand, or go on. What it missed meanwhile it does not make up for. */
  pause(paused: boolean): void {
    if (this.#paused && !paused) {
      this.#startedAt = this.#now() - (this.uart.now * 1000) / this.#clockHz;
      this.#forgive();
    }
    this.#paused = paused;
  }

  /** What it has missed while nothing came it does not make up for. */
  #forgive(): void {
    this.#quietAt = this.#now();
    this.#silenceFrom = this.uart.now;
  }

  /** Lets so many board clocks pass while it is paused, fewer when a recording stops the clock before. */
  step(clocks: number): void {
    const end = this.uart.now + clocks;
    this.#stopAsked = false;
    while (this.uart.now < end && !this.stopped && !this.#stopAsked) this.#advance(end - this.uart.now);
  }

  /** Records from the next clock on; a recording that is under way ends without a trace. */
  record(request: RecordingRequest): void {
    this.#recorded = null;
    this.#recorder = new Recorder(this.#machine, request);
  }

  /** Ends a recording before its time: what it has so far can be taken. */
  endRecording(): void {
    if (this.#recorder) this.#recorded = this.#recorder.result();
    this.#recorder = null;
  }

  /** Whether the trigger of a recording has come that goes on after it; said once. */
  takeTriggered(): boolean {
    const now = this.#recorder?.triggered === true && !this.#recorder.finished;
    const first = now && this.#triggered !== this.#recorder;
    if (first) this.#triggered = this.#recorder;
    return first;
  }

  /** What was recorded, once; null while nothing is there. */
  takeRecording(): Recording | null {
    if (this.#recorder?.finished) this.endRecording();
    const recorded = this.#recorded;
    this.#recorded = null;
    return recorded;
  }

  #takeHalt(): boolean {
    if (!this.#recorder?.takeHalt()) return false;
    this.#paused = true;
    this.#stopAsked = true;
    return true;
  }

  #catchUp(): void {
    if (this.#paused) return;
    const most = Math.ceil(this.#speed * CATCH_UP * 1000);
    switch (this.urgency) {
      case 'resting':
        this.#skip(Math.max(0, this.#owed()));
        return;
      case 'free-running':
        this.#advance(Math.min(most, this.#owed()));
        return;
      case 'busy':
      case 'going-on':
      case 'ahead':
        // After a pause that may mean something to the design.
        if (this.#hostSilence > AHEAD * this.#clockHz) this.#advance(Math.min(most, this.#allowed()));
    }
  }

  #skip(clocks: number): void {
    this.#recorder?.pass(this.uart.now, clocks);
    this.uart.skip(clocks);
  }

  /** One turn of a busy design or one that goes on, which ends with its answer. Returns the bytes that it has sent. */
  runSlice(): Uint8Array {
    const { quiet } = this.uart;
    const most = quiet ? this.#allowed() : Math.ceil(AHEAD * this.#clockHz);
    const slice = quiet ? QUIET_SLICE : SLICE;
    this.#advance(Math.min(Math.ceil(this.#speed * slice * 1000), most), true);
    return this.uart.take();
  }

  /** One turn of a free-running design: up to the wall clock, or for `budget` milliseconds. */
  runPaced(budget: number): Uint8Array {
    this.#advance(Math.min(this.#owed(), Math.ceil(this.#speed * budget)));
    return this.uart.take();
  }

  /** Board clocks for which the line has been quiet. */
  get #silence(): number {
    return this.uart.now - Math.max(this.uart.quietSince, this.#silenceFrom);
  }

  /** The same by the clock on the wall, in board clocks. */
  get #hostSilence(): number {
    return ((this.#now() - this.#quietAt) * this.#clockHz) / 1000;
  }

  /** Whole board clocks for which a design may go on while the line is quiet. */
  #allowed(): number {
    return Math.floor(Math.max(AHEAD * this.#clockHz, this.#hostSilence) - this.#silence);
  }

  /** Board clocks that the wall clock is ahead. */
  #owed(): number {
    return Math.floor(((this.#now() - this.#startedAt) * this.#clockHz) / 1000 - this.uart.now);
  }

  /** @param untilAnswered see UartPeer.advance */
  #advance(cycles: number, untilAnswered = false): void {
    if (cycles <= 0) return;
    const before = this.#now();
    const from = this.uart.now;
    const quietSince = this.uart.quietSince;
    try {
      this.uart.advance(cycles, untilAnswered);
    } catch (error) {
      // Whatever it is, it ends this design and not its neighbours in the thread.
      this.stopped =
        error instanceof FabricRefusal ? error : new FabricRefusal('fabric_stopped', String(error));
    }
    const after = this.#now();
    if (this.uart.quietSince !== quietSince) this.#quietAt = after;
    const took = after - before;
    // A resting design passes cycles without executing them, so its speed says nothing.
    if (!this.#machine.resting && took > 0) {
      const measured = (this.uart.now - from) / took;
      this.#speed = Math.max(1, Math.min(measured, this.#speed * 4));
    }
  }
}
