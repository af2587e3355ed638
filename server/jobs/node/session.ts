import { type ControlRequest, MAX_CONTROL_REQUESTS } from '../../contract/nodes/control.ts';
import type { Session } from '../../contract/nodes/nodes.ts';
import { coursesError } from '../../errors/courses.ts';
import { jobsError } from '../../errors/jobs.ts';
import { restated, timeLeft } from '../../nodes/session.ts';
import type { Of, Purpose } from '../commands.ts';
import { timestamp } from '../shared.ts';
import type { Draft } from './draft.ts';
import { lifetimeOf, newSession, renewal, resetBySystem } from './requests.ts';
import { EMPTY_MEMORY, isResetting } from './state.ts';

/** Delay before an expired session with a pending renewal is checked again, ms. */
const RENEWAL_MS = 50;
/** Maximum time between stored renewals by streams, ms. */
const MAX_RENEWAL_STEP_MS = 5000;

/** Records a use of the session in memory, cheap enough for every word of a stream; the disk gets it at intervals. */
export function useSession(draft: Draft, { sessionId }: Of<'use_session'>): void {
  const { clock, settings } = draft.bench;
  if (draft.node.session?.session_id !== sessionId) return;
  const { used } = draft.memory;
  const now = clock.monotonic();
  const step = Math.min(MAX_RENEWAL_STEP_MS, settings.sessionTtlSeconds * 100);
  const due = now - used.kept >= step || used.sessionId !== sessionId;
  draft.remember({ used: { sessionId, at: now, kept: due ? now : used.kept } });
  if (due) draft.commit({ node: renewal(draft.bench) }, 'deferred');
}

/** Leaves the session no more than `ms`, because others wait; its next use renews it. */
export function shortenSession(draft: Draft, { ms }: Of<'shorten_session'>): void {
  const { session, lease } = draft.staged;
  const { clock } = draft.bench;
  if (draft.memory.closed || session === null || !lease || timeLeft(lease, clock) <= ms) return;
  // Earlier uses no longer count.
  draft.remember({ used: EMPTY_MEMORY.used });
  draft.commit({ node: restated(session, ms, clock) }, 'deferred');
}

/** Gives the session a new id, because the old one was exposed. */
export function renewSessionId(draft: Draft, { reply }: Of<'renew_session_id'>): void {
  const sessionId = draft.bench.newId();
  const node = ({ session }: { session: Session | null }) =>
    session === null ? {} : { session: { ...session, session_id: sessionId } };
  draft.commitAndAnswer({ node }, 'committed', reply, undefined);
}

export function sessionExpired(draft: Draft, command: Of<'session_expired'>): void {
  const { bench, memory, node } = draft;
  const { session, lease } = node;
  // The session was renewed, handed over or ended, or the service stops.
  if (memory.closed || session === null || session !== command.session) return;
  const { sessionId, at } = memory.used;
  const unused = at + bench.settings.sessionTtlSeconds * 1000 - bench.clock.monotonic();
  const left = Math.min(unused, bench.sessionLimitMs(session.owner));
  if (session.session_id === sessionId && left > 0) {
    draft.commit({ node: renewal(bench, left / 1000) }, 'deferred');
    return;
  }
  if (draft.staged.lease !== lease) {
    // A run renewed the session and that change is on its way to the disk: check again soon.
    draft.do({ kind: 'later', ms: RENEWAL_MS, command });
    return;
  }
  const { owner, fpga_id: fpgaId } = session;
  draft.do({
    kind: 'note',
    level: 'info',
    facts: { fpga_id: fpgaId, owner },
    message: 'A session has expired; its node is reset.',
  });
  const cause = { kind: 'expired', by: null, jobId: null } as const;
  draft.commit({ node: { session: null, lease: null }, cause }, 'deferred');
  resetBySystem(draft, `the session of ${owner} has expired`);
}

/** The wall clock was set: shows the new end of the session. */
export const sessionDrifted = (draft: Draft, { session, left }: Of<'session_drifted'>): void =>
  draft.commit({ node: restated(session, left, draft.bench.clock) }, 'deferred');

/**
 * Requests control from the holder. A second request of the same owner replaces the first and keeps its time.
 * @throws no_active_session, already_holder, too_many_control_requests.
 */
