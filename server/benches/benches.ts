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

/** A bench that was found and does not answer is forgotten after so long, ms; one of the list stays. */
const FORGET_MS = 600_000;
const LOOK_FOR_FORGOTTEN_MS = 30_000;

const literal = (host: string): string => (host.includes(':') ? `[${host}]` : host);

/** A bench of the list, as it is watched. */
const ofSettings = ({ name, address, key, fingerprint }: ListedBench): BenchAddress => ({
  name,
  address,
  found: 'settings',
  title: null,
  key: key ?? null,
  fingerprint: fingerprint ?? null,
});

const isSame = (a: BenchAddress, b: BenchAddress): boolean => JSON.stringify(a) === JSON.stringify(b);

/** What this bench shows of others, and what it announces of itself. */
export interface BenchesWish {
  known: readonly ListedBench[];
  /** Null while it is neither to find others nor to be found. */
  announce: Announced | null;
}

/** The other benches: those of the list in the settings, and those that were found. Each is watched by itself. */
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
  #heard: readonly DiscoveredBench[] = [];
  /** What was last applied. */
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
    /** The names of benches that were found. */
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

  /** Watches what the settings say from now on, and finds others or does not. */
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
      this.#heard = [];
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
        this.#heard = heard;
        this.#arrange();
      },
    });
  }

  /** Every other bench, by name. */
  list(): BenchView[] {
    return this.#shown()
      .map(({ view }) => view)
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** @throws bench_not_known; where `alive` is asked for and it does not answer, why that is. */
  get(name: string, alive = false): WatchedBench {
    const bench = this.#watched.get(name);
    if (!bench || bench.id === this.id) throw benchesError('bench_not_known');
    if (alive && !bench.live) throw bench.trouble;
    return bench;
  }

  /** The benches of the list that have idle nodes, the one with most of them first. */
  withRoom(): WatchedBench[] {
    const idle = ({ idle }: WatchedBench) => idle ?? 0;
    return [...this.#shown()]
      .filter((bench) => bench.known.found === 'settings' && idle(bench) > 0)
      .sort((a, b) => idle(b) - idle(a));
  }

  /** Calls back when what is known of a bench has changed. */
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

  /** Not this bench under another name, and none twice. */
  #shown(): WatchedBench[] {
    return [...this.#watched.values()].filter((bench) => bench.id !== this.id);
  }

  /** Begins to watch what is new, and ends it for what is not known any more. */
  #arrange(): void {
    const wanted = new Map<string, BenchAddress>();
    for (const bench of this.#known) wanted.set(bench.name, ofSettings(bench));
    for (const heard of this.#heard) {
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

  /** Whether a bench that was found is in the list too: as it says, or, where it says nothing without a key, as it looks. */
  #listed(id: string, address: string, fingerprint: string | null): boolean {
    return this.#known.some((one) => {
      const watched = this.#watched.get(one.name);
      // One that was in the list under another address, or is not any more, says nothing of this one.
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
    // One of the list has said which it is: it need not be there a second time.
    const { found } = bench.known;
    // It may have another address, or another way to it: whoever is asked answers from there.
    if (found === 'mdns' && !bench.live) this.#discovery?.ask();
    if (found === 'settings' && this.#heard.some(({ id }) => id === bench.id)) this.#arrange();
  }

  #forget(): void {
    const now = this.#clock.now();
    for (const { id } of this.#heard) {
      const bench = this.#watched.get(this.#names.of(id) ?? '');
      if (bench?.known.found !== 'mdns' || bench.live) continue;
      if (now - (bench.lastSeen ?? bench.since) < FORGET_MS) continue;
      this.#discovery?.forget(id);
    }
  }
}
