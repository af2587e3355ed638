import { hasEnded, type Job, type JobType, type SubmitDetails } from '../../contract/jobs/jobs.ts';
import { jobsError } from '../../errors/jobs.ts';
import { advance, judge, type NodeRequest, type Verdict } from '../../nodes/machine.ts';
import { createSession, type LeasedSession, renewSession } from '../../nodes/session.ts';
import type { StoredJob } from '../../store/index.ts';
import type { Command, Commit, Of, Purpose } from '../commands.ts';
import { designIdOf } from '../design-id.ts';
import { endedAlready, failureOf, recordOf } from '../execution/end.ts';
import { INLINE_WORDS, wordsToBytes } from '../execution/words.ts';
import { type Caller, type SubmitInput, SYSTEM } from '../pool.ts';
import { timestamp } from '../shared.ts';
import type { Draft } from './draft.ts';
import type { Change } from './node-state.ts';
import {
  type Arrival,
  arrivingReset,
  type Bench,
  isPending,
  isResetting,
  isWorkedAt,
  isYielding,
  resetJob,
  usesBoard,
} from './state.ts';

/** Time between attempts at the service's own reset while the store can't write. */
const RETRY_MS = 5000;

/** The first log line of a job that waits for any node, or for one node. */
export const waitingLine = (node: number | null | undefined): string =>
  node === null || node === undefined ? 'waiting for an idle node' : `waiting for node ${node}`;

/** The fields of a job that describe its upload. */
export const submitDetails = ({ filename, source, options, files, ignored }: SubmitInput): SubmitDetails => ({
  filename,
  size: source.byteLength,
  options,
  ...(files === undefined ? {} : { files }),
  ...(ignored === undefined || ignored.length === 0 ? {} : { ignored }),
});

/** Seconds of a session from this moment: a full lifetime, or what the owner's share leaves of it. */
export const lifetimeOf = (
  { settings, sessionLimitMs }: Bench,
  owner: string,
  seconds = settings.sessionTtlSeconds,
): number => Math.min(seconds, sessionLimitMs(owner) / 1000);

/** A new session of an owner on the node, from this moment. */
export const newSession = ({ bench, node }: Draft, owner: string): LeasedSession =>
  createSession({
    sessionId: bench.newId(),
    fpgaId: node.fpga_id,
    owner,
    ttlSeconds: lifetimeOf(bench, owner),
    clock: bench.clock,
  });

/** Gives the node's session a full lifetime from this moment, within the owner's share. */
export const renewal =
  (bench: Bench, seconds?: number): NonNullable<Change['node']> =>
  ({ session, lease }) =>
    (session &&
      lease &&
      renewSession({ session, lease }, lifetimeOf(bench, session.owner, seconds), bench.clock)) ||
    {};

/** Submits a design to an idle node. @throws fpga_not_idle, and what `requireTaken` throws. */
export function submit(draft: Draft, { input, caller, reply }: Of<'submit' | 'replace'>): void {
  requireTaken(draft, 'submit');
  const node = { state: advance(draft.node.state, 'submit') };
  accept(draft, { ...buildOf(input, caller), node, reply });
}

/** Builds a design that replaces the session; on a node without one it is a submit. */
export function replace(draft: Draft, command: Of<'submit' | 'replace'>): void {
  const { state, design, session } = draft.node;
  if (state !== 'reserved') {
    submit(draft, command);
    return;
  }
  requireTaken(draft, 'replace');
  const build = buildOf(command.input, command.caller);
  accept(draft, {
    ...build,
    details: { ...build.details, replaces: true },
    node: renewal(draft.bench),
    note: `will replace ${design?.filename} and the session of ${session?.owner}: both continue until it is built`,
    reply: command.reply,
  });
}

const buildOf = (input: SubmitInput, caller: Caller) => ({
  type: 'build_and_program' as const,
  caller,
  details: { submit: submitDetails(input), design_id: designIdOf(caller.owner, input.filename) },
  upload: { name: 'source' as const, contents: input.source },
});

