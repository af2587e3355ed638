import { type Clock, every } from '../clock.ts';
import { hasEnded } from '../contract/jobs/jobs.ts';
import type { Logger } from '../log.ts';
import type { JobLogs } from '../logs/job-logs.ts';
import type { Store, StoredJob } from '../store/index.ts';
import { type JobIndex, type RetentionClass, retentionClassOf } from './job-index.ts';
import type { PoolSettings } from './pool.ts';

/** Removals of files at the same time. */
const AT_ONCE = 4;
/** Removals that may wait before nodes wait for them: else a bench that is busy leaves more than it removes. */
const BACKLOG = 256;
/** The age of jobs is looked at so often… */
const AGE_STEP_MS = 3_600_000;
/** …and only where the clock on the wall has gone as the one that never jumps since, up to this. */
const DRIFT_MS = 60_000;
const DAY_MS = 86_400_000;

type Limits = Pick<PoolSettings, 'jobsPerNode' | 'jobDays' | 'jobsBytes'>;

/** How long jobs are kept that have ended: by their number on each node, by their age, by the bytes of all; runs apart. */
export class Retention {
  readonly #store: Store;
  readonly #jobs: JobIndex;
  readonly #logs: JobLogs;
  readonly #logger: Logger;
  readonly #clock: Clock;
  readonly #limits: () => Limits;
  readonly #waiting: (() => Promise<void>)[] = [];
  #running = 0;
  /** Told when there is room, or nothing is left to remove. */
  #onRoom: (() => void)[] = [];
  #onSettled: (() => void)[] = [];
  #stopAging = () => {};

  constructor(options: {
    store: Store;
    jobs: JobIndex;
    logs: JobLogs;
    logger: Logger;
    clock: Clock;
    limits: () => Limits;
  }) {
    this.#store = options.store;
    this.#jobs = options.jobs;
    this.#logs = options.logs;
    this.#logger = options.logger;
    this.#clock = options.clock;
    this.#limits = options.limits;
  }

