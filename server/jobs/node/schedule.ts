import type { BenchError } from '../../errors/bench-error.ts';
import { jobsError } from '../../errors/jobs.ts';
import type { StoredJob } from '../../store/index.ts';
import { RESET_COMES_FIRST } from '../execution/restore.ts';
import type { Draft } from './draft.ts';
import { resetBySystem } from './requests.ts';
import { isResetting, isYielding, nextJob, replacements, resetJob } from './state.ts';

/**
 * Decides what runs next. A node does one thing at a time: it restores the session's design, lets a caller use the
 * link, gives the board to a built replacement, or runs its oldest job. Replacements build meanwhile.
 */
export function consider(draft: Draft): void {
  const { node, memory } = draft;
  if (node.session === null && memory.controlRequests.length > 0) draft.remember({ controlRequests: [] });
  if (node.state !== 'reserved' && memory.restore !== null) draft.remember({ restore: null });
  if (memory.closed) return;
  // For example, the reset of an expired session was cancelled: a reserved node needs a session.
  if (node.state === 'reserved' && node.session === null && !isResetting(draft))
    resetBySystem(draft, 'the node is reserved without a session');
  considerReplacement(draft);
  if (memory.turn === null) takeTurn(draft);
  else hurryTurn(draft);
}

/** Starts the next replacement where none runs, and ends one that can't continue. */
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

/** Why a build can't replace the session any more; null while it can. */
function objectionTo(draft: Draft, stored: StoredJob): BenchError | null {
  const { session, state, error, fpga_id: id } = draft.node;
  const newest = replacements(draft).at(-1);
  if (newest && newest.seq > stored.seq) return jobsError('replaced_by_newer');
  const over = (message: string) => jobsError('session_ended', { message });
  if (state === 'error')
    return over(`Node ${id} is in error and has to be reset first${error ? `: ${error.message}` : '.'}`);
  const reset = resetJob(draft);
  if (reset)
    return over(`${reset.job.owner} released or reset node ${id}: there is no session left to replace.`);
  if (session === null) return over(`The session of node ${id} has ended: there is none left to replace.`);
  // The build was accepted for the previous holder and must not replace the new session.
  if (stored.seq <= draft.memory.handedOver)
    return jobsError('session_handed_over', {
      message: `The session of node ${id} was handed over to ${session.owner}, who keeps its design.`,
    });
  return null;
}

/** Gives the turn to the next candidate, if there is one. */
function takeTurn(draft: Draft): void {
  const { memory, boardPresent } = draft;
  const next = nextJob(draft);
  const yields = isYielding(draft) && !next && memory.arriving.length === 0;
  // A reset and a replacement need no design on the board.
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

/** Something waits: asks the present turn to finish early where it can. */
function hurryTurn(draft: Draft): void {
  const { turn, linkUses } = draft.memory;
  const next = nextJob(draft);
  if (turn?.kind === 'restore' && next?.job.type === 'reset')
    draft.do({ kind: 'abort_restore', reason: jobsError(RESET_COMES_FIRST) });
  if (turn?.kind === 'link' && (next || isYielding(draft) || linkUses.length > 1))
    draft.do({ kind: 'want_link', use: turn.use });
}