export function run(draft: Draft, { input, caller, reply }: Of<'run'>): void {
  requireTaken(draft, 'run');
  const { op, address, fixed_address, select, mask } = input;
  const count = op === 1 ? input.data.length : input.count;
  const contents = op === 1 && count > 0 ? wordsToBytes(input.data) : null;
  const part = { ...(select === undefined ? {} : { select }), ...(mask === undefined ? {} : { mask }) };
  accept(draft, {
    type: 'run',
    caller,
    details: { run: { op, address, count, fixed_address, ...part } },
    record: contents && count <= INLINE_WORDS ? { data: contents.toString('base64') } : {},
    upload: contents && count > INLINE_WORDS ? { name: 'request', contents } : undefined,
    node: renewal(draft.bench),
    reply,
  });
}

/** Resets or releases a node; a second request is answered with the pending job. */
export function reset(draft: Draft, command: Of<'reset' | 'release'>): void {
  const { kind: asked, caller, reply } = command;
  const verdict = requireTaken(draft, asked);
  if (verdict.kind === 'accept') accept(draft, { type: 'reset', record: { asked }, caller, reply });
  else if (arrivingReset(draft)) postpone(draft, command);
  else draft.answer(reply, (resetJob(draft) as StoredJob).job);
}

/**
 * Resets a node whose session is gone, on behalf of the service. It retries until a reset is accepted or no longer
 * needed.
 */
export function resetBySystem(draft: Draft, why: string): void {
  const { closed, systemReset } = draft.memory;
  if (closed || systemReset !== null || resetJob(draft)) return;
  draft.remember({ systemReset: why });
  if (arrivingReset(draft)) return;
  const note = `reset by the service: ${why}`;
  accept(draft, { type: 'reset', record: { asked: 'reset' }, caller: SYSTEM, note });
}

/** A reset was accepted, or was refused; then the service's own is retried. */
function systemResetSettled(draft: Draft, refused: { error: unknown } | null): void {
  if (!refused) draft.remember({ systemReset: null });
  if (draft.memory.systemReset === null || !refused) return;
  const facts = { fpga_id: draft.node.fpga_id, reason: failureOf(refused.error).message };
  draft.do(
    { kind: 'note', level: 'warn', facts, message: 'The service could not reset a node yet.' },
    { kind: 'later', ms: RETRY_MS, command: { kind: 'retry_system_reset' } },
  );
}

export function retrySystemReset(draft: Draft): void {
  const { node, memory } = draft;
  draft.remember({ systemReset: null });
  if (memory.systemReset !== null && (node.state === 'reserved' || node.state === 'error'))
    resetBySystem(draft, memory.systemReset);
}

/** A job that was accepted without a node becomes a submit of its owner. */
export function place(draft: Draft, { unplaced, reply }: Of<'place'>): void {
  requireTaken(draft, 'submit');
  const { fpga_id: fpgaId, state } = draft.node;
  const { waiting_for: waitingFor, ...accepted } = unplaced.job;
  const { clock } = draft.bench;
  const job: Job = { ...accepted, fpga_id: fpgaId, updated_at: timestamp(clock), stage: 'queue' };
  const stored: StoredJob = { job, seq: unplaced.seq };
  const change = { node: { state: advance(state, 'submit') }, placed: unplaced };
  arrive(draft, { stored, reply }, { change, kind: 'committed' });
}

/** @throws job_not_found, job_not_cancellable. */
export function cancel(draft: Draft, command: Of<'cancel'>): void {
  const { jobId, caller, reply } = command;
  const { bench } = draft;
  if (isPending(draft, jobId)) {
    postpone(draft, command);
    return;
  }
  const stored = bench.job(jobId);
  const { job } = stored;
  if (job.status !== 'queued')
    throw jobsError('job_not_cancellable', {
      jobId,
      ...(hasEnded(job.status) ? endedAlready(job, 'There is nothing to cancel.') : {}),
    });
  if (draft.memory.closed) throw jobsError('service_stopping');
  const end = { status: 'cancelled', cancelled_by: caller.owner } as const;
  const ended = recordOf(stored, end, timestamp(bench.clock));
  const builds = job.type === 'build_and_program';
  const cause = { kind: 'cancelled' as const, by: caller.owner };
  draft.remember({ cancelling: [...draft.memory.cancelling, jobId] });
  draft.commit(
    {
      job: ended,
      cause: builds || caller.owner !== job.owner ? cause : undefined,
      node: builds && !job.replaces ? { state: advance('queued', 'cancel') } : undefined,
    },
    'committed',
    { kind: 'cancel', ended, reply },
  );
}

