import type { BuildContext, BuildRequest, BuildResult } from '../build-request.ts';
import type { CachedBuild } from '../cache/build-cache.ts';
import type { Capability } from './messages.ts';

/** What a worker builds with. */
export interface WorkerTools {
  build(request: BuildRequest, context: BuildContext): Promise<BuildResult>;
  close(): Promise<void>;
  /** What it can build. */
  capabilities(): Promise<Capability[]>;
  /** All that is kept of a build that was just made; null where it could not be kept. */
  kept(buildId: string): Promise<CachedBuild | null>;
}
