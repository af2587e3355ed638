import type { BenchError } from '../../errors/bench-error.ts';
import { jobsError } from '../../errors/jobs.ts';
import type { StoredJob } from '../../store/index.ts';
import type { Draft } from './draft.ts';
import { resetBySystem } from './requests.ts';
import { isResetting, isYielding, nextJob, replacements, resetJob } from './state.ts';

/**
 * Whose turn it is. A node does one thing at a time: it gives its board what the session needs, lets somebody use the
 * link, gives the board to what was built beside the session, or works at its oldest job. Builds that are to take the
 * session's place go on beside that.
 */
export function consider(draft: Draft): void {
  const { node, memory } = draft;
  if (node.session === null && memory.controlRequests.length > 0) draft.remember({ controlRequests: [] });
  if (node.state !== 'reserved' && memory.restore !== null) draft.remember({ restore: null });
  if (memory.closed) return;
  // E.g. the reset of an expired session was cancelled: a reserved node belongs to a session.
  if (node.state === 'reserved' && node.session === null && !isResetting(draft))
    resetBySystem(draft, 'the node is reserved without a session');
  considerReplacement(draft);
  if (memory.turn === null) takeTurn(draft);
  else hurryTurn(draft);
}

/** Begins the next build beside the session where there is none, and ends one that cannot go on. */
function considerReplacement(draft: Draft): void {
  const [first] = replacements(draft);
  if (draft.memory.replacement === null) {
    if (!first) return;
    draft.remember({ replacement: { jobId: first.job.job_id, waiting: null, heir: null } });
    draft.do({ kind: 'work', stored: first });
  }
  const { replacement, turn } = draft.memory;
  if (replacement === null || turn?.kind === 'replacement') return;
  const stored = draft.jobs.find(({ job }) => job.job_id === replacement.jobId);
  const objection = stored && objectionTo(draft, stored);
  if (objection) draft.abortJob(replacement.jobId, objection);
}

/** Why a build cannot take the place of the session any more; null while it can. */
function objectionTo(draft: Draft, stored: StoredJob): BenchError | null {
  const { session, state, error, fpga_id: id } = draft.node;
  const newest = replacements(draft).at(-1);
  if (newest && newest.seq > stored.seq) return jobsError('replaced_by_newer');
  if (state === 'error')
    return jobsError('session_ended', {
      message: `Node ${id} is in error and has to be reset first${error ? `: ${error.message}` : '.'}`,
    });
  const reset = resetJob(draft);
  if (reset)
    return jobsError('session_ended', {
      message: `${reset.job.owner} gave node ${id} back or reset it: there is no session left to take the place of.`,
    });
  if (session === null)
    return jobsError('session_ended', {
      message: `The session of node ${id} has ended: there is none left to take the place of.`,
    });
  // Accepted for who held the session before: what was to change it does not any more.
  if (stored.seq <= draft.memory.handedOver)
    return jobsError('session_handed_over', {
      message: `The session of node ${id} was handed over to ${session.owner}, who keeps its design.`,
    });
  return null;
}

/** Gives the turn to who is next, if anybody is. */
function takeTurn(draft: Draft): void {
  const { memory, boardPresent } = draft;
  const next = nextJob(draft);
  const yields = isYielding(draft) && !next && memory.arriving.length === 0;
  // Neither a reset nor a replacement needs a design on the board.
  if (memory.restore !== null && boardPresent && next?.job.type !== 'reset' && !yields) {
    draft.remember({ turn: { kind: 'restore' } });
    draft.do({ kind: 'restore', need: memory.restore });
    return;
  }
  const [use] = memory.linkUses;
  if (memory.usedLink) draft.remember({ usedLink: false });
  if (use && !(memory.usedLink && (next || yields))) {
    draft.remember({ turn: { kind: 'link', use }, usedLink: true });
    const held = draft.node.state === 'reserved' && !isResetting(draft);
    draft.do({ kind: 'use_link', use, holder: held ? (draft.node.session?.session_id ?? null) : null });
    if (next || yields || memory.linkUses.length > 1) draft.do({ kind: 'want_link', use });
  } else if (yields && memory.replacement?.waiting) {
    const { jobId, waiting } = memory.replacement;
    draft.remember({ turn: { kind: 'replacement', jobId } });
    draft.answer(waiting, undefined);
  } else if (next) {
    draft.remember({ turn: { kind: 'job', jobId: next.job.job_id } });
    draft.do({ kind: 'work', stored: next });
  }
}

/** Why restoring ends where a reset takes its place. */
export const RESET_COMES_FIRST = jobsError('session_ended');

/** Somebody waits: what can give way is asked to. */
function hurryTurn(draft: Draft): void {
  const { turn, linkUses } = draft.memory;
  const next = nextJob(draft);
  if (turn?.kind === 'restore' && next?.job.type === 'reset')
    draft.do({ kind: 'abort_restore', reason: RESET_COMES_FIRST });
  if (turn?.kind === 'link' && (next || isYielding(draft) || linkUses.length > 1))
    draft.do({ kind: 'want_link', use: turn.use });
}