/** @throws job_not_found, job_not_stoppable with the reason and the remedy. */
export function stopBuild(draft: Draft, { jobId, caller, reply }: Of<'stop_build'>): void {
  const stored = draft.bench.job(jobId);
  const { owner: by } = caller;
  const { status, type } = stored.job;
  const refuse = (message: string, remedy: string) => {
    throw jobsError('job_not_stoppable', { jobId, message, remedy });
  };
  if (hasEnded(status))
    throw jobsError('job_not_stoppable', { jobId, ...endedAlready(stored.job, 'There is nothing to stop.') });
  if (type !== 'build_and_program')
    refuse(`The job is a ${type}, and only builds can be stopped.`, 'Wait until it ends.');
  if (status === 'queued') refuse('The job has not started.', 'Cancel it: DELETE to the address of the job.');
  if (!isWorkedAt(draft, jobId) || usesBoard(draft, stored))
    refuse(
      'The board is being programmed, which is not interrupted.',
      'Wait until it ends, then release the node.',
    );
  if (draft.memory.stopped?.jobId !== jobId) draft.remember({ stopped: { jobId, by } });
  draft.abortJob(jobId, jobsError('stopped_by_user', { message: `${by} stopped this build.` }));
  draft.answer(reply, undefined);
}

/** A job is on disk, or was taken back with its error. */
export function arrivalSettled(draft: Draft, jobId: string, refused: { error: unknown } | null): void {
  const { memory } = draft;
  const arrival = memory.arriving.find(({ stored }) => stored.job.job_id === jobId) as Arrival;
  draft.remember({ arriving: memory.arriving.filter((one) => one !== arrival) });
  if (arrival.stored.job.type === 'reset') systemResetSettled(draft, refused);
  if (refused) draft.do({ kind: 'remove_files', jobId });
  if (!refused && arrival.note !== undefined) draft.do({ kind: 'log', jobId, line: arrival.note });
  if (arrival.reply && refused) draft.refuse(arrival.reply, refused.error);
  else if (arrival.reply) draft.answer(arrival.reply, arrival.stored.job);
  retakePostponed(draft);
}

/** A cancellation is on disk, or was taken back: then the job may have missed its turn. */
export function cancelSettled(
  draft: Draft,
  { ended, reply }: Extract<Purpose, { kind: 'cancel' }>,
  refused: { error: unknown } | null,
): void {
  const { job_id: jobId, cancelled_by: by } = ended.job;
  draft.remember({ cancelling: draft.memory.cancelling.filter((id) => id !== jobId) });
  if (refused) draft.refuse(reply, refused.error);
  else {
    draft.do({ kind: 'archive', stored: ended, line: `cancelled by ${by} before it started` });
    draft.abortJob(jobId);
    draft.answer(reply, undefined);
  }
  retakePostponed(draft);
}

/** Retakes a command when the pending change of its job is settled. */
export const postpone = (draft: Draft, command: Command): void =>
  draft.remember({ postponed: [...draft.memory.postponed, command] });

function retakePostponed(draft: Draft): void {
  draft.do(...draft.memory.postponed.map((command) => ({ kind: 'retake' as const, command })));
  draft.remember({ postponed: [] });
}

