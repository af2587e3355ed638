import type { Job, Stage } from './jobs.ts';

/**
 * Approximate share of each stage in a job's time, for one progress bar. Measured on the echo example with the embedded
 * engine. Errors are harmless, because the bar names the stage.
 */
const SHARES: Record<Job['type'], readonly [Stage, number][]> = {
  build_and_program: [
    ['scan', 0.15],
    ['synthesis', 0.3],
    ['place', 0.2],
    ['route', 0.25],
    ['pack', 0.04],
    ['program', 0.04],
    ['identify', 0.02],
    ['script', 0],
  ],
  run: [['transfer', 1]],
  reset: [
    ['program', 0.8],
    ['identify', 0.2],
  ],
};

/** Progress of the whole job, 0 to 1; undefined before the first figure. */
export function overallFraction(job: Job): number | undefined {
  if (job.status === 'queued') return 0;
  if (job.status !== 'running') return 1;
  if (!job.stage) return undefined;
  if (job.stage === 'queue') return 0;
  let done = 0;
  for (const [stage, share] of SHARES[job.type]) {
    if (stage === job.stage) return done + share * (job.fraction ?? 0);
    done += share;
  }
  return job.fraction;
}
