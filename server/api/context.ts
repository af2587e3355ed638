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
import type { Assignments } from '../courses/assignments/assignments.ts';
import type { HandIns } from '../courses/assignments/hand-ins.ts';
import type { Courses } from '../courses/courses.ts';
import type { CourseShares } from '../courses/shares/course-shares.ts';
import type { DesignCaptures } from '../designs/captures.ts';
import type { Designs } from '../designs/designs.ts';
import type { EventHub } from '../events/events.ts';
import type { ApiKeys } from '../identity/keys.ts';
import type { IdentityExchange } from '../identity/provider.ts';
import type { NodePool } from '../jobs/node-pool.ts';
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

/** Everything that the routes use. */
export interface ApiContext {
  version: string;
  pool: NodePool;
  events: EventHub;
  settings: BenchSettings;
  boards: BoardPool;
  checks: BoardChecks;
  /** The verified capabilities of the boards in the catalogue. */
  capabilities(): Promise<CapabilityReport>;
  toolchain: Toolchain;
  keys: ApiKeys;
  identity: IdentityExchange;
  live: LiveClients;
  /** The known remote benches. */
  benches: Benches;
  /** Remote jobs. */
  away: RemoteJobs;
  /** Designs with their versions and their documents. */
  designs: Designs;
  courses: Courses;
  shares: CourseShares;
  assignments: Assignments;
  /** Hand-ins of assignments, with their grades. */
  handIns: HandIns;
  /** The captures that are kept with designs. */
  savedCaptures: DesignCaptures;
  /** Ports of the running designs other than their buses. */
  pins: BenchPins;
  /** Event streams with the pins of one node each. */
  livePins: LiveClients;
  /** Transactions without jobs. */
  streams: Streams;
  /** Signals of designs, and the clocks of their boards. */
  signals: Signals;
  /** Captures of signals. */
  captures: Captures;
  /** The addresses from which key holders call. */
  holders: HolderAddresses;
  /** Limits on the rate of requests and of wrong credentials. */
  limits: Limits;
  /** Answers on their way to callers. */
  outgoing: Outgoing;
  /** Long-lived responses, each with the rights of its caller. */
  underway: OpenResponses;
  /** Switches enforcement on. */
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
   * Opens or closes the LAN, as these settings require.
   * @throws BenchError address_unavailable, certificate_unusable; the LAN is then as before, or closed.
   */
  openNetwork(network: Settings['network']): Promise<void>;
  /** The newest lines of the service's log, JSON each; empty where the log is not stored. */
  recentLog(): readonly string[];
  /** Sentences on why the LAN is closed although the settings open it. */
  networkProblems(): string[];
  /** Tests whether the store can write; see Store.check. */
  checkStore(): Promise<boolean>;
  /** Whether the store's last write succeeded. */
  storeHealthy(): boolean;
  /** Sentences on damaged files that were set aside when the store was opened. */
  storeNotices: readonly string[];
  dataFolder: string;
  /** Of this computer. */
  hostname: string;
  /** The size of the data directory, bytes, and the room on its disk; known without waiting. */
  space(): { level: DiskLevel; bytes: number | null; jobsBytes: number; freeBytes: number | null };
  doctor(): Promise<Finding[]>;
  examplesFolder: string;
  guiFolder: string;
}
