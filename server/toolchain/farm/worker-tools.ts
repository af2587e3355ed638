import type { BuildContext, BuildRequest, BuildResult } from '../build-request.ts';
import type { CachedBuild } from '../cache/build-file.ts';
import type { Capability } from './messages.ts';

/** The toolchain as a worker uses it. */
export interface WorkerTools {
  build(request: BuildRequest, context: BuildContext): Promise<BuildResult>;
  close(): Promise<void>;
  /** Lists what it can build. */
  capabilities(): Promise<Capability[]>;
  /** Reads a finished build from the cache; null when it could not be stored. */
  cachedBuild(buildId: string): Promise<CachedBuild | null>;
}
