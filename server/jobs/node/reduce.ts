import { jobsError } from '../../errors/jobs.ts';
import { advance } from '../../nodes/machine.ts';
import { vanishedBoard } from '../../nodes/node-board.ts';
import type { Command, Of } from '../commands.ts';
import { RESET_COMES_FIRST } from '../execution/restore.ts';
import { Draft } from './draft.ts';
import * as requests from './requests.ts';
import { consider } from './schedule.ts';
import * as session from './session.ts';
import { type Bench, type Decision, isWorkedAt, type State, usesBoard } from './state.ts';
import * as work from './work.ts';

/** The handler of each kind of command. */
const HANDLERS: { readonly [K in Command['kind']]: (draft: Draft, command: Of<K>) => void } = {
  submit: requests.submit,
  replace: requests.replace,
  run: requests.run,
  reset: requests.reset,
  release: requests.reset,
  place: requests.place,
  cancel: requests.cancel,
  stop_build: requests.stopBuild,
  request_control: session.requestControl,
  withdraw_control_request: session.withdrawControlRequest,
  decline_control_request: session.declineControlRequest,
  extend_session: session.extendSession,
  hand_over: session.handOver,
  renew_session_id: session.renewSessionId,
  use_session: session.useSession,
  shorten_session: session.shortenSession,
  use_link: useLink,
  settled,
  begin: work.begin,
  learn: work.learn,
  built: work.built,
  take_turn: work.awaitTurn,
  take_place: work.takePlace,
  end: work.end,
  job_left: work.jobLeft,
  restored,
  link_left: linkLeft,
  session_expired: session.sessionExpired,
  session_drifted: session.sessionDrifted,
  board_changed: boardChanged,
  retry_system_reset: requests.retrySystemReset,
  start,
  consider,
  stop,
};

/**
 * Decides what a command does: the new memory, the changes and the effects. It has no side effects.
 * @throws BenchError for a refused request; then nothing changes.
 */
export function reduce(state: State, command: Command, bench: Bench): Decision {
  const draft = new Draft(state, bench);
  // Each handler gets commands of its own kind; the element type of the table can't express that.
  (HANDLERS[command.kind] as (draft: Draft, command: Command) => void)(draft, command);
  return draft;
}

function start(draft: Draft, { restore, reset }: Of<'start'>): void {
  if (restore) draft.remember({ restore: 'program' });
  if (reset !== undefined) requests.resetBySystem(draft, reset);
}

function useLink(draft: Draft, { use }: Of<'use_link'>): void {
  const { closed, linkUses } = draft.memory;
  if (closed) draft.do({ kind: 'abort_link', use, reason: jobsError('service_stopping') });
  else draft.remember({ linkUses: [...linkUses, use] });
}

function linkLeft(draft: Draft, { use }: Of<'link_left'>): void {
  draft.remember({ turn: null, linkUses: draft.memory.linkUses.filter((one) => one !== use) });
}

function settled(draft: Draft, { purpose, refused }: Of<'settled'>): void {
  if (purpose.kind === 'arrival') requests.arrivalSettled(draft, purpose.jobId, refused);
  else if (purpose.kind === 'cancel') requests.cancelSettled(draft, purpose, refused);
  else if (purpose.kind === 'hand_over') session.handOverSettled(draft, purpose, refused);
  else if (purpose.kind === 'answer' && refused) draft.refuse(purpose.reply, refused.error);
  else if (purpose.kind === 'answer') draft.answer(purpose.reply, purpose.value);
}

/** The board of a reserved node runs the session's design; otherwise the node is in error. */
function restored(draft: Draft, { failure }: Of<'restored'>): void {
  const { boardPresent, memory, node } = draft;
  draft.remember({ turn: null });
  if (memory.closed || memory.restore === null) return;
  // The restore is still due: the reset that comes first may be cancelled, and the next board to return is identified
  // again.
  if (failure && (failure.error === RESET_COMES_FIRST || !boardPresent)) return;
  draft.remember({ restore: null });
  if (failure)
    draft.commit(
      { node: { state: advance('reserved', 'board_failed'), error: failure, design: null } },
      'deferred',
    );
  else if (memory.restore === 'program')
    draft.commit({ cause: { kind: 'restored', by: null, jobId: node.design?.job_id ?? null } }, 'deferred');
}

/**
 * The board in the slot was added, removed or exchanged. Work that uses it ends, and a board that returns is
 * identified.
 */
function boardChanged(draft: Draft, { view, exchanged }: Of<'board_changed'>): void {
  draft.do({ kind: 'publish' });
  if (view.present && !exchanged) return;
  const reason = vanishedBoard(view);
  for (const stored of draft.jobs)
    if (isWorkedAt(draft, stored.job.job_id) && usesBoard(draft, stored))
      draft.abortJob(stored.job.job_id, reason);
  draft.do({ kind: 'abort_restore', reason });
  endLinkUses(draft, reason);
  if (draft.node.state === 'reserved') draft.remember({ restore: draft.memory.restore ?? 'identify' });
  draft.do({ kind: 'drop_link' });
}

/** Takes no more commands and aborts running work. */
function stop(draft: Draft): void {
  const reason = jobsError('service_stopped');
  draft.remember({ closed: true });
  for (const { job } of draft.jobs) if (isWorkedAt(draft, job.job_id)) draft.abortJob(job.job_id, reason);
  draft.do({ kind: 'abort_restore', reason });
  endLinkUses(draft, reason);
}

function endLinkUses(draft: Draft, reason: ReturnType<typeof jobsError>): void {
  for (const use of draft.memory.linkUses) draft.do({ kind: 'abort_link', use, reason });
  draft.remember({ linkUses: [] });
}
