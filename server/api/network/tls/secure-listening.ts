import { type Clock, every } from '../../../clock.ts';
import type { TlsView } from '../../../contract/bench/bench.ts';
import type { TlsSettings } from '../../../contract/bench/settings.ts';
import type { Logger } from '../../../log.ts';
import type { FileSystem } from '../../../store/filesystem.ts';
import type { Listener } from '../listener.ts';
import { type Certificate, loadCertificate } from './certificate.ts';

/** Interval between checks of the certificate's files, ms. */
const LOOK_MS = 60_000;

export interface NetworkWish {
  lan: boolean;
  tls: TlsSettings;
  tlsPort: number;
  allowedHosts: readonly string[];
}

/**
 * The LAN over TLS, with a listener separate from this computer's. A renewed certificate applies without ending
 * connections. An unusable one closes the listener: it never falls back to plain HTTP.
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
    /** The listener for the connections. */
    listener: Listener;
    files: FileSystem;
    /** The folder of the bench's own certificate. */
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

  /** The certificate as callers see it; null while the LAN is not open over TLS. */
  get view(): TlsView | null {
    return this.#listener.port === 0 ? null : (this.#certificate?.view ?? null);
  }

  /** Why the LAN is closed although the settings open it. */
  get problem(): string | null {
    return this.#problem;
  }

  get lanUrls(): string[] {
    return this.#listener.port === 0 ? [] : this.#listener.lanUrls;
  }

  /**
   * Opens, moves or closes the listener.
   * @throws BenchError certificate_unusable, or the system's error when the port is taken; the listener is then closed.
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

  /**
   * Loads a certificate that changed on disk or ends soon. If the new one is unusable, it is reported and the old one
   * stays.
   */
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
      this.#logger.warn(
        { err: error },
        'the certificate could not be renewed; the previous one stays in use',
      );
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
