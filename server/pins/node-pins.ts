import type { Clock } from '../clock.ts';
import type { DesignPin, MatchedDesign } from '../contract/designs/uploads.ts';
import type { PinsEvent } from '../contract/events/events.ts';
import type { NodeView } from '../contract/nodes/nodes.ts';
import type { Pin, PinList, PinSettings } from '../contract/nodes/pins.ts';
import { BenchError } from '../errors/bench-error.ts';
import { jobsError } from '../errors/jobs.ts';
import type { NodePool } from '../jobs/node-pool.ts';
import { workInSession } from '../jobs/session-work.ts';
import { initialBits, isSampled, pinBits } from '../toolchain/slave/pins.ts';
import type { WishboneLink } from '../wishbone/link.ts';
import { drivePins, type PinSnapshot, readPins } from '../wishbone/pin-block.ts';
import { describePins, withPins } from './pin-values.ts';

/** Minimum interval of pin events and snapshots, ms: 20 times a second. */
const PUBLISH_MS = 50;
/** Delay before the next snapshot after a failure, ms. */
const AGAIN_MS = 1000;

/** The pins of the running design. */
interface Known {
  jobId: string;
  pins: readonly DesignPin[];
  /** Last set levels of the inputs, in port block order. */
  driven: bigint;
}

/** Bits that rose and fell, in port block order. */
interface Edges {
  rose: bigint;
  fell: bigint;
}

const NO_EDGES: Edges = { rose: 0n, fell: 0n };
const joined = (a: Edges, b: Edges): Edges => ({ rose: a.rose | b.rose, fell: a.fell | b.fell });

/** The pins as last published. */
interface PublishedPins {
  known: Known;
  pins: readonly Pin[];
  at: number;
}

/** The part of the node pool that this file needs; see NodePool. */
export interface PinPool extends Pick<NodePool, 'designJob' | 'renewSession'> {
  node(fpgaId: number): Pick<NodeView, 'state' | 'session' | 'resetting'>;
  report(fpgaId: number, jobId: string): Promise<{ design: Pick<MatchedDesign, 'pins'> }>;
  overLink<T>(
    fpgaId: number,
    sessionId: string,
    work: (link: Pick<WishboneLink, 'read' | 'write'>) => Promise<T>,
  ): Promise<T>;
}

export interface NodePinsOptions {
  fpgaId: number;
  pool: PinPool;
  clock: Clock;
  /** Publishes changes. */
  publish(event: PinsEvent): void;
}

/**
 * The pins of one node. A snapshot clears the board's edges, so they are collected here separately for callers and for
 * watchers.
 */
export class NodePins {
  readonly #options: NodePinsOptions;
  #known: Known | null = null;
  #levels = 0n;
  /** Edges since the last read, and since the last event. */
  #unasked = NO_EDGES;
  #untold = NO_EDGES;
  #published: PublishedPins | null = null;
  #cancelTelling: (() => void) | null = null;
  #watchers = 0;
  #polling = false;
  #cancelPoll: (() => void) | null = null;

  constructor(options: NodePinsOptions) {
    this.#options = options;
  }

  /**
   * The pins, with the edges since the last read. @throws fpga_not_reserved, no_build_report, and what the link throws.
   */
  async read(): Promise<PinList> {
    const known = await this.#look(null);
    return this.#answer(known);
  }

  /** Sets inputs, all or none; then as `read`. @throws also pin_unknown, pin_not_input, pin_too_wide. */
  async set(wanted: PinSettings['pins']): Promise<PinList> {
    const { fpgaId, pool } = this.#options;
    return this.#answer(await workInSession(pool, fpgaId, () => this.#look(wanted)));
  }

  /** All pins as an event, for a new watcher; empty while no session holds the node. */
  async current(): Promise<PinsEvent> {
    const { fpgaId } = this.#options;
    const none: PinsEvent = { type: 'pins', fpga_id: fpgaId, complete: true, pins: [] };
    try {
      const known = await this.#look(null);
      return { ...none, pins: describePins(known.pins, known.driven, this.#snapshot(NO_EDGES)) };
    } catch (error) {
      if (error instanceof BenchError) return none;
      throw error;
    }
  }

  /** Takes snapshots repeatedly while there are watchers; returns the function that ends it. */
  watch(): () => void {
    this.#watchers++;
    this.#poll();
    let watching = true;
    return () => {
      if (watching) this.#watchers--;
      watching = false;
    };
  }

  /** The node has changed: another design has other pins. */
  nodeChanged(): void {
    if (!this.#runs() && this.#published !== null) {
      this.#forget();
      this.#options.publish({ type: 'pins', fpga_id: this.#options.fpgaId, complete: true, pins: [] });
    }
    this.#poll();
  }

  close(): void {
    this.#watchers = 0;
    this.#forget();
    this.#cancelPoll?.();
  }

  /** Whether a session holds the node and its design is on the board. */
  #runs(): boolean {
    const { fpgaId, pool } = this.#options;
    const { state, session, resetting } = pool.node(fpgaId);
    return state === 'reserved' && session !== null && !resetting;
  }

  #forget(): void {
    this.#cancelTelling?.();
    this.#cancelTelling = null;
    this.#published = null;
    this.#untold = NO_EDGES;
    this.#unasked = NO_EDGES;
  }

