import type { CachedBuild } from '../cache/build-cache.ts';
import type { FinishedBuild } from './run-build.ts';

/** How a build will be made, known before it has to be. */
export interface BuildPlan {
  id: string;
  /** Looks for the result elsewhere than in this machine's cache. */
  find(): Promise<CachedBuild | null>;
  make(): Promise<FinishedBuild>;
}
