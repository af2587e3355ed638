import Type, { type Static } from 'typebox';
import type { Clock } from '../clock.ts';
import type { JobBench } from '../contract/benches.ts';
import { checkOf, parseAs } from '../contract/check.ts';
import { Failure } from '../contract/diagnostics.ts';
import { AnyJobResponse, hasEnded, JobStatus } from '../contract/jobs.ts';
import type { BenchError } from '../errors/bench-error.ts';
import { benchesError } from '../errors/benches.ts';
import { jobsError } from '../errors/jobs.ts';
import type { Logger } from '../log.ts';
import type { StoredDocument } from '../store/document.ts';
import { withoutControls } from '../text.ts';
import type { Benches } from './benches.ts';
import { FORWARDED_BY } from './far-bench.ts';
import type { WatchedBench } from './watched-bench.ts';

/** Jobs elsewhere that are remembered; the oldest that have ended make room. */
const MOST_KEPT = 500;
/** A bench that does not answer for so long has lost its jobs, ms. */
const LOST_MS = 600_000;
const ASK_TIMEOUT_MS = 5_000;
/** Sending a design and having it accepted, which takes a flush to disk. */
const SUBMIT_TIMEOUT_MS = 30_000;
const LONGEST_ANSWER = 64 * 1024;
/** Everything about a job: with what the tools found in its design. */
const LONGEST_DETAILS = 1024 * 1024;
/** Of a sentence that another bench says, characters. */
const LONGEST_SENTENCE = 2000;

const KeptJob = Type.Object({
  job_id: Type.String(),
  owner: Type.String(),
  file: Type.String(),
  bench: Type.String(),
  address: Type.String(),
  /** `sending`: it is not known whether it was accepted. `given_up`: it is to be ended there. */
  stage: Type.Union([
    Type.Literal('sending'),
    Type.Literal('there'),
    Type.Literal('given_up'),
    Type.Literal('over'),
  ]),
  status: JobStatus,
  created_at: Type.String(),
  updated_at: Type.String(),
  fpga_id: Type.Union([Type.Null(), Type.Integer()]),
  /** Since when its bench has not answered, ms since the epoch. */
  silent: Type.Union([Type.Null(), Type.Number()]),
  code: Type.Union([Type.Null(), Type.Literal('job_bench_lost'), Type.Literal('job_not_taken')]),
  /** Why it failed there, as that bench says. */
  failure: Type.Optional(
    Type.Object({ error: Type.String(), message: Type.String(), remedy: Type.String() }),
  ),
});
type KeptJob = Static<typeof KeptJob>;
export const isKeptAway = checkOf(Type.Array(KeptJob));

const isJob = checkOf(AnyJobResponse);
const isFailed = checkOf(Type.Object({ failure: Failure }));

/** A job of this bench that another one took, as it is told. */
type AwayJob = Static<typeof AnyJobResponse> & { bench: JobBench; owner: string };

/** A design as it is sent on. */
export interface Parcel {
  /** The form, with the content type that names its boundary. */
  body: Buffer;
  type: string;
  file: string;
  owner: string;
}

/** A time as it is kept; null for what is none. */
const timeOf = (text: string): string | null =>
  Number.isFinite(Date.parse(text)) ? new Date(text).toISOString() : null;

/** One paragraph of what another bench says, bounded. */
const sentence = (said: string): string => withoutControls(said).slice(0, LONGEST_SENTENCE);

const failureOf = ({ code, message, remedy }: BenchError) => ({ error: code, message, remedy });

/**
 * Jobs that other benches took. A job has the same id on both sides, chosen here and on disk before it is sent, so that
 * it is found again whatever breaks, and asked for twice it is the same one there.
 */
export class AwayJobs {
  readonly #benches: Benches;
  readonly #document: StoredDocument<KeptJob[]>;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #newId: () => string;
  readonly #jobs = new Map<string, KeptJob>();
  readonly #unfollow: () => void;

