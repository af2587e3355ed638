import type { Clock } from '../clock.ts';
import { parseAs } from '../contract/check.ts';
import { hasEnded, type SubmitDetails } from '../contract/jobs/jobs.ts';
import type { BenchError } from '../errors/bench-error.ts';
import { benchesError } from '../errors/benches.ts';
import { jobsError } from '../errors/jobs.ts';
import type { Logger } from '../log.ts';
import type { StoredDocument } from '../store/document.ts';
import type { Benches } from './benches.ts';
import { connectionErrorOf } from './connection-errors.ts';
import { isJob, isOpen, type RemoteJob, type StoredRemoteJob, timeOf, viewOf } from './remote-job-record.ts';
import {
  askAboutJob,
  headersFor,
  MAX_ANSWER_BYTES,
  MAX_DETAILS_BYTES,
  outcomeOfJob,
} from './remote-job-requests.ts';
import type { WatchedBench } from './watched-bench.ts';

/** Maximum stored remote jobs; the oldest ended ones are removed. */
const MAX_STORED = 500;
/** Time without an answer after which a bench's jobs count as lost, ms. */
const LOST_MS = 600_000;
/** Time limit for sending a design, including a flush to disk there. */
const SUBMIT_TIMEOUT_MS = 30_000;
/** Maximum benches that a design is offered to in turn, while its sender waits. */
const MAX_OFFERS = 3;
/** Longest wait of a reader for remote benches, ms; later answers leave the job as last seen. */
const SOON_MS = 1_000;
/** Maximum jobs of one bench that a list asks about at once; the others appear as last seen and come next. */
const LISTED_AT_ONCE = 32;

/** A forwarded upload. */
export interface RemoteUpload {
  /** The form, with the content type that names its boundary. */
  body: Buffer;
  type: string;
  submit: SubmitDetails;
  owner: string;
}

/**
 * Remote jobs. A job has the same id on both sides. It is chosen here and on disk before the upload is sent. So the job
 * is found again after any failure, and a repeated submit is the same job there.
 */
export class RemoteJobs {
  readonly #benches: Benches;
  readonly #document: StoredDocument<StoredRemoteJob[]>;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #newId: () => string;
  readonly #jobs = new Map<string, StoredRemoteJob>();
  /** Why the last request about a job failed. */
  readonly #troubles = new Map<string, BenchError>();
  /** Running requests about jobs. */
  readonly #asking = new Map<string, Promise<void>>();
  readonly #unfollow: () => void;

  constructor(options: {
    benches: Benches;
    document: StoredDocument<StoredRemoteJob[]>;
    clock: Clock;
    logger: Logger;
    newId: () => string;
  }) {
    this.#benches = options.benches;
    this.#document = options.document;
    this.#clock = options.clock;
    this.#logger = options.logger;
    this.#newId = options.newId;
    for (const job of options.document.value) this.#jobs.set(job.job_id, job);
    this.#unfollow = options.benches.onChange((bench) => this.#benchChanged(bench));
  }

  has(jobId: string): boolean {
    return this.#jobs.has(jobId);
  }

  /** The owner of a job. @throws job_not_found */
  ownerOf(jobId: string): string {
    return this.#require(jobId).owner;
  }

