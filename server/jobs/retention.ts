import { every } from '../clock.ts';
import { hasEnded } from '../contract/jobs/jobs.ts';
import type { StoredJob, StoredNode } from '../store/index.ts';
import { type RetentionClass, retentionClassOf } from './job-index.ts';
import type { Services } from './services.ts';

/** Concurrent removals of files. */
const AT_ONCE = 4;
/** Pending removals above which nodes wait: otherwise a busy bench creates files faster than it removes them. */
const BACKLOG = 256;
/** Time between checks of the jobs' age… */
const AGE_STEP_MS = 3_600_000;
/** …which count only if the wall clock and the monotonic clock agree to within this. */
const DRIFT_MS = 60_000;
const DAY_MS = 86_400_000;

/** Removes ended jobs by their number on each node, by age, and by the bytes of all jobs. Runs are counted apart. */
export class Retention {
  readonly #services: Services;
  /** Chains of removals, which get them in turn. */
  readonly #lanes = Array.from({ length: AT_ONCE }, () => Promise.resolve());
  #turn = 0;
  /** Removals that are not done. */
  #pending = 0;
  #stopAging = () => {};

  constructor(services: Services) {
    this.#services = services;
  }

  /**
   * Removes a node's oldest ended runs beyond the limit, and its oldest other jobs beyond as many. It spares the job
   * whose design is on the board and the newest jobs of an active session. It also applies the bench's limit of bytes.
   */
  prune(fpgaId: number): void {
    const { jobs, settings } = this.#services;
    for (const ended of Object.values(jobs.ended(fpgaId))) {
      let beyond = ended.size - settings.jobsPerNode;
      for (const stored of ended.values()) {
        if (beyond-- <= 0) break;
        if (!this.#pinned(stored)) this.#forget(stored);
      }
    }
    this.#pruneBytes();
  }

  /** Checks the age of jobs at intervals, until `stop`. */
  start(): void {
    let [wall, steady] = [this.#services.clock.now(), this.#services.clock.monotonic()];
    this.#stopAging = every(this.#services.clock, AGE_STEP_MS, () => {
      const [nextWall, nextSteady] = [this.#services.clock.now(), this.#services.clock.monotonic()];
      // A wall clock set forward by years would remove every job.
      const sound = Math.abs(nextWall - wall - (nextSteady - steady)) < DRIFT_MS;
      [wall, steady] = [nextWall, nextSteady];
      if (sound) this.#pruneAge();
    });
  }

  stop(): void {
    this.#stopAging();
  }

  #pruneAge(): void {
    const { jobDays } = this.#services.settings;
    if (jobDays === null) return;
    const oldest = new Date(this.#services.clock.now() - jobDays * DAY_MS).toISOString();
    for (const stored of this.#services.jobs.all)
      if (hasEnded(stored.job.status) && stored.job.updated_at < oldest && !this.#pinned(stored))
        this.#forget(stored);
  }

  #pruneBytes(): void {
    const { sizes } = this.#services.store.jobFiles;
    const { jobsBytes } = this.#services.settings;
    if (sizes.total <= jobsBytes) return;
    // Jobs with a pending removal count as removed.
    const bytes: Record<RetentionClass, number> = { runs: 0, others: 0 };
    const removable: Record<RetentionClass, StoredJob[]> = { runs: [], others: [] };
    for (const stored of this.#services.jobs.all) {
      const kind = retentionClassOf(stored.job);
      bytes[kind] += sizes.of(stored.job.job_id);
      if (hasEnded(stored.job.status) && !this.#pinned(stored)) removable[kind].push(stored);
    }
    if (bytes.runs + bytes.others <= jobsBytes) return;
    for (const jobs of Object.values(removable)) jobs.sort((a, b) => b.seq - a.seq);
    // Remove a little more than needed, so that not every ended job starts another search.
    while (bytes.runs + bytes.others > jobsBytes * 0.98) {
      // Each class has half of the room: the larger one shrinks.
      const larger = bytes.runs >= bytes.others ? 'runs' : 'others';
      const kind = removable[larger].length > 0 ? larger : larger === 'runs' ? 'others' : 'runs';
      const oldest = removable[kind].pop();
      if (!oldest) return;
      bytes[kind] -= sizes.of(oldest.job.job_id);
      this.#forget(oldest);
    }
  }

  /** A session's design may be programmed again, and its holder may look up the last request. */
  #pinned({ job }: StoredJob): boolean {
    const { design, session } = this.#services.store.bench.nodes[job.fpga_id] as StoredNode;
    if (job.job_id === design?.job_id) return true;
    return Boolean(session) && job.job_id === this.#services.jobs.last(job.fpga_id);
  }

  #forget(stored: StoredJob): void {
    const { bench, histories, jobFiles } = this.#services.store;
    const { job_id: jobId, fpga_id: fpgaId, build_id: buildId } = stored.job;
    this.#services.jobs.remove(stored);
    if (bench.jobs.delete(jobId)) this.#services.store.touch();
    this.#remove(async () => {
      await this.#services.logs.forget(jobId);
      await jobFiles.removeJob(fpgaId, jobId);
      // The record goes last: a folder without a record would look like a lost record.
      histories[fpgaId]?.remove(jobId);
      if (buildId) await jobFiles.removeBitstream(buildId, () => this.#wanted(buildId));
    });
  }

  /** Removes files of unknown jobs, which a crash leaves. */
  sweep(): void {
    const { histories, jobFiles } = this.#services.store;
    this.#remove(async () => {
      for (const fpgaId of histories.keys())
        for (const jobId of await jobFiles.jobFolders(fpgaId))
          if (!this.#services.jobs.has(jobId)) await jobFiles.removeJob(fpgaId, jobId);
      for (const jobId of await jobFiles.jobFolders(null)) {
        const waits = this.#services.jobs.unplaced.get(jobId)?.job.status === 'queued';
        if (!waits && !this.#services.jobs.expected.has(jobId)) await jobFiles.removeUnplaced(jobId);
      }
      for (const buildId of await jobFiles.bitstreams())
        await jobFiles.removeBitstream(buildId, () => this.#wanted(buildId));
    });
  }

  /** Measures the files of jobs whose records lack the size. */
  measure(unknown: readonly StoredJob[]): void {
    const { jobFiles } = this.#services.store;
    for (const { job } of unknown)
      this.#remove(async () => {
        const bytes = await jobFiles.bytesOf(job.fpga_id, job.job_id);
        if (this.#services.jobs.has(job.job_id)) jobFiles.sizes.set(job.job_id, bytes);
      });
  }

  /** Resolves at once, or where there is a backlog when it has gone. */
  async room(): Promise<void> {
    if (this.#pending > BACKLOG) await Promise.race(this.#lanes);
  }

  /** Resolves when all pending removals are done. */
  async settled(): Promise<void> {
    while (this.#pending > 0) await Promise.all(this.#lanes);
  }

  #wanted(buildId: string): boolean {
    return (
      this.#services.jobs.refersTo(buildId) ||
      this.#services.store.bench.nodes.some(({ design }) => design?.build_id === buildId)
    );
  }

  #remove(work: () => Promise<void>): void {
    const lane = this.#turn++ % AT_ONCE;
    this.#pending++;
    this.#lanes[lane] = (this.#lanes[lane] as Promise<void>)
      .then(work)
      .catch((err) => this.#services.logger.warn({ err }, 'Files of removed jobs could not be deleted.'))
      .then(() => void this.#pending--);
  }
}
