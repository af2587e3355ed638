import type { BoardPool } from '../boards/board.ts';
import type { Clock } from '../clock.ts';
import type { Script } from '../contract/jobs/scripts.ts';
import type { EventHub } from '../events/events.ts';
import type { Logger } from '../log.ts';
import type { JobLogs } from '../logs/job-logs.ts';
import type { Store } from '../store/index.ts';
import type { Toolchain } from '../toolchain/toolchain.ts';
import type { ActivityLog } from './activity.ts';
import type { JobIndex } from './job-index.ts';
import type { PoolSettings } from './pool.ts';

/** What the ten nodes share. */
export interface Services {
  readonly store: Store;
  readonly boards: BoardPool;
  readonly toolchain: Toolchain;
  readonly events: EventHub;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly jobs: JobIndex;
  readonly logs: JobLogs;
  readonly activity: ActivityLog;
  readonly settings: Readonly<PoolSettings>;
  /** Transactions of a node’s session that are remembered. */
  transactions(fpgaId: number): number;
  /** The script that is kept with a design; null where there is none. */
  keptScript(designId: string): Promise<Script | null>;
  /** A new UUID. */
  newId(): string;
}

/** The present as the contract writes it: ISO 8601, UTC, milliseconds. */
export const timestamp = (clock: Clock): string => new Date(clock.now()).toISOString();
