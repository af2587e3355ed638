import type { RequestListener } from 'node:http';
import type { Clock } from '../../clock.ts';
import type { TlsView } from '../../contract/bench/bench.ts';
import type { Settings } from '../../contract/bench/settings.ts';
import { apiError } from '../../errors/api.ts';
import { BenchError } from '../../errors/bench-error.ts';
import type { Logger } from '../../log.ts';
import type { FileSystem } from '../../store/filesystem.ts';
import type { Outgoing } from '../edge/outgoing.ts';
import { Listener } from './listener.ts';
import { type NetworkWish, SecureListening } from './tls/secure-listening.ts';

type NetworkSettings = Settings['network'];

/** The addresses of the service. */
export interface Listening {
  readonly host: string;
  readonly port: number;
  /** As a caller on this computer writes it, e.g. `http://127.0.0.1:8000`. */
  readonly url: string;
  /** The same for callers on the LAN; empty while it is closed. */
  readonly lanUrls: string[];
  /** The certificate on the LAN; null while the LAN is closed or without TLS. */
  readonly tls: TlsView | null;
}

const LOOPBACK = '127.0.0.1';

/** Time for open answers when the service stops, ms. */
const GRACE_MS = 1_000;
/** The answer to the change that closes the LAN may go to the LAN: the time that it has, ms. */
const LEAVE_MS = 50;

/** The host for plain HTTP. */
export const plainHost = ({ lan, tls }: NetworkSettings): string =>
  lan && tls.kind === 'none' ? '0.0.0.0' : LOOPBACK;

const wishOf = ({
  lan,
  tls,
  tls_port: tlsPort,
  allowed_hosts: allowedHosts,
}: NetworkSettings): NetworkWish => ({
  lan,
  tls,
  tlsPort,
  allowedHosts,
});

/** The listeners of the service: plain HTTP, and TLS for the LAN, as the settings require. */
export class Network {
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #plain: Listener;
  readonly #encrypted: Listener;
  readonly #secure: SecureListening;
  /** The last requested host for plain HTTP. */
  #plainWish = '';

  constructor(options: {
    clock: Clock;
    logger: Logger;
    outgoing: Outgoing;
    files: FileSystem;
    /** The folder of the bench's own certificate. */
    folder: string;
  }) {
    const { clock, logger, outgoing, files, folder } = options;
    this.#clock = clock;
    this.#logger = logger;
    this.#plain = new Listener({ clock, logger, outgoing });
    this.#encrypted = new Listener({ clock, logger, outgoing });
    this.#secure = new SecureListening({ listener: this.#encrypted, files, folder, clock, logger });
  }

  /**
   * Takes the port for plain HTTP before the bench is ready.
   * @throws BenchError port_in_use, address_not_usable
   */
  async listen(network: NetworkSettings, { host, port }: { host?: string; port?: number }): Promise<void> {
    this.#plainWish = plainHost(network);
    // With TLS the LAN has its own listener, and plain HTTP stays on this computer.
    const at = network.tls.kind === 'none' ? (host ?? this.#plainWish) : LOOPBACK;
    const wanted = port ?? network.port;
    try {
      await this.#plain.listen(at, wanted);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EADDRINUSE')
        throw apiError('port_in_use', {
          message: `Port ${wanted} of ${at} is in use by another program.`,
          cause: error,
        });
      throw apiError('address_not_usable', {
        message: `The service cannot listen at ${at}, port ${wanted} (${code ?? 'unknown address'}).`,
        cause: error,
      });
    }
  }

  /**
   * Passes requests on, the waiting ones first, and opens the LAN over TLS where the settings require it. An unusable
   * certificate leaves the LAN closed, and `problem` gives the reason.
   */
  async serve(network: NetworkSettings, handler: RequestListener): Promise<void> {
    this.#plain.serve(handler);
    this.#encrypted.serve(handler);
    try {
      await this.#secure.apply(wishOf(network));
    } catch (error) {
      this.#logger.error({ err: error }, 'the LAN stays closed');
    }
  }

  /**
   * Opens or closes the LAN, as these settings require.
   * @throws BenchError address_unavailable, certificate_unusable; the LAN is then as before, or closed.
   */
  async open(network: NetworkSettings): Promise<void> {
    const plain = plainHost(network);
    try {
      // A start option's address stays until the LAN is opened or closed.
      if (plain !== this.#plainWish) await this.#plain.listen(plain, this.#plain.port);
      this.#plainWish = plain;
      await this.#secure.apply(wishOf(network));
    } catch (error) {
      if (error instanceof BenchError) throw error;
      throw apiError('address_unavailable', { cause: error });
    }
    if (plain === LOOPBACK) this.#clock.after(LEAVE_MS, () => this.#plain.dropRemote());
  }

  get listening(): Listening {
    const { host, port, url, lanUrls } = this.#plain;
    return { host, port, url, lanUrls: [...lanUrls, ...this.#secure.lanUrls], tls: this.#secure.view };
  }

  /** Why the LAN is closed although the settings open it; else null. */
  get problem(): string | null {
    return this.#secure.problem;
  }

  /** Stops new connections, and ends open ones after a moment. Repeated calls are harmless. */
  async close(): Promise<void> {
    this.#secure.close();
    await Promise.all([this.#plain.close(GRACE_MS), this.#encrypted.close(GRACE_MS)]);
  }
}
