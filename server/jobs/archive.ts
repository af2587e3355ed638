import type { Logger } from '../log.ts';
import type { Store, StoredJob } from '../store/index.ts';
import { hasEnded, type JobLedger } from './ledger.ts';

export interface ArchiveOptions {
  store: Store;
  ledger: JobLedger;
  logger: Logger;
}

/** Where jobs go when they have ended: their node's history, until newer ones take their place. */
export class Archive {
  readonly #options: ArchiveOptions;
  #removals: Promise<void> = Promise.resolve();

  constructor(options: ArchiveOptions) {
    this.#options = options;
  }

  /**
   * Puts an ended job into the history; resolves when it is on disk there. Until then bench.json has it.
   * @throws store_unavailable; the history then tries again by itself.
   */
  async keep(ended: StoredJob): Promise<void> {
    const { store } = this.#options;
    const { job_id: jobId, fpga_id: fpgaId } = ended.job;
    const { jobs } = store.bench;
    jobs.set(jobId, ended);
    await store.histories[fpgaId]?.append(ended);
    if (jobs.get(jobId) === ended) jobs.delete(jobId);
    store.touch();
  }

  /** Removes the oldest ended jobs of a node beyond the limit, but for the one whose design is on its board. */
  prune(fpgaId: number, onBoard: string | null, limit: number): void {
    const { store, ledger } = this.#options;
    if (ledger.count(fpgaId) <= limit) return;
    const ended = [...ledger.ofNode(fpgaId)].filter(({ job }) => hasEnded(job.status));
    const surplus = ended.length - limit;
    if (surplus <= 0) return;
    for (const { job } of ended.slice(0, surplus)) {
      if (job.job_id === onBoard) continue;
      ledger.remove(fpgaId, job.job_id, true);
      store.histories[fpgaId]?.remove(job.job_id);
      if (store.bench.jobs.delete(job.job_id)) store.touch();
      this.#remove(async () => {
        await store.jobFiles.removeJob(fpgaId, job.job_id);
        const { build_id: buildId } = job;
        if (buildId) await store.jobFiles.removeBitstream(buildId, () => this.#wanted(buildId));
      });
    }
  }

  /** Removes files that no job that is kept belongs to: the rest of what was under way in a crash. */
  sweep(): void {
    const { store, ledger } = this.#options;
    this.#remove(async () => {
      for (const fpgaId of store.histories.keys()) {
        const known = new Set([...ledger.ofNode(fpgaId)].map(({ job }) => job.job_id));
        for (const jobId of await store.jobFiles.jobFolders(fpgaId)) {
          // Asked again: a job may have been accepted since the folders were listed.
          if (!known.has(jobId) && !ledger.has(jobId)) await store.jobFiles.removeJob(fpgaId, jobId);
        }
      }
      for (const buildId of await store.jobFiles.bitstreams())
        await store.jobFiles.removeBitstream(buildId, () => this.#wanted(buildId));
    });
  }

  /** Resolves when what was to be removed is gone. */
  settled(): Promise<void> {
    return this.#removals;
  }

  #wanted(buildId: string): boolean {
    const { store, ledger } = this.#options;
    return ledger.refersTo(buildId) || store.bench.nodes.some(({ design }) => design?.build_id === buildId);
  }

  #remove(work: () => Promise<void>): void {
    this.#removals = this.#removals.then(work).catch((error) => {
      this.#options.logger.warn(
        { err: error },
        'Files of jobs that are not kept any more could not be removed.',
      );
    });
  }
}
