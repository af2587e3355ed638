import { hasEnded, type Job } from '../contract/jobs/jobs.ts';
import { BenchError } from '../errors/bench-error.ts';
import { boardsError } from '../errors/boards.ts';
import type { EventHub } from '../events/events.ts';
import type { NodePool } from '../jobs/node-pool.ts';
import type { Caller, RunInput } from '../jobs/pool.ts';
import type { LinkWork } from '../nodes/link-use.ts';

/** Seconds of one wait for the end of a job; repeated until the job has ended. */
const WAIT_SECONDS = 60;

/** The failure of a job, as an error. */
export function failureOfJob({ failure, status, job_id: jobId }: Job): BenchError {
  if (!failure)
    return boardsError('check_cancelled', { message: `A job of the check was ${status}.`, jobId });
  const { error, message, remedy } = failure;
  return new BenchError(error, { status: 502, message, remedy }, { jobId });
}

/** A node that refuses its own session's transactions is being reset by another caller. */
function displaced(error: unknown): never {
  if (error instanceof BenchError && error.code === 'fpga_not_reserved')
    throw boardsError('check_displaced', { cause: error });
  throw error;
}

/**
 * The node under check, used through the public calls. It submits, runs and releases on behalf of the check's owner,
 * and only while the session is the check's own.
 */
export class CheckedNode {
  readonly #pool: NodePool;
  readonly #events: EventHub;
  readonly #fpgaId: number;
  readonly #caller: Caller;
  /** Fires when the service stops: waiting ends. */
  readonly #stops: AbortSignal;
  /** The job that it waits for. */
  #jobId: string | null = null;
  #sessionId: string | null = null;
  /** The submitted job. */
  #build: Job | null = null;

  constructor(options: {
    pool: NodePool;
    events: EventHub;
    fpgaId: number;
    caller: Caller;
    stops: AbortSignal;
  }) {
    this.#pool = options.pool;
    this.#events = options.events;
    this.#fpgaId = options.fpgaId;
    this.#caller = options.caller;
    this.#stops = options.stops;
  }

  async submit(filename: string, source: Uint8Array): Promise<Job> {
    const design = { filename, source, options: {} };
    this.#build = await this.#pool.submit(this.#fpgaId, design, this.#caller);
    return this.#build;
  }

  /** Adopts the session of the build job; returns its id, null where it has ended already. */
  begin(build: Job): string | null {
    const { session, design } = this.#pool.node(this.#fpgaId);
    const own = session?.owner === this.#caller.owner && design?.build_id === build.build_id;
    this.#sessionId = own ? session.session_id : null;
    return this.#sessionId;
  }

  /** Waits for the end of a job and reports its stages to `onChange`. @throws the reason of `stops`. */
  async follow({ job_id: jobId }: Job, onChange: (job: Job) => void = () => {}): Promise<Job> {
    this.#jobId = jobId;
    const unsubscribe = this.#events.subscribe((event) => {
      if (event.type === 'job' && event.job.job_id === jobId) onChange(event.job);
    });
    try {
      for (;;) {
        this.#stops.throwIfAborted();
        await this.#pool.waitForChange(jobId, WAIT_SECONDS, this.#stops);
        const job = this.#pool.job(this.#fpgaId, jobId);
        if (hasEnded(job.status)) return job;
      }
    } finally {
      unsubscribe();
      this.#jobId = null;
    }
  }

  /** Cancels the pending job if it has not begun; a running one continues. */
  cancel(): void {
    // A running job refuses this, which is fine.
    if (this.#jobId) void this.#pool.cancel(this.#fpgaId, this.#jobId, this.#caller).catch(() => {});
  }

  report = (job: Job) => this.#pool.report(this.#fpgaId, job.job_id);
  log = (job: Job) => this.#pool.readLog(this.#fpgaId, job.job_id);

  write(address: number, data: Uint32Array, fixed = false): Promise<Uint32Array> {
    return this.#run({ op: 1, address, data, count: data.length, fixed_address: fixed });
  }

  read(address: number, count: number, fixed = false): Promise<Uint32Array> {
    return this.#run({ op: 2, address, data: new Uint32Array(0), count, fixed_address: fixed });
  }

  async #run(input: RunInput): Promise<Uint32Array> {
    this.#requireSession();
    const job = await this.follow(await this.#pool.run(this.#fpgaId, input, this.#caller).catch(displaced));
    // A reset came before the run.
    if (job.failure?.error === 'run_skipped' || job.status === 'cancelled')
      throw boardsError('check_displaced');
    if (job.status !== 'complete') throw failureOfJob(job);
    const { ok, data } = await this.#pool.result(this.#fpgaId, job.job_id);
    if (!ok)
      throw boardsError('check_words_wrong', { message: `The check design did not answer: ${job.summary}.` });
    return data;
  }

  /** Uses the link other than by a job. */
  overLink<T>(work: LinkWork<T>): Promise<T> {
    const sessionId = this.#requireSession();
    return this.#pool.overLink(this.#fpgaId, sessionId, work).catch(displaced);
  }

  /** @throws check_displaced when the session is no longer the check's own. */
  #requireSession(): string {
    const { session, state } = this.#pool.node(this.#fpgaId);
    const own = this.#sessionId !== null && session?.session_id === this.#sessionId;
    // A failed board puts the node into `error` and keeps the session: the caller that needed the board reports that.
    if (!own || this.#sessionId === null || (state !== 'reserved' && state !== 'error'))
      throw boardsError('check_displaced');
    return this.#sessionId;
  }

  /**
   * Requests the reset that gives the node back; null where the check has nothing on it.
   * @param afterFailure the check's own programming failed: without a session the error is its own, too
   */
  async askBack(afterFailure: boolean): Promise<Job | null> {
    // The check may have ended before its build did.
    if (this.#build && this.#sessionId === null) {
      const build = await this.follow(this.#build);
      if (build.status === 'complete') this.begin(build);
    }
    const { session, state, board } = this.#pool.node(this.#fpgaId);
    if (this.#sessionId !== null && session?.session_id === this.#sessionId)
      return await this.#pool.release(this.#fpgaId, this.#caller);
    if (afterFailure && state === 'error' && session === null && board.present)
      return await this.#pool.reset(this.#fpgaId, this.#caller);
    return null;
  }

  get state() {
    return this.#pool.node(this.#fpgaId).state;
  }
}
