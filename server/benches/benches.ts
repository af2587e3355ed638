import { type Clock, every } from '../clock.ts';
import type { ListedBench } from '../contract/bench/settings.ts';
import type { BenchView } from '../contract/remote/benches.ts';
import { benchesError } from '../errors/benches.ts';
import type { EventHub } from '../events/events.ts';
import type { Logger } from '../log.ts';
import type { StoredDocument } from '../store/document.ts';
import { type BenchName, BenchNames } from './bench-names.ts';
import { type Announced, type DiscoveredBench, Discovery } from './discovery.ts';
import type { MulticastOptions } from './multicast.ts';
import { digitsOf } from './pinned-agent.ts';
import { type BenchAddress, WatchedBench } from './watched-bench.ts';

/** Time without an answer after which a discovered bench is removed, ms; listed ones stay. */
const FORGET_MS = 600_000;
const LOOK_FOR_FORGOTTEN_MS = 30_000;

const literal = (host: string): string => (host.includes(':') ? `[${host}]` : host);

/** A listed bench in the form for watching. */
const ofSettings = ({ name, address, key, fingerprint }: ListedBench): BenchAddress => ({
  name,
  address,
  found: 'settings',
  title: null,
  key: key ?? null,
  fingerprint: fingerprint ?? null,
});

const isSame = (a: BenchAddress, b: BenchAddress): boolean => JSON.stringify(a) === JSON.stringify(b);

/** The benches to watch, and this bench's own announcement. */
export interface BenchesWish {
  known: readonly ListedBench[];
  /** Null while discovery is off. */
  announce: Announced | null;
}

/** The remote benches: those listed in the settings, and discovered ones. Each is watched separately. */
export class Benches {
  /** Of this bench; see OwnBench. */
  readonly id: string;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #events: EventHub;
  readonly #multicast: MulticastOptions | undefined;
  readonly #onChange = new Set<(bench: WatchedBench) => void>();
  #watched = new Map<string, WatchedBench>();
  readonly #names: BenchNames;
  #known: readonly ListedBench[] = [];
  #discovered: readonly DiscoveredBench[] = [];
  /** The wish that was applied last. */
  #wish = '';
  #discovery: Discovery | null = null;
  readonly #end: () => void;
  #closed = false;

  constructor(options: {
    id: string;
    clock: Clock;
    logger: Logger;
    events: EventHub;
    multicast?: MulticastOptions | undefined;
    /** The names of discovered benches. */
    names: StoredDocument<BenchName[]>;
  }) {
    this.id = options.id;
    this.#clock = options.clock;
    this.#logger = options.logger;
    this.#events = options.events;
    this.#multicast = options.multicast;
    this.#names = new BenchNames(options.names);
    this.#end = every(options.clock, LOOK_FOR_FORGOTTEN_MS, () => this.#forget());
  }

