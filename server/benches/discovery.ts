import { type Clock, every } from '../clock.ts';
import type { Logger } from '../log.ts';
import {
  type DnsRecord,
  isOwnAddress,
  Multicast,
  type MulticastOptions,
  type OutgoingRecord,
} from './multicast.ts';

/** The kind of service, RFC 6763 section 4.1.2. */
const SERVICE = '_wishbench._tcp.local';

/** Interval between two queries, ms. */
const ASK_MS = 20_000;
/** The first queries and announcements come sooner, because a packet may be lost. */
const FIRST_MS = [0, 1_000, 3_000];
/** Minimum interval between answers, ms (RFC 6762, section 6). */
const MIN_ANNOUNCE_MS = 1_000;
/** Maximum discovered benches: further announcements are ignored. */
const MAX_FOUND = 32;
const TTL_SECONDS = 120;

/** This bench's announcement. */
export interface Announced {
  /** 16 hex digits, permanent for a bench. */
  id: string;
  title: string;
  port: number;
  /** SHA-256 of its certificate where it serves HTTPS, 64 hex digits. */
  fingerprint: string | null;
}

/** A discovered bench. Its address is the packet's source, so that no bench can announce another's. */
export interface DiscoveredBench extends Announced {
  address: string;
}

const sameName = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

/** The strings of a TXT record by name; invalid and long ones are left out. */
function textOf(data: unknown): Map<string, string> {
  const found = new Map<string, string>();
  for (const one of [data].flat().slice(0, 16)) {
    if (!(one instanceof Uint8Array)) continue;
    const [, name, value] = /^([a-z]{1,16})=(.*)$/s.exec(Buffer.from(one).toString('utf8')) ?? [];
    if (name !== undefined && value !== undefined) found.set(name, value);
  }
  return found;
}

/** The announcements in a packet; never throws. `gone`: the bench leaves. */
export function parseAnnouncements(
  records: readonly DnsRecord[],
  from: string,
): { here: DiscoveredBench[]; gone: string[] } {
  const here: DiscoveredBench[] = [];
  const gone: string[] = [];
  for (const { type, name, ttl, data } of records.slice(0, 64)) {
    if (type !== 'PTR' || !sameName(name, SERVICE) || typeof data !== 'string') continue;
    const id = /^([0-9a-f]{16})\./.exec(data.toLowerCase())?.[1];
    if (id === undefined) continue;
    if (ttl === 0) {
      gone.push(id);
      continue;
    }
    const of = (kind: string) => records.find((one) => one.type === kind && sameName(one.name, data))?.data;
    const port = (of('SRV') as { port?: unknown } | undefined)?.port;
    if (typeof port !== 'number' || !Number.isInteger(port) || port < 1 || port > 65_535) continue;
    const fields = textOf(of('TXT'));
    const fingerprint = fields.get('fp')?.toUpperCase() ?? null;
    if (fingerprint !== null && !/^[0-9A-F]{64}$/.test(fingerprint)) continue;
    const title = (fields.get('title') ?? '').slice(0, 64);
    here.push({ id, title, port, fingerprint, address: from });
  }
  return { here, gone };
}

/** Time for the goodbye packet when closing, ms. */
const GOODBYE_MS = 500;

/** Announces this bench on every network of the computer, and discovers others, by multicast DNS. */
export class Discovery {
  #own: Announced;
  readonly #multicast: Multicast;
  readonly #clock: Clock;
  readonly #found = new Map<string, DiscoveredBench>();
  readonly #onChange: (heard: readonly DiscoveredBench[]) => void;
  readonly #lives: (id: string) => boolean;
  readonly #ends = new Set<() => void>();
  readonly #logger: Logger;
  /** Other computers that claim this bench's id. */
  readonly #doubles = new Set<string>();
  #firsts: (() => void)[] = [];
  #announcedAt = Number.NEGATIVE_INFINITY;
  #announcing = false;