  #snapshot(edges: Edges): PinSnapshot {
    return { levels: this.#levels, ...edges };
  }

  #answer({ pins, driven }: Known): PinList {
    const list = describePins(pins, driven, this.#snapshot(this.#unasked));
    this.#unasked = NO_EDGES;
    return { fpga_id: this.#options.fpgaId, pins: list };
  }

  /** Sets the wanted inputs and takes a snapshot, in one turn at the link. */
  async #look(wanted: PinSettings['pins'] | null): Promise<Known> {
    const { fpgaId, pool } = this.#options;
    const known = await this.#knownNow();
    const { session } = pool.node(fpgaId);
    if (!this.#runs() || session === null || !known) throw jobsError('fpga_not_reserved');
    const { inputs, outputs } = pinBits(known.pins);
    // Report errors before anything is queued.
    if (wanted) withPins(known.pins, known.driven, wanted);
    const drives = wanted !== null && Object.keys(wanted).length > 0;
    if (!drives && outputs === 0) {
      this.#seen(known, { levels: 0n, ...NO_EDGES });
      return known;
    }
    const seen = await pool.overLink(fpgaId, session.session_id, async (link) => {
      const levels = drives ? withPins(known.pins, known.driven, wanted) : known.driven;
      // The line keeps their order.
      const [, snapshot] = await Promise.all([
        drives ? drivePins(link, levels, inputs) : null,
        readPins(link, outputs),
      ]);
      known.driven = levels;
      return snapshot;
    });
    this.#seen(known, seen);
    return known;
  }

  #seen(known: Known, { levels, rose, fell }: PinSnapshot): void {
    if (known !== this.#known) return;
    this.#levels = levels;
    this.#unasked = joined(this.#unasked, { rose, fell });
    this.#untold = joined(this.#untold, { rose, fell });
    this.#publishSoon();
  }

  /** Publishes changes, now or at the end of the minimum interval. */
  #publishSoon(): void {
    if (this.#cancelTelling !== null) return;
    const { clock } = this.#options;
    const wait = this.#published === null ? 0 : this.#published.at + PUBLISH_MS - clock.monotonic();
    if (wait <= 0) this.#publishNow();
    else
      this.#cancelTelling = clock.after(wait, () => {
        this.#cancelTelling = null;
        this.#publishNow();
      });
  }

  #publishNow(): void {
    const { clock, fpgaId, publish } = this.#options;
    const known = this.#known;
    if (known === null || !this.#runs()) return;
    const pins = describePins(known.pins, known.driven, this.#snapshot(this.#untold));
    this.#untold = NO_EDGES;
    const before = this.#published?.known === known ? this.#published.pins : null;
    const changed = before === null ? pins : pins.filter((pin, i) => differs(pin, before[i]));
    if (changed.length === 0 && before !== null) return;
    this.#published = { known, pins, at: clock.monotonic() };
    publish({ type: 'pins', fpga_id: fpgaId, complete: before === null, pins: changed });
  }

  /** Polls the board while there are watchers and outputs that could change. */
  #poll(): void {
    if (this.#polling || this.#watchers === 0 || !this.#runs()) return;
    const { clock } = this.#options;
    this.#polling = true;
    const began = clock.monotonic();
    const again = (ms: number) => {
      this.#cancelPoll = clock.after(ms, () => {
        this.#polling = false;
        this.#poll();
      });
    };
    this.#look(null).then(
      ({ pins }) => {
        if (pins.some(isSampled)) again(Math.max(1, began + PUBLISH_MS - clock.monotonic()));
        // Inputs change only through `set`, which publishes them.
        else this.#polling = false;
      },
      // The node itself reports errors of its board.
      () => again(AGAIN_MS),
    );
  }

  async #knownNow(): Promise<Known | null> {
    const { fpgaId, pool } = this.#options;
    const jobId = pool.designJob(fpgaId);
    if (jobId === null) return null;
    if (this.#known?.jobId === jobId) return this.#known;
    const { design } = await pool.report(fpgaId, jobId);
    if (this.#known?.jobId === jobId) return this.#known;
    const pins = design.pins ?? []; // an older build without a port block has none
    this.#forget();
    this.#known = { jobId, pins, driven: initialBits(pins) };
    return this.#known;
  }
}

const differs = (pin: Pin, before: Pin | undefined): boolean =>
  pin.value !== before?.value ||
  pin.released !== before.released ||
  pin.driven !== before.driven ||
  BigInt(pin.rose) !== 0n ||
  BigInt(pin.fell) !== 0n;
