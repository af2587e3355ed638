import { createStore } from 'zustand/vanilla';
import type { Job } from '../../../server/contract/jobs.ts';

interface JobsState {
  byId: ReadonlyMap<string, Job>;
  loaded: boolean;
}

export const createJobsStore = () => createStore<JobsState>(() => ({ byId: new Map(), loaded: false }));
export type JobsStore = ReturnType<typeof createJobsStore>;

/** A job never goes back: of two versions the one that was updated later is kept. */
const newer = (a: Job | undefined, b: Job): Job => (a !== undefined && a.updated_at > b.updated_at ? a : b);

/** Adds or updates jobs and forgets removed ones: one new map however many there are. */
export function mergeJobs(
  store: JobsStore,
  changed: Iterable<Job>,
  removed: Iterable<string> = [],
  loaded?: boolean,
): void {
  const state = store.getState();
  const byId = new Map(state.byId);
  for (const job of changed) byId.set(job.job_id, newer(byId.get(job.job_id), job));
  for (const id of removed) byId.delete(id);
  store.setState({ byId, loaded: loaded ?? state.loaded });
}

/** The answer to a reload: what the service no longer names is gone. */
export function replaceJobs(store: JobsStore, jobs: Iterable<Job>): void {
  const byId = new Map<string, Job>();
  const old = store.getState().byId;
  for (const job of jobs) byId.set(job.job_id, newer(old.get(job.job_id), job));
  store.setState({ byId, loaded: true });
}

/** Newest first; of one node when `fpgaId` is given. */
export function listJobs(byId: ReadonlyMap<string, Job>, fpgaId?: number): Job[] {
  const jobs: Job[] = [];
  for (const job of byId.values()) if (fpgaId === undefined || job.fpga_id === fpgaId) jobs.push(job);
  return jobs.sort((a, b) => (a.created_at < b.created_at ? 1 : a.created_at > b.created_at ? -1 : 0));
}

/** Whether a job has ended: nothing about it changes any more. */
export const hasEnded = (job: Job): boolean =>
  job.status === 'complete' || job.status === 'failed' || job.status === 'cancelled';