  /** @param options.lives whether a discovered bench answers at its known address */
  constructor(options: {
    own: Announced;
    clock: Clock;
    logger: Logger;
    onChange(heard: readonly DiscoveredBench[]): void;
    lives(id: string): boolean;
    multicast?: MulticastOptions | undefined;
  }) {
    const { own, clock, logger, onChange, lives, multicast = {} } = options;
    this.#own = own;
    this.#clock = clock;
    this.#onChange = onChange;
    this.#lives = lives;
    this.#logger = logger;
    this.#multicast = new Multicast({
      clock,
      logger,
      multicast,
      on: {
        joined: () => this.#begin(),
        asked: (questions) => {
          if (
            questions.some(({ name, type }) => sameName(name, SERVICE) && (type === 'PTR' || type === 'ANY'))
          )
            this.#announceSoon();
        },
        told: (records, from) => this.#hear(records, from),
      },
    });
    this.#ends.add(every(clock, ASK_MS, () => this.ask()));
  }

  /** Queries the networks at once, since a bench that does not answer may have moved. */
  ask(): void {
    this.#multicast.ask(SERVICE);
  }

  /** Changes this bench's announcement; other benches update it in place. */
  announce(own: Announced): void {
    this.#own = own;
    this.#announceNow();
  }

  /** Sends a goodbye, so that other benches need no timeout. */
  async close(): Promise<void> {
    for (const end of this.#ends) end();
    await Promise.race([
      this.#multicast.tell(this.#records(0)),
      new Promise<void>((resolve) => this.#clock.after(GOODBYE_MS, resolve)),
    ]);
    await this.#multicast.close();
  }

  #records(ttl: number): OutgoingRecord[] {
    const { id, title, port, fingerprint } = this.#own;
    const name = `${id}.${SERVICE}`;
    const text = [`title=${title}`, ...(fingerprint === null ? [] : [`fp=${fingerprint}`])];
    return [
      { name: SERVICE, type: 'PTR', ttl, data: name },
      { name, type: 'SRV', ttl, data: { port, target: `${id}.local` } },
      { name, type: 'TXT', ttl, data: text.map((one) => Buffer.from(one)) },
    ];
  }

  /** Announces this bench on a new network. */
  #begin(): void {
    for (const end of this.#firsts) end();
    this.#firsts = FIRST_MS.map((ms) =>
      this.#after(ms, () => {
        this.#announceNow();
        this.ask();
      }),
    );
  }

  #announceNow(): void {
    this.#announcedAt = this.#clock.monotonic();
    void this.#multicast.tell(this.#records(TTL_SECONDS));
  }

  /** Answers a query; one answer serves all queries within the minimum interval. */
  #announceSoon(): void {
    if (this.#announcing) return;
    const wait = this.#announcedAt + MIN_ANNOUNCE_MS - this.#clock.monotonic();
    if (wait <= 0) {
      this.#announceNow();
      return;
    }
    this.#announcing = true;
    this.#after(wait, () => {
      this.#announcing = false;
      this.#announceNow();
    });
  }

  /** Calls back once, unless closed before. Returns the function that cancels. */
  #after(ms: number, callback: () => void): () => void {
    const cancel = this.#clock.after(ms, () => {
      this.#ends.delete(end);
      callback();
    });
    const end = () => {
      this.#ends.delete(end);
      cancel();
    };
    this.#ends.add(end);
    return end;
  }

  #hear(records: readonly DnsRecord[], from: string): void {
    const { here, gone } = parseAnnouncements(records, from);
    let changed = false;
    for (const heard of here) {
      if (heard.id === this.#own.id) {
        this.#hearOneself(from);
        continue;
      }
      const before = this.#found.get(heard.id);
      if (before ? !this.#takes(before, heard) : this.#found.size >= MAX_FOUND) continue;
      if (JSON.stringify(before) === JSON.stringify(heard)) continue;
      this.#found.set(heard.id, heard);
      changed = true;
    }
    for (const id of gone)
      if (this.#found.get(id)?.address === from) changed = this.#found.delete(id) || changed;
    if (changed) this.#onChange([...this.#found.values()]);
  }

  /** Another computer has this bench's id. Neither shows the other, so the operator must know why. */
  #hearOneself(from: string): void {
    if (this.#doubles.has(from) || this.#doubles.size >= MAX_FOUND || isOwnAddress(from)) return;
    this.#doubles.add(from);
    this.#logger.warn(
      { address: from },
      'another computer announces itself as this bench, so neither shows the other: its data directory is a copy of this one; remove bench-id.json there and restart that bench',
    );
  }

  /**
   * Whether an announcement replaces the known one. From the known address it always does. From another address it does
   * only while the known one does not answer: the bench may have moved, or use another interface. With the same
   * certificate it must then prove its identity.
   */
  #takes(before: DiscoveredBench, heard: DiscoveredBench): boolean {
    if (before.address === heard.address) return true;
    return before.fingerprint === heard.fingerprint && !this.#lives(before.id);
  }

  /** Removes a bench that has not answered for long; it may come back at another address. */
  forget(id: string): void {
    if (this.#found.delete(id)) this.#onChange([...this.#found.values()]);
  }
}
