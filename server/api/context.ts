import type { BoardPool } from '../boards/board.ts';
import type { Clock } from '../clock.ts';
import type { Finding } from '../contract/boards.ts';
import type { EventHub } from '../events/events.ts';
import type { NodePool } from '../jobs/pool.ts';
import type { Logger } from '../log.ts';
import type { BenchSettings } from '../settings.ts';
import type { Toolchain } from '../toolchain/toolchain.ts';
import type { ApiKeys } from './identity/keys.ts';
import type { IdentityExchange } from './identity/provider.ts';
import type { LiveClients } from './live.ts';

/** Where the service listens. */
export interface Listening {
  readonly host: string;
  readonly port: number;
  /** As a caller on this computer writes it, e.g. `http://127.0.0.1:8000`. */
  readonly url: string;
  /** The same for callers on the LAN; empty while it is not open. */
  readonly lanUrls: string[];
}

/** All that the routes talk to. */
export interface ApiContext {
  version: string;
  pool: NodePool;
  events: EventHub;
  settings: BenchSettings;
  boards: BoardPool;
  toolchain: Toolchain;
  keys: ApiKeys;
  identity: IdentityExchange;
  live: LiveClients;
  logger: Logger;
  clock: Clock;
  startedAt: number;
  /** Null when the service was started without one: then callers on this computer are operators. */
  operatorToken: string | null;
  listening(): Listening;
  /** Moves to the LAN or back to this computer alone. */
  listenOnLan(lan: boolean): Promise<void>;
  /** Tries the store and says whether it can be written; see Store.check. */
  checkStore(): Promise<boolean>;
  /** Whether the store could be written when it last was. */
  storeHealthy(): boolean;
  /** Sentences on damaged files that were set aside when the store was opened. */
  storeNotices: readonly string[];
  dataFolder: string;
  /** Bytes of the data directory; null until it was measured. */
  dataBytes(): Promise<number | null>;
  doctor(): Promise<Finding[]>;
  examplesFolder: string;
  guiFolder: string;
}