  /** Number of an owner’s jobs that have not ended. */
  openOf(owner: string): number {
    return [...this.#jobs.values()].filter((job) => job.owner === owner && isOpen(job)).length;
  }

  /**
   * Sends a design to a listed bench with an idle node, and to the next one if it refuses. Null where no bench accepts
   * it; then no bench has it. If acceptance is uncertain it counts as accepted, so that it is never built twice.
   * @throws store_unavailable
   */
  async send(parcel: RemoteUpload): Promise<RemoteJob | null> {
    for (const bench of this.#benches.withRoom().slice(0, MAX_OFFERS)) {
      const taken = await this.#offer(bench, parcel);
      if (taken !== null) return taken;
    }
    return null;
  }

  /** Sends a design to a bench; null where it is refused: see send(). */
  async #offer(bench: WatchedBench, { body, type, submit, owner }: RemoteUpload): Promise<RemoteJob | null> {
    const now = new Date(this.#clock.now()).toISOString();
    const job: StoredRemoteJob = {
      job_id: this.#newId(),
      owner,
      submit,
      bench: bench.known.name,
      address: bench.far.address,
      stage: 'sending',
      status: 'queued',
      created_at: now,
      updated_at: now,
      fpga_id: null,
      silent: null,
      code: null,
    };
    this.#jobs.set(job.job_id, job);
    await this.#write();
    const { far } = bench;
    const headers = {
      ...headersFor(this.#benches.id, bench, owner),
      'content-type': type,
      'content-length': body.length,
      'x-job-id': job.job_id,
    };
    try {
      const asked = { method: 'POST', path: '/submit', headers, body };
      const limits = { timeoutMs: SUBMIT_TIMEOUT_MS, maxBytes: MAX_ANSWER_BYTES };
      const { status } = await far.ask(asked, limits);
      if (status !== 202) {
        this.#logger.info({ bench: job.bench, status }, 'another bench did not take a job');
        return await this.#takeBack(job);
      }
      job.stage = 'there';
    } catch (error) {
      bench.lookNow();
      this.#logger.warn({ err: error, bench: job.bench }, 'a job was being sent to another bench');
      // Without a connection, nothing was sent.
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ECONNREFUSED' || code === 'EHOSTUNREACH' || code === 'ENETUNREACH')
        return await this.#takeBack(job);
    }
    await this.#write();
    return await this.find(job.job_id);
  }

  /** The job's present state there; as last seen where its bench does not answer soon. @throws job_not_found */
  async find(jobId: string): Promise<RemoteJob> {
    const job = this.#require(jobId);
    const late = isOpen(job) ? await this.#refreshSoon([job]) : null;
    return this.#view(job, this.#bench(job), late?.has(job));
  }

  /** The jobs of one owner, or of all. Silent benches cause no delay: their jobs are as last seen. */
  async list(owner?: string): Promise<RemoteJob[]> {
    const listed = [...this.#jobs.values()].filter((job) => owner === undefined || job.owner === owner);
    const places = new Map<string, number>();
    const asked = listed.filter(isOpen).filter(({ address }) => {
      const place = places.get(address) ?? 0;
      places.set(address, place + 1);
      return place < LISTED_AT_ONCE;
    });
    const late = await this.#refreshSoon(asked);
    return listed.map((job) => this.#view(job, this.#bench(job), late.has(job)));
  }

  /**
   * Cancels it there.
   * @throws job_not_found, job_not_cancellable, bench_dead
   */
  async cancel(jobId: string): Promise<void> {
    const job = this.#require(jobId);
    const bench = this.#bench(job);
    if (job.stage === 'over' || job.stage === 'given_up') throw jobsError('job_not_cancellable', { jobId });
    const trouble = this.#troubleWith(job, bench);
    if (bench === null || trouble !== null) throw trouble;
    const { status } = await askAboutJob(this.#benches.id, bench, job, 'DELETE', `/jobs/${jobId}`);
    if (status === 204) await this.#refresh(job, bench);
    else if (status === 404) throw jobsError('job_not_found', { jobId });
    else throw jobsError('job_not_cancellable', { jobId });
  }

  /**
   * Stops its build there; without a key for that bench, on behalf of the caller.
   * @throws job_not_found, job_not_stoppable, bench_dead, bench_refuses
   */
  async stop(jobId: string, by: string): Promise<RemoteJob> {
    const job = this.#require(jobId);
    const bench = this.#bench(job);
    const trouble = this.#troubleWith(job, bench);
    if (bench === null || trouble !== null) throw trouble;
    await this.#refresh(job, bench);
    if (job.stage !== 'there' || job.fpga_id === null) throw jobsError('job_not_stoppable', { jobId });
    const path = `/fpga/${job.fpga_id}/jobs/${jobId}/stop`;
    // The bench answers when the tools have ended, with all facts about the job.
    const { status } = await askAboutJob(
      this.#benches.id,
      bench,
      { ...job, owner: by },
      'POST',
      path,
      MAX_DETAILS_BYTES,
    );
    if (status === 404) throw jobsError('job_not_found', { jobId });
    if (status === 401 || status === 403) throw benchesError('bench_refuses', { jobId });
    if (status !== 200) throw jobsError('job_not_stoppable', { jobId });
    await this.#refresh(job, bench);
    return this.#view(job, bench);
  }

  /** Where to read further data of a job: the bench, and the request headers. @throws job_not_found, bench_dead */
  place(jobId: string): { bench: WatchedBench; headers: Record<string, string> } {
    const job = this.#require(jobId);
    const bench = this.#bench(job);
    const trouble = this.#troubleWith(job, bench);
    if (bench === null || trouble !== null) throw trouble;
    return { bench, headers: headersFor(this.#benches.id, bench, job.owner) };
  }

  close(): void {
    this.#unfollow();
  }

  #require(jobId: string): StoredRemoteJob {
    const job = this.#jobs.get(jobId);
    if (!job) throw jobsError('job_not_found', { jobId });
    return job;
  }

  /** Its bench; null where the name belongs to another one, or to none. */
  #bench(job: StoredRemoteJob): WatchedBench | null {
    try {
      const bench = this.#benches.get(job.bench);
      return bench.far.address === job.address && bench.known.found === 'settings' ? bench : null;
    } catch {
      return null;
    }
  }

  /** Requests updates, which may continue after this resolves. @returns jobs without an answer so far */
  async #refreshSoon(jobs: readonly StoredRemoteJob[]): Promise<Set<StoredRemoteJob>> {
    const late = new Set(jobs);
    if (jobs.length === 0) return late;
    let cancel = () => {};
    const enough = new Promise<void>((resolve) => {
      cancel = this.#clock.after(SOON_MS, resolve);
    });
    const refreshed = jobs.map((job) => this.#refreshShared(job).then(() => void late.delete(job)));
    await Promise.race([Promise.all(refreshed), enough]);
    cancel();
    return late;
  }

  /** Concurrent readers share one request. */
  #refreshShared(job: StoredRemoteJob): Promise<void> {
    const { job_id: id } = job;
    const bench = this.#bench(job);
    // Its bench was found dead meanwhile: don't wait for the earlier request.
    if (this.#troubleWith(job, bench) !== null) return this.#refresh(job, bench);
    const asking =
      this.#asking.get(id) ??
      this.#refresh(job, bench)
        .catch((error: unknown) => this.#logger.warn({ err: error }, 'a remote job could not be stored'))
        .finally(() => {
          this.#asking.delete(id);
          // Queued after other jobs of its bench above the limit.
          if (this.#jobs.get(id) === job && isOpen(job)) {
            this.#jobs.delete(id);
            this.#jobs.set(id, job);
          }
        });
    this.#asking.set(id, asking);
    return asking;
  }

  /** Why the job's bench can't be asked; null while it lives. */
  #troubleWith(job: StoredRemoteJob, bench: WatchedBench | null): BenchError | null {
    if (bench === null)
      return benchesError('bench_dead', {
        message: `The bench “${job.bench}”, which has the job, is no longer in the list, or has another address there.`,
        remedy: `Put ${job.address} back into the list as “${job.bench}”.`,
      });
    return bench.live ? null : bench.trouble;
  }

  async #refresh(job: StoredRemoteJob, bench: WatchedBench | null): Promise<void> {
    const before = JSON.stringify(job);
    try {
      const trouble = this.#troubleWith(job, bench);
      if (bench === null || trouble !== null) throw trouble;
      const { status, text } = await askAboutJob(this.#benches.id, bench, job, 'GET', `/jobs/${job.job_id}`);
      const seen = status === 200 ? parseAs(text, isJob) : null;
      if (seen !== null) {
        job.silent = null;
        job.fpga_id = seen.fpga_id;
        // Load the outcome first, so that no reader sees an end without it.
        if (hasEnded(seen.status) && seen.fpga_id !== null)
          Object.assign(job, await outcomeOfJob(this.#benches.id, bench, job));
        job.stage = hasEnded(seen.status) ? 'over' : 'there';
        job.status = seen.status;
        job.updated_at = timeOf(seen.updated_at) ?? job.updated_at;
      } else if (status === 404)
        this.#end(job, 'job_not_taken', job.stage === 'sending' ? 'given_up' : 'over');
      else if (status === 401 || status === 403) throw benchesError('bench_refuses');
      else
        throw benchesError('bench_answer_refused', {
          message: `The bench “${job.bench}” answered a request for the job with status ${status}.`,
        });
      this.#troubles.delete(job.job_id);
    } catch (error) {
      this.#troubles.set(job.job_id, connectionErrorOf(error, { name: job.bench, address: job.address }));
      job.silent ??= this.#clock.now();
      if (this.#clock.now() - job.silent > LOST_MS) this.#end(job, 'job_bench_lost', 'given_up');
    }
    if (JSON.stringify(job) !== before) await this.#write();
  }

  #end(job: StoredRemoteJob, code: 'job_bench_lost' | 'job_not_taken', stage: 'over' | 'given_up'): void {
    job.stage = stage;
    job.status = 'failed';
    job.code = code;
    job.updated_at = new Date(this.#clock.now()).toISOString();
  }

  /** @param late its bench has not answered yet */
  #view(job: StoredRemoteJob, bench: WatchedBench | null, late = false): RemoteJob {
    const trouble =
      this.#troubleWith(job, bench) ??
      this.#troubles.get(job.job_id) ??
      (late
        ? benchesError('bench_dead', {
            message: `The bench “${job.bench}”, which has the job, did not answer within ${SOON_MS / 1000} s: this is the last known state of the job.`,
          })
        : null);
    return viewOf(job, trouble);
  }

  /** Removes a job that no remote bench has. */
  async #takeBack(job: StoredRemoteJob): Promise<null> {
    this.#jobs.delete(job.job_id);
    await this.#write();
    return null;
  }

  /** A bench is back: end given-up jobs there, so that none is built besides its replacement. */
  #benchChanged(bench: WatchedBench): void {
    if (!bench.live) return;
    for (const job of this.#jobs.values())
      if (job.stage === 'given_up' && this.#bench(job) === bench) void this.#endThere(job, bench);
  }

  async #endThere(job: StoredRemoteJob, bench: WatchedBench): Promise<void> {
    try {
      const { status, text } = await askAboutJob(this.#benches.id, bench, job, 'GET', `/jobs/${job.job_id}`);
      const seen = status === 200 ? parseAs(text, isJob) : null;
      if (seen?.status === 'queued')
        await askAboutJob(this.#benches.id, bench, job, 'DELETE', `/jobs/${job.job_id}`);
      else if (seen?.status === 'running')
        await askAboutJob(
          this.#benches.id,
          bench,
          job,
          'POST',
          `/fpga/${seen.fpga_id}/jobs/${job.job_id}/stop`,
        );
      job.stage = 'over';
      this.#troubles.delete(job.job_id);
      await this.#write();
    } catch (error) {
      this.#logger.warn({ err: error, bench: job.bench }, 'an abandoned job could not be ended on its bench');
    }
  }

  async #write(): Promise<void> {
    for (const [id, { stage }] of this.#jobs) {
      if (this.#jobs.size <= MAX_STORED) break;
      if (stage !== 'over') continue;
      this.#jobs.delete(id);
      this.#troubles.delete(id);
    }
    await this.#document.write([...this.#jobs.values()]);
  }
}
