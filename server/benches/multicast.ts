import os from 'node:os';
import multicastDns from 'multicast-dns';
import { type Clock, every } from '../clock.ts';
import type { Logger } from '../log.ts';

/** How often it is looked whether the computer has other addresses than before, ms. */
const LOOK_MS = 2_000;
/** Interfaces that are spoken to at most: a computer with containers has dozens. */
const MAX_INTERFACES = 16;
const LOOPBACK = '127.0.0.1';

/** Where to listen and speak: for tests, which have a port and an interface of their own. */
export interface MulticastOptions {
  port?: number;
  interface?: string;
  ip?: string;
}

/** A record of the DNS, as it is sent and as it comes. */
export type DnsRecord = { name: string; type: string; ttl?: number | undefined; data?: unknown };

/** The records that this bench sends. */
export type OutgoingRecord =
  | { name: string; type: 'PTR'; ttl: number; data: string }
  | { name: string; type: 'SRV'; ttl: number; data: { port: number; target: string } }
  | { name: string; type: 'TXT'; ttl: number; data: Buffer[] };

/** An IPv4 address of each network that this computer is in now; where it is in none, its own loopback. */
export function multicastAddresses(interfaces = os.networkInterfaces()): string[] {
  const found = Object.values(interfaces).flatMap((addresses) => {
    const first = addresses?.find(({ family, internal }) => family === 'IPv4' && !internal);
    return first ? [first.address] : [];
  });
  return found.length === 0 ? [LOOPBACK] : found.slice(0, MAX_INTERFACES);
}

/** Whether this computer has the address now. */
export const isOwnAddress = (address: string): boolean =>
  Object.values(os.networkInterfaces()).some((all) => all?.some((one) => one.address === address));

/**
 * Multicast DNS on every network that the computer is in, each with a socket of its own: one socket speaks to one network
 * alone, the one of the default route, and to none where there is no such route (a switch without a router). Networks come
 * and go while it runs.
 */
export class Multicast {
  readonly #options: MulticastOptions;
  readonly #logger: Logger;
  readonly #sockets = new Map<string, multicastDns.MulticastDNS>();
  /** What went wrong last, by address: said once. */
  readonly #said = new Map<string, string>();
  readonly #on: {
    /** A network can be spoken to. */
    joined(): void;
    asked(names: readonly { name: string; type: string }[]): void;
    told(records: readonly DnsRecord[], from: string): void;
  };
  readonly #end: () => void;

  constructor(options: {
    clock: Clock;
    logger: Logger;
    multicast: MulticastOptions;
    on: {
      joined(): void;
      asked(names: readonly { name: string; type: string }[]): void;
      told(records: readonly DnsRecord[], from: string): void;
    };
  }) {
    this.#options = options.multicast;
    this.#logger = options.logger;
    this.#on = options.on;
    this.#look();
    this.#end = every(options.clock, LOOK_MS, () => this.#look());
  }

  /** Asks every network who has this name, for pointers to services. */
  ask(name: string): void {
    for (const [address, socket] of this.#sockets)
      socket.query([{ name, type: 'PTR' }], (error) => this.#sent(address, error));
  }

  /** Tells every network. Resolves when all that could be sent is sent. */
  async tell(answers: readonly OutgoingRecord[]): Promise<void> {
    await Promise.all(
      [...this.#sockets].map(
        ([address, socket]) =>
          new Promise<void>((resolve) =>
            socket.respond({ answers: [...answers] }, (error) => {
              this.#sent(address, error);
              resolve();
            }),
          ),
      ),
    );
  }

  async close(): Promise<void> {
    this.#end();
    await Promise.all([...this.#sockets.keys()].map((address) => this.#leave(address)));
  }

  #look(): void {
    const { interface: fixed } = this.#options;
    const wanted = new Set(fixed === undefined ? multicastAddresses() : [fixed]);
    for (const address of this.#sockets.keys()) if (!wanted.has(address)) void this.#leave(address);
    for (const address of wanted) if (!this.#sockets.has(address)) this.#join(address);
  }

  #join(address: string): void {
    // Bound to the address of an interface, Linux hands it nothing that is sent to the group.
    const socket = multicastDns({
      ...this.#options,
      interface: address,
      bind: '0.0.0.0',
      loopback: true,
    });
    this.#sockets.set(address, socket);
    // A port that another program has for itself, or a network without multicast: the list in the settings is left.
    socket.on('error', (error: Error) => this.#sent(address, error));
    socket.on('warning', (error: Error) => this.#logger.debug({ err: error, address }, 'of mDNS'));
    socket.on('query', ({ questions }) => this.#on.asked(questions ?? []));
    socket.on('response', ({ answers, additionals }, { address: from }) =>
      this.#on.told([...(answers ?? []), ...(additionals ?? [])], from),
    );
    socket.on('ready', () => this.#sockets.get(address) === socket && this.#on.joined());
  }

  async #leave(address: string): Promise<void> {
    const socket = this.#sockets.get(address);
    this.#sockets.delete(address);
    this.#said.delete(address);
    await new Promise<void>((resolve) => (socket ? socket.destroy(() => resolve()) : resolve()));
  }

  /** Says once why nothing can be sent there, and again when the reason is another one. */
  #sent(address: string, error: Error | null | undefined): void {
    const before = this.#said.get(address);
    if (!error) {
      this.#said.delete(address);
      return;
    }
    if (before === error.message || !this.#sockets.has(address)) return;
    this.#said.set(address, error.message);
    this.#logger.warn(
      { err: error, address },
      'other benches cannot be found by mDNS in this network; the list in the settings is left',
    );
  }
}