  constructor(options: {
    benches: Benches;
    document: StoredDocument<KeptJob[]>;
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

  /** Whose it is. @throws job_not_found */
  ownerOf(jobId: string): string {
    return this.#kept(jobId).owner;
  }

  /**
   * Sends a design to a bench of the list that has an idle node; null where none has one or takes it, and nothing of it
   * is there then. Where it cannot be known whether it was taken, it is told as taken: it is not built a second time.
   * @throws store_unavailable
   */
  async send({ body, type, file, owner }: Parcel): Promise<AwayJob | null> {
    const bench = this.#benches.withRoom();
    if (bench === null) return null;
    const now = new Date(this.#clock.now()).toISOString();
    const job: KeptJob = {
      job_id: this.#newId(),
      owner,
      file,
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
      ...this.#headers(bench, owner),
      'content-type': type,
      'content-length': body.length,
      'x-job-id': job.job_id,
    };
    try {
      const asked = { method: 'POST', path: '/submit', headers, body };
      const limits = { timeoutMs: SUBMIT_TIMEOUT_MS, mostBytes: LONGEST_ANSWER };
      const { status } = await far.ask(asked, limits);
      if (status !== 202) {
        this.#logger.info({ bench: job.bench, status }, 'another bench did not take a job');
        return await this.#takeBack(job);
      }
      job.stage = 'there';
    } catch (error) {
      bench.lookNow();
      this.#logger.warn({ err: error, bench: job.bench }, 'a job was being sent to another bench');
      // Where there was no connection, nothing of it was sent.
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ECONNREFUSED' || code === 'EHOSTUNREACH' || code === 'ENETUNREACH')
        return await this.#takeBack(job);
    }
    await this.#write();
    return await this.find(job.job_id);
  }

  /** The job as it is there, or as it was last seen. @throws job_not_found */
  async find(jobId: string): Promise<AwayJob> {
    const job = this.#kept(jobId);
    const bench = this.#bench(job);
    if (job.stage === 'sending' || (job.stage === 'there' && !hasEnded(job.status)))
      await this.#refresh(job, bench);
    return this.#view(job, bench);
  }

  /**
   * Cancels it there.
   * @throws job_not_found, job_not_cancellable, bench_dead
   */
  async cancel(jobId: string): Promise<void> {
    const job = this.#kept(jobId);
    const bench = this.#bench(job);
    if (job.stage === 'over' || job.stage === 'given_up') throw jobsError('job_not_cancellable', { jobId });
    if (!bench?.live) throw benchesError('bench_dead', { jobId });
    const { status } = await this.#ask(bench, job, 'DELETE', `/jobs/${jobId}`);
    if (status === 204) await this.#refresh(job, bench);
    else if (status === 404) throw jobsError('job_not_found', { jobId });
    else throw jobsError('job_not_cancellable', { jobId });
  }

  /**
   * Stops its build there, in the name of who asks where this bench has no key there.
   * @throws job_not_found, job_not_stoppable, bench_dead, bench_refuses
   */
  async stop(jobId: string, by: string): Promise<AwayJob> {
    const job = this.#kept(jobId);
    const bench = this.#bench(job);
    if (!bench?.live) throw benchesError('bench_dead', { jobId });
    await this.#refresh(job, bench);
    if (job.stage !== 'there' || job.fpga_id === null) throw jobsError('job_not_stoppable', { jobId });
    const path = `/fpga/${job.fpga_id}/jobs/${jobId}/stop`;
    // It answers when the tools have ended, with everything that is known of the job.
    const { status } = await this.#ask(bench, { ...job, owner: by }, 'POST', path, LONGEST_DETAILS);
    if (status === 404) throw jobsError('job_not_found', { jobId });
    if (status === 401 || status === 403) throw benchesError('bench_refuses', { jobId });
    if (status !== 200) throw jobsError('job_not_stoppable', { jobId });
    await this.#refresh(job, bench);
    return this.#view(job, bench);
  }

  /** Where to ask for what is not kept here: the bench, and who asks it. @throws job_not_found, bench_dead */
  place(jobId: string): { bench: WatchedBench; headers: Record<string, string> } {
    const job = this.#kept(jobId);
    const bench = this.#bench(job);
    if (!bench?.live)
      throw benchesError('bench_dead', { jobId, message: `The bench “${job.bench}” does not answer.` });
    return { bench, headers: this.#headers(bench, job.owner) };
  }

  close(): void {
    this.#unfollow();
  }

  #kept(jobId: string): KeptJob {
    const job = this.#jobs.get(jobId);
    if (!job) throw jobsError('job_not_found', { jobId });
    return job;
  }

  /** The bench that has it; null where another one is called so now, or none. */
  #bench(job: KeptJob): WatchedBench | null {
    try {
      const bench = this.#benches.get(job.bench);
      return bench.far.address === job.address && bench.known.found === 'settings' ? bench : null;
    } catch {
      return null;
    }
  }

  #headers(bench: WatchedBench, owner: string): Record<string, string> {
    const { key } = bench.known;
    // Header values are Latin-1; a name is sent as UTF-8.
    const name = Buffer.from(owner, 'utf8').toString('latin1');
    return {
      accept: '*/*',
      [FORWARDED_BY]: this.#benches.id,
      'x-api-key': key ?? name,
      'x-job-owner': name,
    };
  }

  /** @throws bench_dead where it does not answer in time, or with more than `mostBytes` */
  async #ask(
    bench: WatchedBench,
    { job_id: jobId, owner }: KeptJob,
    method: string,
    path: string,
    mostBytes = LONGEST_ANSWER,
  ) {
    const headers = this.#headers(bench, owner);
    try {
      return await bench.far.ask({ method, path, headers }, { timeoutMs: ASK_TIMEOUT_MS, mostBytes });
    } catch (cause) {
      bench.lookNow();
      throw benchesError('bench_dead', { jobId, cause });
    }
  }

