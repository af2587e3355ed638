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

/** Between two questions on the network, ms. */
const ASK_MS = 20_000;
/** The first questions and announcements come sooner: a packet may be lost. */
const FIRST_MS = [0, 1_000, 3_000];
/** Others are told no more often than this, however often they ask, ms (RFC 6762, section 6). */
const TELL_MS = 1_000;
/** Benches that are found at most: whoever announces more is not heard. */
const MAX_FOUND = 32;
const TTL_SECONDS = 120;

/** What a bench announces of itself. */
export interface Announced {
  /** 16 hex digits, the same for as long as the bench is. */
  id: string;
  title: string;
  port: number;
  /** SHA-256 of its certificate where it speaks HTTPS, 64 hex digits. */
  fingerprint: string | null;
}

/** A bench that was heard. Its address is the one that the packet came from: nobody can announce another's. */
export interface DiscoveredBench extends Announced {
  address: string;
}

const sameName = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

/** The strings of a TXT record by their names; what is no text of a reasonable length is left out. */
function textOf(data: unknown): Map<string, string> {
  const found = new Map<string, string>();
  for (const one of [data].flat().slice(0, 16)) {
    if (!(one instanceof Uint8Array)) continue;
    const [, name, value] = /^([a-z]{1,16})=(.*)$/s.exec(Buffer.from(one).toString('utf8')) ?? [];
    if (name !== undefined && value !== undefined) found.set(name, value);
  }
  return found;
}

/** What a packet says of benches; whatever it holds, never an error. `gone`: they say good-bye. */
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
    const said = textOf(of('TXT'));
    const fingerprint = said.get('fp')?.toUpperCase() ?? null;
    if (fingerprint !== null && !/^[0-9A-F]{64}$/.test(fingerprint)) continue;
    const title = (said.get('title') ?? '').slice(0, 64);
    here.push({ id, title, port, fingerprint, address: from });
  }
  return { here, gone };
}

/** How long closing waits for the good-bye to leave, ms. */
const GOODBYE_MS = 500;

/** Announces this bench on every network that the computer is in, and hears the others, by multicast DNS. */
export class Discovery {
  #own: Announced;
  readonly #multicast: Multicast;
  readonly #clock: Clock;
  readonly #heard = new Map<string, DiscoveredBench>();
  readonly #onChange: (heard: readonly DiscoveredBench[]) => void;
  readonly #lives: (id: string) => boolean;
  readonly #ends = new Set<() => void>();
  readonly #logger: Logger;
  /** Other computers that say they are this bench. */
  readonly #doubles = new Set<string>();
  #firsts: (() => void)[] = [];
  #toldAt = Number.NEGATIVE_INFINITY;
  #tellingSoon = false;

  /** @param options.lives whether a bench that was heard answers at the address where it was */
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
            this.#tellSoon();
        },
        told: (records, from) => this.#hear(records, from),
      },
    });
    this.#ends.add(every(clock, ASK_MS, () => this.ask()));
  }

  /** Asks the networks for other benches now: one that does not answer may be elsewhere. */
  ask(): void {
    this.#multicast.ask(SERVICE);
  }

  /** Announces something else of this bench from now on; others take it up without losing it. */
  announce(own: Announced): void {
    this.#own = own;
    this.#tell();
  }

  /** Says good-bye, so that the others need not wait for it. */
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

  /** In a network that was not there before: nobody in it knows this bench. */
  #begin(): void {
    for (const end of this.#firsts) end();
    this.#firsts = FIRST_MS.map((ms) =>
      this.#after(ms, () => {
        this.#tell();
        this.ask();
      }),
    );
  }

  #tell(): void {
    this.#toldAt = this.#clock.monotonic();
    void this.#multicast.tell(this.#records(TTL_SECONDS));
  }

  /** Answers a question, and all that come until it may speak again with one answer. */
  #tellSoon(): void {
    if (this.#tellingSoon) return;
    const wait = this.#toldAt + TELL_MS - this.#clock.monotonic();
    if (wait <= 0) {
      this.#tell();
      return;
    }
    this.#tellingSoon = true;
    this.#after(wait, () => {
      this.#tellingSoon = false;
      this.#tell();
    });
  }

  /** Calls back once, unless it is closed before. Returns what cancels. */
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
      const before = this.#heard.get(heard.id);
      if (before ? !this.#takes(before, heard) : this.#heard.size >= MAX_FOUND) continue;
      if (JSON.stringify(before) === JSON.stringify(heard)) continue;
      this.#heard.set(heard.id, heard);
      changed = true;
    }
    for (const id of gone)
      if (this.#heard.get(id)?.address === from) changed = this.#heard.delete(id) || changed;
    if (changed) this.#onChange([...this.#heard.values()]);
  }

  /** Another computer says that it is this bench: neither shows the other, and somebody has to know why. */
  #hearOneself(from: string): void {
    if (this.#doubles.has(from) || this.#doubles.size >= MAX_FOUND || isOwnAddress(from)) return;
    this.#doubles.add(from);
    this.#logger.warn(
      { address: from },
      'another computer announces itself as this bench, so neither shows the other: its data directory is a copy of this one; remove bench-id.json there and start that bench again',
    );
  }

  /**
   * Whether what is heard of a bench that is known takes the place of what was. From its own address always. Another one
   * does not take its name over while it answers; when it does not, it may have moved, or be reached by another of its
   * interfaces: with the same certificate it has to prove that it is the same one.
   */
  #takes(before: DiscoveredBench, heard: DiscoveredBench): boolean {
    if (before.address === heard.address) return true;
    return before.fingerprint === heard.fingerprint && !this.#lives(before.id);
  }

  /** Forgets a bench that has not answered for long: it makes room, and may come back elsewhere. */
  forget(id: string): void {
    if (this.#heard.delete(id)) this.#onChange([...this.#heard.values()]);
  }
}