export function requestControl(draft: Draft, { caller, note, reply }: Of<'request_control'>): void {
  const { owner } = caller;
  const { controlRequests } = draft.memory;
  if (heldSession(draft).owner === owner) throw jobsError('already_holder');
  const before = controlRequests.find((one) => one.owner === owner);
  if (!before && controlRequests.length >= MAX_CONTROL_REQUESTS) throw jobsError('too_many_control_requests');
  const request: ControlRequest = { owner, since: before?.since ?? timestamp(draft.bench.clock), note };
  draft.remember({
    controlRequests: before
      ? controlRequests.map((one) => (one === before ? request : one))
      : [...controlRequests, request],
  });
  draft.do({ kind: 'publish' });
  draft.answer(reply, request);
}

/** @throws no_control_request. */
export function withdrawControlRequest(
  draft: Draft,
  { caller, reply }: Of<'withdraw_control_request'>,
): void {
  endControlRequest(draft, caller.owner);
  draft.answer(reply, undefined);
}

/** Declines another owner's request: the activity tells that owner who did. @throws no_active_session, no_control_request. */
export function declineControlRequest(
  draft: Draft,
  { owner, caller, reply }: Of<'decline_control_request'>,
): void {
  heldSession(draft);
  endControlRequest(draft, owner, `${owner} has no control request for this node.`);
  const cause = { kind: 'declined', by: caller.owner, to: owner } as const;
  // The request itself is only in memory, so its answer needs no disk.
  draft.commit({ cause }, 'deferred');
  draft.answer(reply, undefined);
}

function endControlRequest(draft: Draft, owner: string, message?: string): void {
  if (!draft.memory.controlRequests.some((one) => one.owner === owner))
    throw jobsError('no_control_request', message === undefined ? {} : { message });
  dropControlRequest(draft, owner);
  draft.do({ kind: 'publish' });
}

/**
 * Renews the session as a run does, without the board.
 * @throws no_active_session, service_stopping; share_used_up where the owner's share leaves no more time.
 */
export function extendSession(draft: Draft, { reply }: Of<'extend_session'>): void {
  if (draft.memory.closed) throw jobsError('service_stopping');
  const { owner } = heldSession(draft);
  const { lease } = draft.node;
  const limit = draft.bench.sessionLimitMs(owner);
  if (Number.isFinite(limit) && lease && limit <= timeLeft(lease, draft.bench.clock))
    throw coursesError('share_used_up', {
      message: 'Your share of the bench leaves this session no more time.',
    });
  draft.commitAndAnswer({ node: renewal(draft.bench) }, 'committed', reply, undefined);
}

const dropControlRequest = (draft: Draft, owner: string): void =>
  draft.remember({ controlRequests: draft.memory.controlRequests.filter((one) => one.owner !== owner) });

/**
 * Hands the session over: the design stays on the board and waiting jobs still run. The session gets a full lifetime
 * and a new id, which the previous holder does not know.
 * @throws no_active_session, fpga_not_reserved, already_holder, session_ended.
 */
export function handOver(draft: Draft, { to, caller, reply }: Of<'hand_over'>): void {
  const { bench, memory, node } = draft;
  const { fpga_id: fpgaId, state } = node;
  if (memory.closed) throw jobsError('service_stopping');
  const before = heldSession(draft);
  if (state !== 'reserved' || isResetting(draft))
    throw jobsError('fpga_not_reserved', {
      message: `Node ${fpgaId} is ${state === 'reserved' ? 'being reset' : state} and cannot be handed over.`,
    });
  if (before.owner === to) throw jobsError('already_holder');
  if (memory.handingOver)
    throw jobsError('session_ended', { message: `Node ${fpgaId} is being handed over already.` });
  const leased = newSession(draft, to);
  const { session } = leased;
  draft.remember({ handingOver: true });
  draft.commit({ node: leased, cause: { kind: 'handed_over', by: caller.owner, to } }, 'committed', {
    kind: 'hand_over',
    before,
    session,
    handedOver: bench.lastSeq(),
    reply,
  });
}

export function handOverSettled(
  draft: Draft,
  { before, session, handedOver, reply }: Extract<Purpose, { kind: 'hand_over' }>,
  refused: { error: unknown } | null,
): void {
  draft.remember({ handingOver: false });
  if (!refused) {
    draft.remember({ handedOver });
    dropControlRequest(draft, session.owner);
    draft.answer(reply, session);
    return;
  }
  const { bench, staged } = draft;
  // A run that renewed the session meanwhile relies on the new session.
  if (staged.session?.session_id === session.session_id)
    draft.commit({ node: restated(before, 1000 * lifetimeOf(bench, before.owner), bench.clock) }, 'deferred');
  draft.refuse(reply, refused.error);
}

/** @throws no_active_session. */
function heldSession({ node: { session, state, fpga_id: id } }: Draft): Session {
  if (session === null)
    throw jobsError('no_active_session', { message: `Node ${id} has no active session: it is ${state}.` });
  return session;
}