  /** Watches the listed benches, and switches discovery on or off. */
  async apply({ known, announce }: BenchesWish): Promise<void> {
    if (this.#closed) return;
    const wanted = JSON.stringify({ known, announce });
    if (wanted === this.#wish) return;
    this.#wish = wanted;
    this.#known = known;
    const before = this.#discovery;
    if (announce !== null && before !== null) before.announce(announce);
    else if (announce !== null) this.#discovery = this.#discover(announce);
    else {
      this.#discovery = null;
      this.#discovered = [];
    }
    this.#arrange();
    if (announce === null) await before?.close();
  }

  #discover(own: Announced): Discovery {
    return new Discovery({
      own,
      clock: this.#clock,
      logger: this.#logger,
      multicast: this.#multicast,
      lives: (id) => this.#watched.get(this.#names.of(id) ?? '')?.live ?? false,
      onChange: (heard) => {
        this.#discovered = heard;
        this.#arrange();
      },
    });
  }

  /** Every remote bench, by name. */
  list(): BenchView[] {
    return this.#shown()
      .map(({ view }) => view)
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** @throws bench_not_known; with `alive`, the connection error of a bench that does not answer. */
  get(name: string, alive = false): WatchedBench {
    const bench = this.#watched.get(name);
    if (!bench || bench.id === this.id) throw benchesError('bench_not_known');
    if (alive && !bench.live) throw bench.trouble;
    return bench;
  }

  /** The listed benches with idle nodes, the one with most of them first. */
  withRoom(): WatchedBench[] {
    const idle = ({ idle }: WatchedBench) => idle ?? 0;
    return [...this.#shown()]
      .filter((bench) => bench.known.found === 'settings' && idle(bench) > 0)
      .sort((a, b) => idle(b) - idle(a));
  }

  /** Calls back when the state of a bench has changed. */
  onChange(listener: (bench: WatchedBench) => void): () => void {
    this.#onChange.add(listener);
    return () => this.#onChange.delete(listener);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#end();
    for (const bench of this.#watched.values()) bench.close();
    await this.#discovery?.close();
  }

  /** Without this bench itself, and without duplicates. */
  #shown(): WatchedBench[] {
    return [...this.#watched.values()].filter((bench) => bench.id !== this.id);
  }

  /** Begins to watch new benches, and ends it for removed ones. */
  #arrange(): void {
    const wanted = new Map<string, BenchAddress>();
    for (const bench of this.#known) wanted.set(bench.name, ofSettings(bench));
    for (const heard of this.#discovered) {
      const { title, fingerprint } = heard;
      const address = `${fingerprint === null ? 'http' : 'https'}://${literal(heard.address)}:${heard.port}`;
      if (this.#listed(heard.id, address, fingerprint)) continue;
      const name = this.#names.give(heard, wanted);
      wanted.set(name, { name, address, found: 'mdns', title, key: null, fingerprint });
    }
    const before = this.#watched;
    this.#watched = new Map();
    for (const [name, known] of wanted) {
      const watched = before.get(name);
      if (watched && isSame(watched.known, known)) {
        this.#watched.set(name, watched);
        before.delete(name);
      } else this.#watched.set(name, new WatchedBench(known, this.#clock, (bench) => this.#changed(bench)));
    }
    for (const [name, bench] of before) {
      bench.close();
      if (!this.#watched.has(name)) this.#events.publish({ type: 'bench_removed', name });
    }
  }

  /**
   * Whether a discovered bench is also listed: by its own id, or, where it needs a key to tell it, by address and
   * certificate.
   */
  #listed(id: string, address: string, fingerprint: string | null): boolean {
    return this.#known.some((one) => {
      const watched = this.#watched.get(one.name);
      // A result from an earlier address or an earlier entry proves nothing about this one.
      if (watched?.id === id && isSame(watched.known, ofSettings(one))) return true;
      return (
        one.address.replace(/\/$/, '').toLowerCase() === address ||
        (fingerprint !== null && one.fingerprint && digitsOf(one.fingerprint) === digitsOf(fingerprint))
      );
    });
  }

  #changed(bench: WatchedBench): void {
    if (this.#closed || this.#watched.get(bench.known.name) !== bench) return;
    if (bench.id === this.id) return;
    for (const listener of this.#onChange) listener(bench);
    this.#events.publish({ type: 'bench', bench: bench.view });
    // A listed bench has told its id: drop the discovered duplicate.
    const { found } = bench.known;
    // It may have a new address: the discovery query is answered from there.
    if (found === 'mdns' && !bench.live) this.#discovery?.ask();
    if (found === 'settings' && this.#discovered.some(({ id }) => id === bench.id)) this.#arrange();
  }

  #forget(): void {
    const now = this.#clock.now();
    for (const { id } of this.#discovered) {
      const bench = this.#watched.get(this.#names.of(id) ?? '');
      if (bench?.known.found !== 'mdns' || bench.live) continue;
      if (now - (bench.lastSeen ?? bench.since) < FORGET_MS) continue;
      this.#discovery?.forget(id);
    }
  }
}
