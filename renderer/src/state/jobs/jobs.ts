import { createStore } from 'zustand/vanilla';
import type { AnyJob, Job } from '../../../../server/contract/jobs/jobs.ts';

interface JobsState {
  byId: ReadonlyMap<string, Job>;
  /** Jobs without a node: they wait for an idle node, were cancelled before, or another bench has them. */
  unplaced: ReadonlyMap<string, AnyJob>;
  loaded: boolean;
}

export const createJobsStore = () =>
  createStore<JobsState>(() => ({ byId: new Map(), unplaced: new Map(), loaded: false }));
export type JobsStore = ReturnType<typeof createJobsStore>;

/**
 * The later of two versions by update time: a job never goes back. Two clocks stamp a remote job, and its times say
 * nothing.
 */
const newer = <T extends AnyJob>(a: T | undefined, b: T): T =>
  a !== undefined && !('bench' in b) && a.updated_at > b.updated_at ? a : b;

const hasNode = (job: AnyJob): job is Job => job.fpga_id !== null;

/** Adds, updates and removes jobs, with one new map for all of them. */
export function mergeJobs(
  store: JobsStore,
  changed: Iterable<AnyJob>,
  removed: Iterable<string> = [],
  loaded?: boolean,
): void {
  const state = store.getState();
  const byId = new Map(state.byId);
  const unplaced = new Map(state.unplaced);
  for (const job of changed)
    if (hasNode(job)) {
      byId.set(job.job_id, newer(byId.get(job.job_id), job));
      unplaced.delete(job.job_id);
    } else if (!byId.has(job.job_id)) unplaced.set(job.job_id, newer(unplaced.get(job.job_id), job));
  for (const id of removed) {
    byId.delete(id);
    unplaced.delete(id);
  }
  store.setState({ byId, unplaced, loaded: loaded ?? state.loaded });
}

/** Whether another bench has the job: no event announces it, the page polls it. */
export const isRemote = (job: AnyJob): boolean => job.bench !== undefined;

/** Replaces all jobs after a reload. */
export function replaceJobs(store: JobsStore, jobs: Iterable<Job>, waiting: Iterable<AnyJob> = []): void {
  const byId = new Map<string, Job>();
  const old = store.getState();
  for (const job of jobs) byId.set(job.job_id, newer(old.byId.get(job.job_id), job));
  const unplaced = [...[...old.unplaced.values()].filter(isRemote), ...waiting];
  store.setState({ byId, unplaced: new Map(unplaced.map((job) => [job.job_id, job])), loaded: true });
}

const byNewest = (a: AnyJob, b: AnyJob): number =>
  a.created_at < b.created_at ? 1 : a.created_at > b.created_at ? -1 : 0;

/** All jobs, newest first, with those without a node. */
export const listAllJobs = ({ byId, unplaced }: Pick<JobsState, 'byId' | 'unplaced'>): AnyJob[] =>
  [...unplaced.values(), ...byId.values()].sort(byNewest);

/** Jobs, newest first; of one node if `fpgaId` is there. */
export function listJobs(byId: ReadonlyMap<string, Job>, fpgaId?: number): Job[] {
  const jobs: Job[] = [];
  for (const job of byId.values()) if (fpgaId === undefined || job.fpga_id === fpgaId) jobs.push(job);
  return jobs.sort(byNewest);
}

/** Whether a job has ended. An ended job never changes. */
export const hasEnded = (job: AnyJob): boolean =>
  job.status === 'complete' || job.status === 'failed' || job.status === 'cancelled';
