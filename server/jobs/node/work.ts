import { hasEnded, type Job } from '../../contract/jobs/jobs.ts';
import { jobsError } from '../../errors/jobs.ts';
import { advance } from '../../nodes/machine.ts';
import type { StoredJob } from '../../store/index.ts';
import type { Of } from '../commands.ts';
import { causeOf, endedNode } from '../execution/end.ts';
import { timestamp } from '../shared.ts';
import type { Draft } from './draft.ts';
import { newSession, postpone } from './requests.ts';
import { isPending } from './state.ts';

/** Starts a job, unless it was cancelled or waits for the next start of the service. */
export function begin(draft: Draft, command: Of<'begin'>): void {
  const { jobId, stage, onDisk, reply } = command;
  if (isPending(draft, jobId)) {
    postpone(draft, command);
    return;
  }
  const { bench, memory, node } = draft;
  const before = bench.job(jobId);
  const { in_queue: _place, ...queued } = before.job;
  if (queued.status !== 'queued' || memory.closed) {
    draft.answer(reply, queued.status === 'running');
    return;
  }
  const now = timestamp(bench.clock);
  const job: Job = { ...queued, status: 'running', stage, started_at: now, updated_at: now };
  const isBuild = job.type === 'build_and_program';
  const begun: StoredJob = { ...before, job, ...(isBuild && bench.hasFarm && { on_farm: true as const }) };
  const builds = isBuild && !job.replaces && node.state === 'queued';
  // Shown at once: from here the job can't be cancelled.
  draft.commitAndAnswer(
    { job: begun, node: builds ? { state: advance('queued', 'build_started') } : undefined },
    onDisk ? 'volatile' : 'deferred',
    reply,
    true,
  );
}

/** Adds facts to a job's record. */
export function learn(draft: Draft, { jobId, job: known, reply }: Of<'learn'>): void {
  const stored = draft.bench.job(jobId);
  const { fraction: _fraction, estimate: _estimate, ...before } = stored.job;
  const job: Job = { ...before, ...known, updated_at: timestamp(draft.bench.clock) };
  if (hasEnded(job.status)) draft.answer(reply, false);
  else draft.commitAndAnswer({ job: { ...stored, job } }, 'deferred', reply, true);
}

/** A build has its bitstream and takes the board, which is free. */
export function built(draft: Draft, { jobId, reply }: Of<'built'>): void {
  if (hasEnded(draft.bench.job(jobId).job.status)) draft.answer(reply, false);
  else {
    const node = { state: advance(draft.node.state, 'build_succeeded') };
    draft.commitAndAnswer({ node }, 'deferred', reply, true);
  }
}

/** A replacement has its bitstream and waits for the board. */
export function awaitTurn(draft: Draft, { jobId, reply }: Of<'take_turn'>): void {
  const { replacement } = draft.memory;
  if (replacement?.jobId === jobId) draft.remember({ replacement: { ...replacement, waiting: reply } });
}

/**
 * Ends the session that a design replaces. The disk keeps the session until the new one begins: a crash before that
 * restores it with its design.
 * @throws session_ended.
 */
export function takePlace(draft: Draft, { reply }: Of<'take_place'>): void {
  const { node, memory } = draft;
  if (node.session === null || memory.replacement === null) throw jobsError('session_ended');
  draft.remember({ replacement: { ...memory.replacement, heir: node.session.owner } });
  const shown = {
    state: advance(node.state, 'replace_built'),
    session: null,
    lease: null,
    design: null,
    error: null,
  };
  draft.commitAndAnswer({ shown }, 'deferred', reply, node);
}

/**
 * Ends a job together with its node. A caller who sees a job complete also finds it complete after a crash. When the
 * disk can't be written, the end is still shown: it has happened.
 */
export function end(draft: Draft, { end: how, ended, reply }: Of<'end'>): void {
  const { memory, staged } = draft;
  const { job_id: jobId, owner } = ended.job;
  const heir = memory.replacement?.jobId === jobId ? memory.replacement.heir : null;
  const node = endedNode(draft.node, how, () => newSession(draft, heir ?? owner));
  const { stopped } = memory;
  const wasStopped = how.kind === 'failed' && how.failure.error === 'stopped_by_user';
  const cause =
    wasStopped && stopped?.jobId === jobId
      ? ({ kind: 'stopped', by: stopped.by } as const)
      : // Judged by the stored node: the session that the design replaces ends with this change.
        causeOf(how, ended, staged);
  draft.commitAndAnswer({ job: ended, cause, node }, 'recorded', reply, undefined);
}

/** Work on a job has stopped. */
export function jobLeft(draft: Draft, { jobId }: Of<'job_left'>): void {
  const { turn, replacement, stopped } = draft.memory;
  const turnEnds = (turn?.kind === 'job' || turn?.kind === 'replacement') && turn.jobId === jobId;
  draft.remember({
    ...(turnEnds ? { turn: null } : {}),
    ...(replacement?.jobId === jobId ? { replacement: null } : {}),
    ...(stopped?.jobId === jobId ? { stopped: null } : {}),
  });
}
