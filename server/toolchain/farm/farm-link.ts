import type { Redis } from 'ioredis';
import type { Clock } from '../../clock.ts';
import type { Logger } from '../../log.ts';
import type { BuildRequest } from '../build-request.ts';
import type { CachedBuild } from '../cache/build-cache.ts';

/** A build as the bench orders it. */
export interface FarmOrder {
  buildId: string;
  queue: string;
  request: BuildRequest;
  /** Called when it is in the queue, or has to wait for something else: others may ask then. */
  asked(): void;
}

export interface FarmOptions {
  /** See connect(). */
  address: string;
  /** Tells this bench from others, and is the same after a restart: 1 to 64 letters and digits. */
  bench: string;
  logger: Logger;
  clock: Clock;
  /** Builds that may wait in the queue, of all and of one owner, and that run at once of one owner; 0 for any number. */
  limits: () => { waiting: number; ofOwner: number; running: number };
}

/** What one build asks of the queue. */
export interface FarmLink {
  readonly options: FarmOptions;
  readonly redis: Redis;
  /** As it may be shown. */
  readonly address: string;
  /** What keeps Redis from answering, as the middle of a sentence; null while it answers. */
  readonly obstacle: string | null;
  /** A result that any bench ever got, and is kept; null where there is none. */
  find(buildId: string): Promise<CachedBuild | null>;
  /** The result with this SHA-256. @throws build_damaged */
  fetchResult(buildId: string, digest: string): Promise<CachedBuild>;
  /** Puts a build that was admitted into its queue; a second time changes nothing. */
  enqueue(order: FarmOrder, ticket: string, priority: number): Promise<void>;
  removeJob(queue: string, ticket: string): Promise<void>;
  /** How this try ended is known here: nobody has to keep it for this bench. */
  noted(ticket: string): void;
}
