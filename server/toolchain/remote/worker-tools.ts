import type { CachedBuild } from '../cache/build-cache.ts';
import type { Toolchain } from '../toolchain.ts';
import type { Capability } from './messages.ts';

/** What a worker builds with. */
export interface WorkerTools extends Pick<Toolchain, 'build' | 'close'> {
  /** What it can build. */
  capabilities(): Promise<Capability[]>;
  /** All that is kept of a build that was just made; null where it could not be kept. */
  kept(buildId: string): Promise<CachedBuild | null>;
}
