import type { BoardView } from '../../contract/boards/boards.ts';
import type { Failure } from '../../contract/diagnostics.ts';
import type { Job } from '../../contract/jobs/jobs.ts';
import type { ControlRequest } from '../../contract/nodes/control.ts';
import type { Session } from '../../contract/nodes/nodes.ts';
import type { PendingLinkUse } from '../../nodes/link-use.ts';
import type { StoredJob, StoredUnplacedJob } from '../../store/index.ts';
import type { WorkAnswers, WorkQuestion } from '../execution/execution.ts';
import type { Caller, RunInput, SubmitInput } from '../pool.ts';
import type { Change, ChangeKind } from './node-state.ts';

/** Resolves or rejects the caller of a command. */
export interface Reply<T> {
  resolve(value: T): void;
  reject(error: unknown): void;
}

/** What a change is for: it decides what follows success or refusal. */
export type Purpose =
  | { readonly kind: 'arrival'; readonly jobId: string }
  | { readonly kind: 'cancel'; readonly ended: StoredJob; readonly reply: Reply<undefined> }
  | {
      readonly kind: 'hand_over';
      readonly before: Session;
      readonly session: Session;
      /** The `seq` of the job accepted last before the hand-over. */
      readonly handedOver: number;
      readonly reply: Reply<Session>;
    }
  /** Answers a caller with this value. */
  | { readonly kind: 'answer'; readonly reply: Reply<unknown>; readonly value: unknown }
  /** Nothing waits for it. */
  | { readonly kind: 'none' };

/** A change and its kind; the node then takes `committed` or `refused`. */
export interface Commit {
  readonly change: Change;
  readonly kind: ChangeKind;
  readonly purpose: Purpose;
}

/** Requests of callers. A refused request throws a BenchError, or is answered with one, and changes nothing. */
type Request =
  | { kind: 'submit' | 'replace'; input: SubmitInput; caller: Caller }
  | { kind: 'run'; input: RunInput; caller: Caller }
  | { kind: 'reset' | 'release'; caller: Caller }
  /** A node takes a job that was accepted without one. */
  | { kind: 'place'; unplaced: StoredUnplacedJob }
  | { kind: 'cancel'; jobId: string; caller: Caller }
  | { kind: 'stop_build'; jobId: string; caller: Caller }
  | { kind: 'request_control'; caller: Caller; note: string | null }
  | { kind: 'withdraw_control_request'; caller: Caller }
  | { kind: 'decline_control_request'; owner: string; caller: Caller }
  | { kind: 'extend_session' }
  | { kind: 'hand_over'; to: string; caller: Caller }
  | { kind: 'renew_session_id' };

/** Every command that has an answer. */
export type Question = Request | WorkQuestion;

export interface Answers extends WorkAnswers {
  submit: Job;
  replace: Job;
  run: Job;
  reset: Job;
  release: Job;
  place: Job;
  cancel: undefined;
  stop_build: undefined;
  request_control: ControlRequest;
  withdraw_control_request: undefined;
  decline_control_request: undefined;
  extend_session: undefined;
  hand_over: Session;
  renew_session_id: undefined;
}

type WithReply<Q> = Q extends Question ? Q & { reply: Reply<Answers[Q['kind']]> } : never;

/** Use of the session and the link other than by jobs. */
type Use =
  /** Activity other than a job renews the session, as a run does. */
  | { kind: 'use_session'; sessionId: string }
  /** Others wait: leaves the session no more than `ms`. */
  | { kind: 'shorten_session'; ms: number }
  | { kind: 'use_link'; use: PendingLinkUse };

/** Outcomes of changes and of file writes. */
type Settled =
  | { kind: 'files_written'; jobId: string }
  | { kind: 'files_failed'; jobId: string; error: unknown }
  | { kind: 'committed'; purpose: Purpose }
  | { kind: 'refused'; purpose: Purpose; error: unknown };

/** Events from the board, the link, the clock and the service. */
type Outside =
  /** Work on a job has stopped, whatever its outcome. */
  | { kind: 'job_left'; jobId: string }
  /** `failure` null: the board runs the session's design. */
  | { kind: 'restored'; failure: Failure | null; gaveWay: boolean }
  | { kind: 'link_left'; use: PendingLinkUse }
  | { kind: 'session_expired'; session: Session }
  /** The wall clock was set: the session ends in `left` ms, other than it shows. */
  | { kind: 'session_drifted'; session: Session; left: number }
  | { kind: 'board_changed'; view: BoardView; exchanged: boolean }
  | { kind: 'start'; restore: boolean; reset: string | null }
  | { kind: 'retry_system_reset' }
  /** Something changed: the node decides what runs next. */
  | { kind: 'consider' }
  | { kind: 'stop' };

/** Every command of a node, taken one at a time. */
export type Command = WithReply<Question> | Use | Settled | Outside;

/** The commands of these kinds. */
export type Of<K extends Command['kind']> = Extract<Command, { kind: K }>;
