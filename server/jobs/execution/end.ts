import { type Failure, MAX_DIAGNOSTICS } from '../../contract/diagnostics.ts';
import type { Job, JobType } from '../../contract/jobs/jobs.ts';
import type { FpgaState } from '../../contract/nodes/nodes.ts';
import { assertNever, BenchError } from '../../errors/bench-error.ts';
import { jobsError } from '../../errors/jobs.ts';
import { advance, type NodeEvent, transition } from '../../nodes/machine.ts';
import type { LeasedSession } from '../../nodes/session.ts';
import type { JobFiles, StoredJob, StoredNode } from '../../store/index.ts';
import type { Cause } from '../activity.ts';
import { SYSTEM } from '../pool.ts';
import type { Outcome } from './steps.ts';
import { INLINE_WORDS, wordsToBytes } from './words.ts';

/** How a job ends: got through, or failed. */
export type End = ({ kind: 'complete' } & Outcome) | { kind: 'failed'; failure: Failure; event?: NodeEvent };

/** What is said of a job that has ended to who wants to end it. */
export const endedAlready = ({ status }: Pick<Job, 'status'>, remedy: string) => ({
  message: `The job has ended already: it is ${status}.`,
  remedy,
});

/** What others are told of the end of a job that moves its node. */
export function causeOf(
  end: Pick<End, 'event'>,
  { job, asked }: StoredJob,
  node: StoredNode,
): Cause | undefined {
  const { owner, job_id: jobId } = job;
  switch (end.event) {
    case 'program_succeeded':
      return { kind: node.session === null ? 'taken' : 'replaced', by: owner, jobId };
    case 'program_failed':
      return node.session === null ? undefined : { kind: 'replaced', by: owner, jobId };
    case 'reset_succeeded':
    case 'reset_failed': {
      const by = owner === SYSTEM.owner ? null : owner;
      return { kind: asked === 'release' ? 'released' : 'reset', by, jobId };
    }
    default:
      return undefined;
  }
}

/** What a job, a node and its callers are told of an error. */
export function failureOf(error: unknown): Failure {
  if (!(error instanceof BenchError)) return failureOf(jobsError('job_crashed', { cause: error }));
  const { code, message, remedy, diagnostics } = error;
  const found = diagnostics.slice(0, MAX_DIAGNOSTICS);
  return { error: code, message, remedy, ...(found.length > 0 ? { diagnostics: found } : {}) };
}

/** Failures of a run that leave the node as it is. */
const UNTOUCHED: ReadonlySet<string> = new Set(['service_stopped', 'board_paused']);

/** The end of a job that failed, with how its node moves from this state. */
export function failed(type: JobType, state: FpgaState, error: unknown): End {
  const failure = failureOf(error);
  const events: Readonly<Record<JobType, readonly NodeEvent[]>> = {
    build_and_program: ['build_failed', 'program_failed'],
    // The service's own end says nothing about the board: it is programmed anew at the next start. A clock that stands
    // is no fault of the board either.
    run: UNTOUCHED.has(failure.error) ? [] : ['board_failed'],
    reset: ['reset_failed'],
  };
  const event = events[type].find((one) => transition(state, one) !== null);
  const moves = event !== undefined && failure.error !== 'run_skipped';
  return { kind: 'failed', failure, ...(moves ? { event } : {}) };
}

/** The record of a job that has ended; a result of many words is in its file before it resolves. */
export async function endedJob(
  before: StoredJob,
  end: End,
  files: JobFiles,
  updated_at: string,
): Promise<StoredJob> {
  const { stage, fraction: _fraction, ...rest } = before.job;
  const { data: _data, on_farm: _onFarm, ...plain } = before;
  const job: Job = { ...rest, status: end.kind, updated_at };
  if (end.kind === 'failed')
    // Where a failed job has come to is worth knowing; a complete one has come through.
    return { ...plain, job: { ...job, failure: end.failure, ...(stage ? { stage } : {}) } };
  const { ok, summary, fault, script, words } = end;
  const ended: StoredJob = {
    ...plain,
    job: {
      ...job,
      ok,
      ...(fault ? { fault } : {}),
      ...(summary === undefined ? {} : { summary }),
      ...(script ? { script } : {}),
    },
  };
  if (!words || words.length === 0) return ended;
  const bytes = wordsToBytes(words);
  if (words.length > INLINE_WORDS) {
    try {
      await files.write(job.fpga_id, job.job_id, 'result', bytes);
      return ended;
    } catch {
      // The caller gets its words all the same: they stay in the record until the store can write again.
    }
  }
  return { ...ended, result: bytes.toString('base64') };
}

/** What becomes of the node, or undefined when it stays as it is. */
export function endedNode(
  node: StoredNode,
  end: End,
  newSession: () => LeasedSession,
): Partial<StoredNode> | undefined {
  const { event } = end;
  if (event === undefined) return undefined;
  const state = advance(node.state, event);
  const error = end.kind === 'failed' ? end.failure : null;
  switch (event) {
    case 'build_failed':
      return { state };
    case 'program_succeeded':
      return {
        state,
        error: null,
        design: (end.kind === 'complete' && end.design) || null,
        ...newSession(),
      };
    case 'program_failed':
    case 'reset_failed':
    case 'reset_succeeded':
      return { state, error, design: null, session: null, lease: null };
    case 'board_failed':
      // The session stays: its holder resets the node, or it expires and the service does.
      return { state, error, design: null };
    case 'submit':
    case 'cancel':
    case 'build_started':
    case 'build_succeeded':
    case 'run':
    case 'replace':
    case 'replace_built':
    case 'reset':
      throw new Error(`A job does not end with ${event}.`);
    default:
      return assertNever(event);
  }
}
