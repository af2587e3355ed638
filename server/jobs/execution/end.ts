import { type Failure, MAX_DIAGNOSTICS } from '../../contract/diagnostics.ts';
import type { Job, JobType } from '../../contract/jobs/jobs.ts';
import type { FpgaState } from '../../contract/nodes/nodes.ts';
import { BenchError } from '../../errors/bench-error.ts';
import { jobsError } from '../../errors/jobs.ts';
import { advance, transition } from '../../nodes/machine.ts';
import type { LeasedSession } from '../../nodes/session.ts';
import type { JobFiles, StoredJob, StoredNode } from '../../store/index.ts';
import type { Cause } from '../activity.ts';
import { SYSTEM } from '../pool.ts';
import type { EndEvent, Outcome } from './steps.ts';
import { INLINE_WORDS, wordsToBytes } from './words.ts';

/** How a job ends: complete or failed. */
export type End = ({ kind: 'complete' } & Outcome) | { kind: 'failed'; failure: Failure; event?: EndEvent };

/** The details of the error for a caller who ends a job that has ended already. */
export const endedAlready = ({ status }: Pick<Job, 'status'>, remedy: string) => ({
  message: `The job has ended already: it is ${status}.`,
  remedy,
});

/** The activity for the end of a job that changes its node. */
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

/** The failure that a job and its node show for an error. */
export function failureOf(error: unknown): Failure {
  if (!(error instanceof BenchError)) return failureOf(jobsError('job_crashed', { cause: error }));
  const { code, message, remedy, diagnostics } = error;
  const found = diagnostics.slice(0, MAX_DIAGNOSTICS);
  return { error: code, message, remedy, ...(found.length > 0 ? { diagnostics: found } : {}) };
}

/** Failures of a run that leave the node unchanged. */
const UNTOUCHED: ReadonlySet<string> = new Set(['service_stopped', 'board_paused']);

/** The end of a failed job, with the event that its node takes in this state. */
export function failed(type: JobType, state: FpgaState, error: unknown): End {
  const failure = failureOf(error);
  const events: Readonly<Record<JobType, readonly EndEvent[]>> = {
    build_and_program: ['build_failed', 'program_failed'],
    // A stop of the service is no board failure: the next start programs the board again. Neither is a paused clock.
    run: UNTOUCHED.has(failure.error) ? [] : ['board_failed'],
    reset: ['reset_failed'],
  };
  const event = events[type].find((one) => transition(state, one) !== null);
  const moves = event !== undefined && failure.error !== 'run_skipped';
  return { kind: 'failed', failure, ...(moves ? { event } : {}) };
}

/** The record of a job that ends with these facts, at this time. A failed one keeps its stage. */
export function recordOf(
  { job, data: _data, on_farm: _onFarm, ...plain }: StoredJob,
  end: Pick<Job, 'status'> & Partial<Job>,
  updated_at: string,
): StoredJob {
  const { fraction: _fraction, stage, ...rest } = job;
  const kept = end.status === 'failed' && stage ? { stage } : {};
  return { job: { ...rest, ...kept, ...end, updated_at }, ...plain };
}

/** The record of an ended job. A long result is in its file before this resolves. */
export async function endedJob(
  before: StoredJob,
  end: End,
  files: JobFiles,
  updated_at: string,
): Promise<StoredJob> {
  if (end.kind === 'failed') return recordOf(before, { status: 'failed', failure: end.failure }, updated_at);
  const { ok, summary, fault, script, words } = end;
  const facts = {
    ...(fault ? { fault } : {}),
    ...(summary === undefined ? {} : { summary }),
    ...(script ? { script } : {}),
  };
  const ended = recordOf(before, { status: 'complete', ok, ...facts }, updated_at);
  const { job } = ended;
  if (!words || words.length === 0) return ended;
  const bytes = wordsToBytes(words);
  if (words.length > INLINE_WORDS) {
    try {
      await files.write(job.fpga_id, job.job_id, 'result', bytes);
      return ended;
    } catch {
      // The caller still gets its words: they stay in the record until the store can write again.
    }
  }
  return { ...ended, result: bytes.toString('base64') };
}

/** The node after the job, or undefined when it stays unchanged. */
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
      // The session stays until its holder resets the node, or until it expires.
      return { state, error, design: null };
  }
}