/** @throws the contract's error when the node refuses the request. */
function requireTaken(draft: Draft, request: NodeRequest): Exclude<Verdict, { kind: 'refuse' }> {
  const { node, memory, jobs, bench } = draft;
  if (memory.closed) throw jobsError('service_stopping');
  const { session, error, fpga_id: id } = node;
  // A submit on its way to the disk occupies the node already.
  const submitted = memory.arriving.some(
    ({ stored: { job } }) => job.type === 'build_and_program' && !job.replaces,
  );
  const state = submitted ? 'queued' : node.state;
  const [resetting, yielding] = [isResetting(draft), isYielding(draft)];
  const verdict = judge(request, { state, resetting, hasSession: session !== null, yielding });
  // A full disk still accepts resets and releases: they free space.
  if (verdict.kind === 'accept' && request !== 'reset' && request !== 'release') bench.requireSpace();
  if (verdict.kind !== 'refuse') return verdict;
  const [jobId] = [...jobs, ...memory.arriving.map(({ stored }) => stored)].map(({ job }) => job.job_id);
  const reason = (): string => {
    if (request === 'release')
      return `Node ${id} has no active session: it is ${resetting ? 'being reset' : state}.`;
    if (request === 'run' && resetting) return `Node ${id} is being reset and accepts no more transactions.`;
    if (request === 'run' && yielding)
      return `Node ${id} is about to get its next design and accepts no transactions until then.`;
    if (request === 'replace') return `Node ${id} is being reset: there is no session to replace.`;
    if (state === 'error' && error) return `Node ${id} is in error: ${error.message}`;
    const needs = { submit: 'idle', replace: 'reserved', run: 'reserved', reset: 'reserved or in error' };
    return `Node ${id} is ${state}; ${request} needs a node that is ${needs[request]}.`;
  };
  throw jobsError(verdict.error, { message: reason(), ...(jobId === undefined ? {} : { jobId }) });
}

/** How a request becomes a job. */
interface Acceptance extends Omit<Arrival, 'stored'>, Pick<Change, 'node'>, Pick<Commit, 'upload'> {
  type: JobType;
  caller: Caller;
  details?: Pick<Job, 'submit' | 'design_id' | 'run' | 'replaces'>;
  /** What its record has besides the job. */
  record?: Pick<StoredJob, 'data' | 'asked'>;
}

function accept(draft: Draft, { type, caller, details, record, node, upload, ...arrival }: Acceptance): void {
  const { bench, jobs, memory } = draft;
  const waiting = jobs.filter(({ job }) => job.status === 'queued').length + memory.arriving.length;
  // The limit does not apply to the service's own resets: there is one at a time.
  if (type === 'run' && waiting >= bench.settings.queuedPerNode) throw jobsError('queue_full');
  if (type === 'run' && bench.unended(caller.owner) >= bench.settings.queuedPerOwner)
    throw jobsError('too_many_jobs');
  const now = timestamp(bench.clock);
  const job: Job = {
    job_id: bench.newId(),
    fpga_id: draft.node.fpga_id,
    type,
    status: 'queued',
    created_at: now,
    updated_at: now,
    owner: caller.owner,
    stage: 'queue',
    ...details,
  };
  const stored: StoredJob = { job, seq: bench.newSeq(), ...record };
  // A run that starts at once is stored as running: a crash must not repeat it.
  const before = jobs.filter((one) => !one.job.replaces).length + memory.arriving.length;
  const atOnce = type === 'run' && before === 0;
  const running = { ...stored, job: { ...job, status: 'running' as const, started_at: now } };
  const change = { kept: atOnce ? running : stored, node };
  arrive(draft, { ...arrival, stored }, { change, kind: atOnce ? 'appended' : 'committed', upload });
}

/** Sends a job to the disk. */
function arrive(
  draft: Draft,
  arrival: Arrival,
  { change, ...commit }: Pick<Commit, 'change' | 'kind' | 'upload'>,
): void {
  const { stored } = arrival;
  const { job_id: jobId } = stored.job;
  draft.remember({ arriving: [...draft.memory.arriving, arrival] });
  draft.changes.push({ ...commit, change: { ...change, job: stored }, purpose: { kind: 'arrival', jobId } });
}
