import type { FabricObservation, Recording, RecordingRequest } from '../observation.ts';
import { GOING_ON } from '../protocol.ts';
import { FabricRefusal } from '../refusal.ts';
import type { Machine } from './machine.ts';
import { Recorder } from './recorder.ts';
import { UartPeer } from './uart-peer.ts';

/** How a thread must schedule a design. */
export type Urgency =
  /** Bytes are in flight, or were a moment ago: it runs as fast as it can. */
  | 'busy'
  /** It runs on after recent use and keeps up with the wall clock, as far as other designs leave time. */
  | 'going-on'
  /** As these two, but the line is quiet, and the board's time is as far ahead of the wall clock as allowed. */
  | 'ahead'
  /** Nothing waits for it, but it runs by itself: it is paced. */
  | 'free-running'
  /** It rests: only an input can wake it. */
  | 'resting';

/** Board time after the last byte during which a design still runs at full speed, seconds. */
const ATTENTION = 0.12;
/**
 * Maximum lead of the board's time over the host's while the line is quiet, seconds. A design that needs a while to
 * answer does so at once. The limit keeps a short pause of the host from looking long: the base SoC drops a partial
 * frame after 100 ms of silence.
 */
const AHEAD = 0.02;
/** Minimum step of a design that is ahead, seconds: less is not worth a turn. */
const STEP = 0.002;
/** Maximum lag that a waking design makes up for, seconds of the thread's time. */
const CATCH_UP = 0.002;
/** Longest time that a design has a thread for itself, seconds. */
const SLICE = 0.002;
/** The same while the line is quiet, so that the next byte need not wait for a long turn. */
const QUIET_SLICE = 0.0002;

/** A configured design between its UART peer and the wall clock. */
export class RunningDesign {
  readonly uart: UartPeer;
  /** Set when the design can't continue. */
  stopped: FabricRefusal | null = null;
  /** The board's clock is paused: only steps advance it. */
  #paused = false;
  #recorder: Recorder | null = null;
  /** The last recording whose trigger was reported. */
  #triggered: Recorder | null = null;
  /** A finished recording that was not taken yet. */
  #recorded: Recording | null = null;
  /** A recording has stopped the clock. */
  #stopAsked = false;
  /** Board clock at which the counted silence begins. */
  #silenceFrom = 0;
  #startedAt: number;
  /** The design is handed to its user; before that, only its identity is read. */
  #ready = false;
  /** Until when it runs on by itself, ms. */
  #goesOnUntil: number;
  /** When the thread saw the line become quiet, ms. */
  #quietAt: number;
  /** Board clocks a millisecond on this thread: a cautious start, then measured. */
  #speed = 20;
  readonly #machine: Machine;
  readonly #clockHz: number;
  readonly #now: () => number;
  readonly #goingOn: () => number;

  constructor(
    machine: Machine,
    clockHz: number,
    baud: number,
    /** Monotonic milliseconds. */
    now: () => number,
    /** See GOING_ON. */
    goingOn = () => GOING_ON,
  ) {
    this.#machine = machine;
    this.#clockHz = clockHz;
    this.#now = now;
    this.#goingOn = goingOn;
    this.#startedAt = now();
    this.#goesOnUntil = this.#startedAt;
    this.#quietAt = this.#startedAt;
    this.uart = new UartPeer(
      {
        setRx: (level) => machine.setInput(0, level),
        tx: () => machine.output(0),
        run: (cycles) => (this.#recorder ? this.#recorder.run(this.uart.now, cycles) : machine.run(cycles)),
        // A clock that must stop ends the turn, as long work does.
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
    // A recording counts as a waiting caller.
    const attended = this.#recorder !== null || this.#silence < ATTENTION * this.#clockHz;
    if (!attended && this.#now() >= this.#goesOnUntil) return 'free-running';
    if (this.#allowed() < STEP * this.#clockHz) return 'ahead';
    return attended ? 'busy' : 'going-on';
  }

  /** Sends bytes from the host. A design that slept makes up for a part of that time. */
  send(bytes: Uint8Array): void {
    if (this.stopped) return;
    if (this.uart.quiet) this.#catchUp();
    this.use();
    this.uart.send(bytes);
  }

  /** Marks later traffic and observations as the user's. */
  ready(): void {
    this.#ready = true;
  }

  /** Records a use: a design with a user runs on for a while. */
  use(): void {
    if (!this.#ready) return;
    if (this.urgency === 'free-running') this.#forgive();
    this.#goesOnUntil = this.#now() + this.#goingOn();
  }

  /** Records a request about the inside as a use. A look at the clock alone is none: pages repeat it while they are open. */
  requested(request: FabricObservation): void {
    if (request.kind !== 'observe' || request.places.length > 0) this.use();
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

  /** Pauses or continues the clock. It does not make up for the missed time. */
  pause(paused: boolean): void {
    if (this.#paused && !paused) {
      this.#startedAt = this.#now() - (this.uart.now * 1000) / this.#clockHz;
      this.#forgive();
    }
    this.#paused = paused;
  }

  /** Drops the time owed from a quiet period. */
  #forgive(): void {
    this.#quietAt = this.#now();
    this.#silenceFrom = this.uart.now;
  }

  /** Steps so many board clocks while paused; fewer when a recording stops the clock earlier. */
  step(clocks: number): void {
    const end = this.uart.now + clocks;
    this.#stopAsked = false;
    while (this.uart.now < end && !this.stopped && !this.#stopAsked) this.#advance(end - this.uart.now);
  }

  /** Records from the next clock on; drops a recording in progress. */
  record(request: RecordingRequest): void {
    this.#recorded = null;
    this.#recorder = new Recorder(this.#machine, request);
  }

  /** Ends a recording early: its samples so far can be taken. */
  endRecording(): void {
    if (this.#recorder) this.#recorded = this.#recorder.result();
    this.#recorder = null;
  }

  /** Whether a continuing recording has triggered; reported once. */
  takeTriggered(): boolean {
    const now = this.#recorder?.triggered === true && !this.#recorder.finished;
    const first = now && this.#triggered !== this.#recorder;
    if (first) this.#triggered = this.#recorder;
    return first;
  }

  /** Takes the finished recording; null without one. */
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
        // After a pause long enough to matter to the design.
        if (this.#hostSilence > AHEAD * this.#clockHz) this.#advance(Math.min(most, this.#allowed()));
    }
  }

  #skip(clocks: number): void {
    this.#recorder?.pass(this.uart.now, clocks);
    this.uart.skip(clocks);
  }

  /** One turn of a busy design or one that runs on; the answer ends it. Returns the bytes that the design sent. */
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

  /** The same by the wall clock, in board clocks. */
  get #hostSilence(): number {
    return ((this.#now() - this.#quietAt) * this.#clockHz) / 1000;
  }

  /** Board clocks that a design may run while the line is quiet. */
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
      // Any error ends this design only, and not the others of the thread.
      this.stopped =
        error instanceof FabricRefusal ? error : new FabricRefusal('fabric_stopped', String(error));
    }
    const after = this.#now();
    if (this.uart.quietSince !== quietSince) this.#quietAt = after;
    const took = after - before;
    // A resting design skips cycles, so its speed means nothing.
    if (!this.#machine.resting && took > 0) {
      const measured = (this.uart.now - from) / took;
      this.#speed = Math.max(1, Math.min(measured, this.#speed * 4));
    }
  }
}