  /** Why a job has failed there; undefined where that bench does not say. */
  async #failureThere(bench: WatchedBench, job: KeptJob): Promise<KeptJob['failure']> {
    const path = `/fpga/${job.fpga_id}/jobs/${job.job_id}/details`;
    try {
      const { status, text } = await this.#ask(bench, job, 'GET', path, LONGEST_DETAILS);
      const { failure } = (status === 200 && parseAs(text, isFailed)) || {};
      if (failure === undefined) return undefined;
      const { error, message, remedy } = failure;
      return { error: sentence(error), message: sentence(message), remedy: sentence(remedy) };
    } catch {
      return undefined; // its log says it as well
    }
  }

  async #refresh(job: KeptJob, bench: WatchedBench | null): Promise<void> {
    const before = JSON.stringify(job);
    try {
      if (!bench?.live) throw new Error('It does not answer.');
      const { status, text } = await this.#ask(bench, job, 'GET', `/jobs/${job.job_id}`);
      const seen = status === 200 ? parseAs(text, isJob) : null;
      if (seen !== null) {
        job.stage = hasEnded(seen.status) ? 'over' : 'there';
        job.silent = null;
        job.status = seen.status;
        job.fpga_id = seen.fpga_id;
        job.updated_at = timeOf(seen.updated_at) ?? job.updated_at;
        if (seen.status === 'failed' && seen.fpga_id !== null) {
          const failure = await this.#failureThere(bench, job);
          if (failure !== undefined) job.failure = failure;
        }
      } else if (status === 404)
        this.#end(job, 'job_not_taken', job.stage === 'sending' ? 'given_up' : 'over');
      else job.silent ??= this.#clock.now();
    } catch {
      job.silent ??= this.#clock.now();
      if (this.#clock.now() - job.silent > LOST_MS) this.#end(job, 'job_bench_lost', 'given_up');
    }
    if (JSON.stringify(job) !== before) await this.#write();
  }

  #end(job: KeptJob, code: 'job_bench_lost' | 'job_not_taken', stage: 'over' | 'given_up'): void {
    job.stage = stage;
    job.status = 'failed';
    job.code = code;
    job.updated_at = new Date(this.#clock.now()).toISOString();
  }

  #view(job: KeptJob, bench: WatchedBench | null): AwayJob {
    const live = bench?.live === true;
    const over = job.stage === 'over' || job.stage === 'given_up';
    const problem =
      job.code !== null
        ? benchesError(job.code)
        : !live && !over
          ? benchesError('bench_dead', {
              message: `The bench “${job.bench}”, which has the job, does not answer.`,
            })
          : null;
    return {
      job_id: job.job_id,
      fpga_id: null,
      type: 'build_and_program',
      status: job.status,
      created_at: job.created_at,
      updated_at: job.updated_at,
      owner: job.owner,
      bench: {
        name: job.bench,
        address: job.address,
        fpga_id: job.fpga_id,
        state: live ? 'live' : 'dead',
        problem: problem ? failureOf(problem) : (job.failure ?? null),
      },
    };
  }

  /** Nothing of it is elsewhere. */
  async #takeBack(job: KeptJob): Promise<null> {
    this.#jobs.delete(job.job_id);
    await this.#write();
    return null;
  }

  /** A bench is there again: what was given up is ended there, so that it is not built beside what took its place. */
  #benchChanged(bench: WatchedBench): void {
    if (!bench.live) return;
    for (const job of this.#jobs.values())
      if (job.stage === 'given_up' && this.#bench(job) === bench) void this.#endThere(job, bench);
  }

  async #endThere(job: KeptJob, bench: WatchedBench): Promise<void> {
    try {
      const { status, text } = await this.#ask(bench, job, 'GET', `/jobs/${job.job_id}`);
      const seen = status === 200 ? parseAs(text, isJob) : null;
      if (seen?.status === 'queued') await this.#ask(bench, job, 'DELETE', `/jobs/${job.job_id}`);
      else if (seen?.status === 'running')
        await this.#ask(bench, job, 'POST', `/fpga/${seen.fpga_id}/jobs/${job.job_id}/stop`);
      job.stage = 'over';
      await this.#write();
    } catch (error) {
      this.#logger.warn({ err: error, bench: job.bench }, 'a job that was given up could not be ended there');
    }
  }

  async #write(): Promise<void> {
    for (const [id, { stage }] of this.#jobs) {
      if (this.#jobs.size <= MOST_KEPT) break;
      if (stage === 'over') this.#jobs.delete(id);
    }
    await this.#document.write([...this.#jobs.values()]);
  }
}
