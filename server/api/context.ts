import type { AuditTrail } from '../audit/trail.ts';
import type { Benches } from '../benches/benches.ts';
import type { RemoteJobs } from '../benches/remote-jobs.ts';
import type { BoardChecks } from '../board-check/index.ts';
import type { BoardPool } from '../boards/board.ts';
import type { Captures } from '../capture/captures.ts';
import type { Signals } from '../capture/signals.ts';
import type { Clock } from '../clock.ts';
import type { DiskLevel } from '../contract/bench/bench.ts';
import type { Settings } from '../contract/bench/settings.ts';
import type { Finding } from '../contract/boards/boards.ts';
import type { CapabilityReport } from '../contract/boards/capabilities.ts';
import type { Designs } from '../designs/designs.ts';
import type { EventHub } from '../events/events.ts';
import type { ApiKeys } from '../identity/keys.ts';
import type { IdentityExchange } from '../identity/provider.ts';
import type { NodePool } from '../jobs/pool.ts';
import type { Logger } from '../log.ts';
import type { BenchMetrics } from '../metrics/bench-metrics.ts';
import type { BenchPins } from '../pins/bench-pins.ts';
import type { BenchSettings } from '../settings.ts';
import type { Streams } from '../stream/streams.ts';
import type { Toolchain } from '../toolchain/toolchain.ts';
import type { Enforcement } from './edge/enforcement.ts';
import type { HolderAddresses } from './edge/holder-addresses.ts';
import type { Limits } from './edge/limits.ts';
import type { OpenResponses } from './edge/open-responses.ts';
import type { Outgoing } from './edge/outgoing.ts';
import type { LiveClients } from './events/live.ts';
import type { Listening } from './network/network.ts';

/** All that the routes talk to. */
export interface ApiContext {
  version: string;
  pool: NodePool;
  events: EventHub;
  settings: BenchSettings;
  boards: BoardPool;
  checks: BoardChecks;
  /** What was proven of the boards of the catalogue. */
  capabilities(): Promise<CapabilityReport>;
  toolchain: Toolchain;
  keys: ApiKeys;
  identity: IdentityExchange;
  live: LiveClients;
  /** The other benches that are known. */
  benches: Benches;
  /** Jobs that they took. */
  away: RemoteJobs;
  /** Designs with their versions, and what is kept with them. */
  designs: Designs;
  /** Ports of the running designs that are not part of their buses. */
  pins: BenchPins;
  /** Streams of events that tell of the pins of one node each. */
  livePins: LiveClients;
  /** Transactions without jobs. */
  streams: Streams;
  /** What signals of designs are, and the clocks of their boards. */
  signals: Signals;
  /** Signals, recorded. */
  captures: Captures;
  /** From where the bearers of keys have called. */
  holders: HolderAddresses;
  /** How often callers may ask, and be wrong about who they are. */
  limits: Limits;
  /** What is on its way to callers. */
  outgoing: Outgoing;
  /** What goes on for long under the rights of callers. */
  underway: OpenResponses;
  /** Switching enforcement on. */
  enforcement: Enforcement;
  metrics: BenchMetrics;
  audit: AuditTrail;
  logger: Logger;
  clock: Clock;
  startedAt: number;
  /** Null when the service was started without one: then callers on this computer are operators. */
  operatorToken: string | null;
  listening(): Listening;
  /**
   * Opens the LAN as these settings say, or closes it.
   * @throws BenchError address_unavailable, certificate_unusable; the LAN is then as it was, or closed.
   */
  openNetwork(network: Settings['network']): Promise<void>;
  /** The newest lines of the service's log, JSON each; empty where they are not kept. */
  recentLog(): readonly string[];
  /** Sentences on why the LAN is not open although it should be. */
  networkProblems(): string[];
  /** Tries the store and says whether it can be written; see Store.check. */
  checkStore(): Promise<boolean>;
  /** Whether the store could be written when it last was. */
  storeHealthy(): boolean;
  /** Sentences on damaged files that were set aside when the store was opened. */
  storeNotices: readonly string[];
  dataFolder: string;
  /** Of this computer. */
  hostname: string;
  /** What is known of the data directory's size, bytes, and of the room on its disk; nothing is waited for. */
  space(): { level: DiskLevel; bytes: number | null; jobsBytes: number; freeBytes: number | null };
  doctor(): Promise<Finding[]>;
  examplesFolder: string;
  guiFolder: string;
}
