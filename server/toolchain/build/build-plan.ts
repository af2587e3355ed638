import type { CachedBuild } from '../cache/build-file.ts';
import type { FinishedBuild } from './run-build.ts';

/** A build that has an id and was not made yet. */
export interface BuildPlan {
  id: string;
  /** Finds the result outside this machine's cache. */
  find(): Promise<CachedBuild | null>;
  make(): Promise<FinishedBuild>;
}
