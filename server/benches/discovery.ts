import multicastDns from 'multicast-dns';
import { type Clock, every } from '../clock.ts';
import type { Logger } from '../log.ts';

/** The kind of service, RFC 6763 section 4.1.2. */
const SERVICE = '_wishbench._tcp.local';

/** Between two questions on the network, ms. */
const ASK_MS = 20_000;
/** The first questions come sooner: a packet may be lost. */
const FIRST_ASKS_MS = [0, 1_000, 3_000];
/** Others are told no more often than this, however often they ask, ms (RFC 6762, section 6). */
const TELL_MS = 1_000;
/** Benches that are found at most: whoever announces more is not heard. */
const MOST_FOUND = 32;
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
export interface Heard extends Announced {
  address: string;
}

/** Where to listen and speak: for tests, which have a port and an interface of their own. */
export interface MulticastOptions {
  port?: number;
  interface?: string;
  ip?: string;
}

type Record = { name: string; type: string; ttl?: number | undefined; data?: unknown };

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
export function heardIn(records: readonly Record[], from: string): { here: Heard[]; gone: string[] } {
  const here: Heard[] = [];
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

/** Announces this bench on the network and hears the others, by multicast DNS. */
export class Discovery {
  readonly #own: Announced;
  readonly #mdns: multicastDns.MulticastDNS;
  readonly #clock: Clock;
  readonly #heard = new Map<string, Heard>();
  readonly #onChange: (heard: readonly Heard[]) => void;
  readonly #ends: (() => void)[] = [];
  #toldAt = Number.NEGATIVE_INFINITY;

  constructor(options: {
    own: Announced;
    clock: Clock;
    logger: Logger;
    onChange(heard: readonly Heard[]): void;
    multicast?: MulticastOptions | undefined;
  }) {
    const { own, clock, logger, onChange, multicast = {} } = options;
    this.#own = own;
    this.#clock = clock;
    this.#onChange = onChange;
    // Bound to the address of an interface, Linux hands it nothing that is sent to the group.
    this.#mdns = multicastDns({ ...multicast, bind: '0.0.0.0', loopback: true });
    // A port that another program has for itself, or a network without multicast: the list in the settings is left.
    this.#mdns.on('error', (error: Error) => logger.warn({ err: error }, 'benches cannot be found by mDNS'));
    this.#mdns.on('warning', (error: Error) => logger.debug({ err: error }, 'of mDNS'));
    this.#mdns.on('query', ({ questions }) => {
      if (
        questions?.some(
          ({ name, type }) => sameName(name, SERVICE) && (type === 'PTR' || (type as string) === 'ANY'),
        )
      )
        this.#tell();
    });
    this.#mdns.on('response', ({ answers, additionals }, { address }) =>
      this.#hear([...(answers ?? []), ...(additionals ?? [])], address),
    );
    const ask = () => this.#mdns.query([{ name: SERVICE, type: 'PTR' }]);
    this.#mdns.on('ready', () => {
      this.#tell();
      for (const ms of FIRST_ASKS_MS) this.#ends.push(clock.after(ms, ask));
    });
    this.#ends.push(every(clock, ASK_MS, ask));
  }

  /** Says good-bye, so that the others need not wait for it. */
  async close(): Promise<void> {
    for (const end of this.#ends) end();
    await new Promise<void>((resolve) => {
      this.#mdns.respond({ answers: this.#records(0) }, () => resolve());
      this.#clock.after(500, () => resolve()); // where the port could not be had, nothing is sent
    });
    await new Promise<void>((resolve) => this.#mdns.destroy(() => resolve()));
  }

  #records(ttl: number) {
    const { id, title, port, fingerprint } = this.#own;
    const name = `${id}.${SERVICE}`;
    const text = [`title=${title}`, ...(fingerprint === null ? [] : [`fp=${fingerprint}`])];
    return [
      { name: SERVICE, type: 'PTR' as const, ttl, data: name },
      { name, type: 'SRV' as const, ttl, data: { port, target: `${id}.local` } },
      { name, type: 'TXT' as const, ttl, data: text.map((one) => Buffer.from(one)) },
    ];
  }

  #tell(): void {
    const now = this.#clock.monotonic();
    if (now - this.#toldAt < TELL_MS) return;
    this.#toldAt = now;
    this.#mdns.respond({ answers: this.#records(TTL_SECONDS) });
  }

  #hear(records: readonly Record[], from: string): void {
    const { here, gone } = heardIn(records, from);
    let changed = false;
    for (const heard of here) {
      if (heard.id === this.#own.id) continue;
      const before = this.#heard.get(heard.id);
      // Who was heard first keeps its name: another address does not take it over while it is known.
      if (before ? before.address !== from : this.#heard.size >= MOST_FOUND) continue;
      if (JSON.stringify(before) === JSON.stringify(heard)) continue;
      this.#heard.set(heard.id, heard);
      changed = true;
    }
    for (const id of gone)
      if (this.#heard.get(id)?.address === from) changed = this.#heard.delete(id) || changed;
    if (changed) this.#onChange([...this.#heard.values()]);
  }

  /** Forgets a bench that has not answered for long: it makes room, and may come back elsewhere. */
  forget(id: string): void {
    if (this.#heard.delete(id)) this.#onChange([...this.#heard.values()]);
  }
}