  /**
   * Removes the oldest ended runs of a node beyond the limit, and the oldest of its other jobs beyond as many, but for
   * the one whose design is on its board and the newest of an active session; and of the whole bench beyond the limit
   * of bytes.
   */
  prune(fpgaId: number): void {
    const { jobsPerNode } = this.#limits();
    const ofNode = this.#jobs.ofNode(fpgaId);
    const { runs, others } = this.#jobs.ended(fpgaId);
    const beyond: Record<RetentionClass, number> = { runs: runs - jobsPerNode, others: others - jobsPerNode };
    for (const stored of beyond.runs > 0 || beyond.others > 0 ? ofNode.values() : []) {
      if (beyond.runs <= 0 && beyond.others <= 0) break;
      const kind = retentionClassOf(stored.job);
      if (beyond[kind] <= 0 || !hasEnded(stored.job.status)) continue;
      beyond[kind]--;
      if (!this.#pinned(stored)) this.#forget(stored);
    }
    this.#pruneBytes();
  }

  /** Looks at the age of jobs now and then, until `stop`. */
  start(): void {
    let [wall, steady] = [this.#clock.now(), this.#clock.monotonic()];
    this.#stopAging = every(this.#clock, AGE_STEP_MS, () => {
      const [nextWall, nextSteady] = [this.#clock.now(), this.#clock.monotonic()];
      // A clock that is set forth by years would take everything with it.
      const sound = Math.abs(nextWall - wall - (nextSteady - steady)) < DRIFT_MS;
      [wall, steady] = [nextWall, nextSteady];
      if (sound) this.#pruneAge();
    });
  }

  stop(): void {
    this.#stopAging();
  }

  #pruneAge(): void {
    const { jobDays } = this.#limits();
    if (jobDays === null) return;
    const oldest = new Date(this.#clock.now() - jobDays * DAY_MS).toISOString();
    for (const fpgaId of this.#store.histories.keys())
      for (const stored of [...this.#jobs.ofNode(fpgaId).values()])
        if (hasEnded(stored.job.status) && stored.job.updated_at < oldest && !this.#pinned(stored))
          this.#forget(stored);
  }

  #pruneBytes(): void {
    const { sizes } = this.#store.jobFiles;
    const { jobsBytes } = this.#limits();
    if (sizes.total <= jobsBytes) return;
    // What waits to be removed counts as removed.
    const bytes: Record<RetentionClass, number> = { runs: 0, others: 0 };
    const removable: Record<RetentionClass, StoredJob[]> = { runs: [], others: [] };
    for (const fpgaId of this.#store.histories.keys())
      for (const stored of this.#jobs.ofNode(fpgaId).values()) {
        const kind = retentionClassOf(stored.job);
        bytes[kind] += sizes.of(stored.job.job_id);
        if (hasEnded(stored.job.status) && !this.#pinned(stored)) removable[kind].push(stored);
      }
    if (bytes.runs + bytes.others <= jobsBytes) return;
    for (const jobs of Object.values(removable)) jobs.sort((a, b) => b.seq - a.seq);
    // A little more than has to be, so that not every job that ends looks through all.
    while (bytes.runs + bytes.others > jobsBytes * 0.98) {
      // Either has half of the room to itself: the one that takes more gives way.
      const larger = bytes.runs >= bytes.others ? 'runs' : 'others';
      const kind = removable[larger].length > 0 ? larger : larger === 'runs' ? 'others' : 'runs';
      const oldest = removable[kind].pop();
      if (!oldest) return;
      bytes[kind] -= sizes.of(oldest.job.job_id);
      this.#forget(oldest);
    }
  }

  /** The design of a session can be programmed again, and its holder can see what came of his last request. */
  #pinned({ job }: StoredJob): boolean {
    const { design, session } = this.#store.bench.nodes[job.fpga_id] ?? {};
    if (job.job_id === design?.job_id) return true;
    return Boolean(session) && job.job_id === this.#jobs.last(job.fpga_id);
  }

  #forget(stored: StoredJob): void {
    const { bench, histories, jobFiles } = this.#store;
    const { job_id: jobId, fpga_id: fpgaId, build_id: buildId } = stored.job;
    this.#jobs.remove(stored);
    if (bench.jobs.delete(jobId)) this.#store.touch();
    this.#remove(async () => {
      await this.#logs.forget(jobId);
      await jobFiles.removeJob(fpgaId, jobId);
      // Last: a folder without its record would look like a record that was lost.
      histories[fpgaId]?.remove(jobId);
      if (buildId) await jobFiles.removeBitstream(buildId, () => this.#wanted(buildId));
    });
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
      for (const jobId of await jobFiles.jobFolders(null)) {
        const waits = this.#jobs.unplaced.get(jobId)?.job.status === 'queued';
        if (!waits && !this.#jobs.expected.has(jobId)) await jobFiles.removeUnplaced(jobId);
      }
      for (const buildId of await jobFiles.bitstreams())
        await jobFiles.removeBitstream(buildId, () => this.#wanted(buildId));
    });
  }

  /** Finds out how large the files of jobs are whose records do not say it. */
  measure(unknown: readonly StoredJob[]): void {
    const { jobFiles } = this.#store;
    for (const { job } of unknown)
      this.#remove(async () => {
        const files = await jobFiles.list(job.fpga_id, job.job_id);
        if (this.#jobs.has(job.job_id))
          jobFiles.sizes.set(
            job.job_id,
            files.reduce((bytes, { size }) => bytes + size, 0),
          );
      });
  }

  /** Resolves when no more waits to be removed than can be removed in a moment. */
  async room(): Promise<void> {
    while (this.#waiting.length > BACKLOG)
      await new Promise<void>((resolve) => {
        this.#onRoom.push(resolve);
      });
  }

  /** Resolves when what was to be removed is gone. */
  async settled(): Promise<void> {
    while (this.#waiting.length + this.#running > 0)
      await new Promise<void>((resolve) => {
        this.#onSettled.push(resolve);
      });
  }

  #wanted(buildId: string): boolean {
    return (
      this.#jobs.refersTo(buildId) ||
      this.#store.bench.nodes.some(({ design }) => design?.build_id === buildId)
    );
  }

  #remove(work: () => Promise<void>): void {
    this.#waiting.push(work);
    this.#next();
  }

  #next(): void {
    while (this.#running < AT_ONCE) {
      const work = this.#waiting.shift();
      if (!work) break;
      this.#running++;
      work()
        .catch((error) => {
          const sentence = 'Files of jobs that are not kept any more could not be removed.';
          this.#logger.warn({ err: error }, sentence);
        })
        .finally(() => {
          this.#running--;
          this.#next();
        });
    }
    const told = this.#waiting.length <= BACKLOG / 2 ? this.#onRoom.splice(0) : [];
    if (this.#waiting.length + this.#running === 0) told.push(...this.#onSettled.splice(0));
    for (const tell of told) tell();
  }
}
