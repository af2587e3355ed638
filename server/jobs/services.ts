import type { BoardPool } from '../boards/board.ts';
import type { Clock } from '../clock.ts';
import type { EventHub } from '../events/events.ts';
import type { Logger } from '../log.ts';
import type { JobLogs } from '../logs/job-logs.ts';
import type { Store } from '../store/index.ts';
import type { Toolchain } from '../toolchain/toolchain.ts';
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
  readonly settings: Readonly<PoolSettings>;
  /** A new UUID. */
  newId(): string;
}

/** The present as the contract writes it: ISO 8601, UTC, milliseconds. */
export const timestamp = (clock: Clock): string => new Date(clock.now()).toISOString();
