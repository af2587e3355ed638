import type { Redis } from 'ioredis';
import type { Clock } from '../../clock.ts';
import type { Logger } from '../../log.ts';
import type { BuildRequest } from '../build-request.ts';
import type { CachedBuild } from '../cache/build-file.ts';

/** A build that the bench orders. */
export interface FarmOrder {
  buildId: string;
  queue: string;
  request: BuildRequest;
  /** Called when it is in the queue or must wait: the next build may ask. */
  letNextIn(): void;
}

/** Options of a farm. */
export interface FarmOptions {
  /** See connect(). */
  address: string;
  /** Name of this bench, the same after a restart: 1 to 64 letters and digits. */
  bench: string;
  logger: Logger;
  clock: Clock;
  /** Limits of waiting builds, of waiting builds of one owner, and of running builds of one owner (0: no limit). */
  limits: () => { waiting: number; ofOwner: number; running: number };
}

/** The queue as one build uses it. */
export interface FarmLink {
  readonly options: FarmOptions;
  readonly redis: Redis;
  /** The address without user and password. */
  readonly address: string;
  /** Why Redis does not answer, as the middle of a sentence; null while it answers. */
  readonly queueError: string | null;
  /** Finds a stored result that any bench may have requested; null where there is none. */
  find(buildId: string): Promise<CachedBuild | null>;
  /** Fetches the result with this SHA-256. @throws build_damaged */
  fetchResult(buildId: string, digest: string): Promise<CachedBuild>;
  /** This bench knows how the try ended. Redis need not store the end for it. */
  noted(ticket: string): void;
}
