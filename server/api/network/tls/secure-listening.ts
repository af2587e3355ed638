import { type Clock, every } from '../../../clock.ts';
import type { TlsView } from '../../../contract/bench/bench.ts';
import type { TlsSettings } from '../../../contract/bench/settings.ts';
import type { Logger } from '../../../log.ts';
import type { FileSystem } from '../../../store/filesystem.ts';
import type { Listener } from '../listener.ts';
import { type Certificate, loadCertificate } from './certificate.ts';

/** How often it is looked whether the certificate's files have changed, ms. */
const LOOK_MS = 60_000;

export interface NetworkWish {
  lan: boolean;
  tls: TlsSettings;
  tlsPort: number;
  allowedHosts: readonly string[];
}

/**
 * The LAN over TLS: a listener of its own beside the one for this computer. A certificate that is renewed is taken
 * without ending a connection; one that cannot be used closes the door, never opens it unencrypted.
 */
export class SecureListening {
  readonly #listener: Listener;
  readonly #files: FileSystem;
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #logger: Logger;
  #wish: NetworkWish | null = null;
  #certificate: Certificate | null = null;
  #problem: string | null = null;
  #endLooks: (() => void) | null = null;

  constructor(options: {
    /** Takes the connections. */
    listener: Listener;
    files: FileSystem;
    /** Where the bench keeps its own certificate. */
    folder: string;
    clock: Clock;
    logger: Logger;
  }) {
    this.#listener = options.listener;
    this.#files = options.files;
    this.#folder = options.folder;
    this.#clock = options.clock;
    this.#logger = options.logger;
  }

  /** What callers should know of the certificate; null while the LAN is not open over TLS. */
  get view(): TlsView | null {
    return this.#listener.port === 0 ? null : (this.#certificate?.view ?? null);
  }

  /** Why the LAN is not open although it should be. */
  get problem(): string | null {
    return this.#problem;
  }

  get lanUrls(): string[] {
    return this.#listener.port === 0 ? [] : this.#listener.lanUrls;
  }

  /**
   * Opens, moves or closes the door.
   * @throws BenchError certificate_unusable, or the system's error when the port is taken; the door is then closed.
   */
  async apply(wish: NetworkWish): Promise<void> {
    this.#endLooks?.();
    this.#endLooks = null;
    this.#problem = null;
    const before = this.#wish;
    this.#wish = wish;
    if (!wish.lan || wish.tls.kind === 'none') {
      this.#certificate = null;
      this.#listener.stop();
      return;
    }
    try {
      const certificate = await this.#load(wish);
      this.#certificate = certificate;
      this.#listener.secure(certificate);
      const moved = before?.tlsPort !== wish.tlsPort || !before.lan || this.#listener.port === 0;
      if (moved) await this.#listener.listen('0.0.0.0', wish.tlsPort);
    } catch (error) {
      this.#certificate = null;
      this.#listener.stop();
      this.#problem = error instanceof Error ? error.message : String(error);
      throw error;
    }
    this.#endLooks = every(this.#clock, LOOK_MS, () => void this.renew());
  }

  /** Takes a certificate that has changed on disk, or is about to end. One that is no use is told, and the old one stays. */
  async renew(): Promise<void> {
    const wish = this.#wish;
    if (!wish || !this.#certificate) return;
    try {
      const certificate = await this.#load(wish);
      if (wish !== this.#wish || certificate.view.fingerprint === this.#certificate?.view.fingerprint) return;
      this.#certificate = certificate;
      this.#listener.secure(certificate);
      this.#logger.info({ fingerprint: certificate.view.fingerprint }, 'the certificate was renewed');
    } catch (error) {
      this.#logger.warn({ err: error }, 'the certificate could not be renewed; the one before stays in use');
    }
  }

  close(): void {
    this.#endLooks?.();
    this.#endLooks = null;
  }

  async #load(wish: NetworkWish): Promise<Certificate> {
    if (wish.tls.kind === 'none') throw new Error('There is no certificate without TLS.');
    return await loadCertificate(wish.tls, {
      files: this.#files,
      folder: this.#folder,
      clock: this.#clock,
      allowedHosts: wish.allowedHosts,
    });
  }
}
