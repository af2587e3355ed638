import os from 'node:os';
import multicastDns from 'multicast-dns';
import { type Clock, every } from '../clock.ts';
import type { Logger } from '../log.ts';

/** Interval of checks for changed addresses of the computer, ms. */
const LOOK_MS = 2_000;
/** Maximum interfaces in use: a computer with containers has dozens. */
const MAX_INTERFACES = 16;
const LOOPBACK = '127.0.0.1';

/** Port and interface, for tests. */
export interface MulticastOptions {
  port?: number;
  interface?: string;
  ip?: string;
}

/** A DNS record as sent and received. */
export type DnsRecord = { name: string; type: string; ttl?: number | undefined; data?: unknown };

/** The records that this bench sends. */
export type OutgoingRecord =
  | { name: string; type: 'PTR'; ttl: number; data: string }
  | { name: string; type: 'SRV'; ttl: number; data: { port: number; target: string } }
  | { name: string; type: 'TXT'; ttl: number; data: Buffer[] };

/** One IPv4 address of each present network of this computer; its loopback address where there is none. */
export function multicastAddresses(interfaces = os.networkInterfaces()): string[] {
  const found = Object.values(interfaces).flatMap((addresses) => {
    const first = addresses?.find(({ family, internal }) => family === 'IPv4' && !internal);
    return first ? [first.address] : [];
  });
  return found.length === 0 ? [LOOPBACK] : found.slice(0, MAX_INTERFACES);
}

/** Whether this computer has the address at the moment. */
export const isOwnAddress = (address: string): boolean =>
  Object.values(os.networkInterfaces()).some((all) => all?.some((one) => one.address === address));

/**
 * Multicast DNS on every network of the computer, with a socket for each. A single socket reaches only the network of
 * the default route, and none without such a route (a switch without a router). Networks may come and go.
 */
export class Multicast {
  readonly #options: MulticastOptions;
  readonly #logger: Logger;
  readonly #sockets = new Map<string, multicastDns.MulticastDNS>();
  /** Last error of each address, to log it once. */
  readonly #loggedErrors = new Map<string, string>();
  readonly #on: {
    /** A network can be used. */
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

  /** Sends a query for pointers to services of this name to every network. */
  ask(name: string): void {
    for (const [address, socket] of this.#sockets)
      socket.query([{ name, type: 'PTR' }], (error) => this.#sent(address, error));
  }

  /** Sends records to every network. Resolves when all sends are done. */
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
    // Bound to an interface's own address, Linux delivers no multicast packets.
    const socket = multicastDns({
      ...this.#options,
      interface: address,
      bind: '0.0.0.0',
      loopback: true,
    });
    this.#sockets.set(address, socket);
    // Another program uses the port exclusively, or the network has no multicast: listed benches still work.
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
    this.#loggedErrors.delete(address);
    await new Promise<void>((resolve) => (socket ? socket.destroy(() => resolve()) : resolve()));
  }

  /** Logs an error of an address once, and again when it changes. */
  #sent(address: string, error: Error | null | undefined): void {
    const before = this.#loggedErrors.get(address);
    if (!error) {
      this.#loggedErrors.delete(address);
      return;
    }
    if (before === error.message || !this.#sockets.has(address)) return;
    this.#loggedErrors.set(address, error.message);
    this.#logger.warn(
      { err: error, address },
      'other benches cannot be found by mDNS in this network; only those in the settings are known',
    );
  }
}
