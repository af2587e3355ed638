import type { BoardPool } from '../boards/board.ts';
import type { Clock } from '../clock.ts';
import type { Script } from '../contract/jobs/scripts.ts';
import type { EventHub } from '../events/events.ts';
import type { Logger } from '../log.ts';
import type { Store } from '../store/index.ts';
import type { Toolchain } from '../toolchain/toolchain.ts';
import type { HoldTimes } from './hold-times.ts';
import type { PoolSettings } from './pool.ts';
import type { SharePolicy } from './share-policy.ts';

/** What the ten nodes and their jobs share from the first moment. */
export interface Shared {
  readonly store: Store;
  readonly boards: BoardPool;
  readonly toolchain: Toolchain;
  readonly events: EventHub;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly settings: Readonly<PoolSettings>;
  readonly shares: SharePolicy;
  readonly holds: HoldTimes;
  /** Transactions that the record of a node's session has. */
  transactions(fpgaId: number): number;
  /** The stored script of a design; null where there is none. */
  keptScript(designId: string): Promise<Script | null>;
  /** A new UUID. */
  newId(): string;
}

/** The present in the contract's form: ISO 8601, UTC, milliseconds. */
export const timestamp = (clock: Clock): string => new Date(clock.now()).toISOString();
