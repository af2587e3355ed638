import { hasEnded } from '../contract/jobs.ts';
import type { Logger } from '../log.ts';
import type { Store } from '../store/index.ts';
import type { JobIndex } from './job-index.ts';

/** How long jobs are kept that have ended: until newer ones take their place. */
export class Retention {
  readonly #store: Store;
  readonly #jobs: JobIndex;
  readonly #logger: Logger;
  #removals: Promise<void> = Promise.resolve();

  constructor(options: { store: Store; jobs: JobIndex; logger: Logger }) {
    this.#store = options.store;
    this.#jobs = options.jobs;
    this.#logger = options.logger;
  }

  /** Removes the oldest ended jobs of a node beyond the limit, but for the one whose design is on its board. */
  prune(fpgaId: number, onBoard: string | null, limit: number): void {
    const { bench, histories, jobFiles } = this.#store;
    const ofNode = this.#jobs.ofNode(fpgaId);
    if (ofNode.size <= limit) return;
    const ended = [...ofNode.values()].filter(({ job }) => hasEnded(job.status));
    for (const stored of ended.slice(0, Math.max(0, ended.length - limit))) {
      const { job_id: jobId, build_id: buildId } = stored.job;
      if (jobId === onBoard) continue;
      this.#jobs.remove(stored);
      histories[fpgaId]?.remove(jobId);
      if (bench.jobs.delete(jobId)) this.#store.touch();
      this.#remove(async () => {
        await jobFiles.removeJob(fpgaId, jobId);
        if (buildId) await jobFiles.removeBitstream(buildId, () => this.#wanted(buildId));
      });
    }
  }

  /** Removes files that no job that is kept belongs to: the rest of what was under way in a crash. */
  sweep(): void {
    const { histories, jobFiles } = this.#store;
    this.#remove(async () => {
      for (const fpgaId of histories.keys()) {
        const known = new Set(this.#jobs.ofNode(fpgaId).keys());
        for (const jobId of await jobFiles.jobFolders(fpgaId)) {
          // Asked again: a job may have been accepted since the folders were listed.
          if (!known.has(jobId) && !this.#jobs.has(jobId)) await jobFiles.removeJob(fpgaId, jobId);
        }
      }
      for (const buildId of await jobFiles.bitstreams())
        await jobFiles.removeBitstream(buildId, () => this.#wanted(buildId));
    });
  }

  /** Resolves when what was to be removed is gone. */
  settled(): Promise<void> {
    return this.#removals;
  }

  #wanted(buildId: string): boolean {
    return (
      this.#jobs.refersTo(buildId) ||
      this.#store.bench.nodes.some(({ design }) => design?.build_id === buildId)
    );
  }

  #remove(work: () => Promise<void>): void {
    this.#removals = this.#removals.then(work).catch((error) => {
      this.#logger.warn({ err: error }, 'Files of jobs that are not kept any more could not be removed.');
    });
  }
}
