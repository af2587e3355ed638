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

/** Who waits for the answer to a command. */
export interface Reply<T> {
  resolve(value: T): void;
  reject(error: unknown): void;
}

/** What a change is for: what is done when it is made, or cannot be. */
export type Purpose =
  | { readonly kind: 'arrival'; readonly jobId: string }
  | { readonly kind: 'cancel'; readonly ended: StoredJob; readonly reply: Reply<undefined> }
  | {
      readonly kind: 'hand_over';
      readonly before: Session;
      readonly session: Session;
      /** The `seq` of the job that was accepted last before. */
      readonly handedOver: number;
      readonly reply: Reply<Session>;
    }
  /** Somebody goes on with this value. */
  | { readonly kind: 'answer'; readonly reply: Reply<unknown>; readonly value: unknown }
  /** Nobody waits for it. */
  | { readonly kind: 'none' };

/** A change and how it is made; then `committed` or `refused` says so. */
export interface Commit {
  readonly change: Change;
  readonly kind: ChangeKind;
  readonly purpose: Purpose;
}

/** What callers ask of a node. What is refused throws a BenchError, or is answered with it, and changes nothing. */
type Request =
  | { kind: 'submit' | 'replace'; input: SubmitInput; caller: Caller }
  | { kind: 'run'; input: RunInput; caller: Caller }
  | { kind: 'reset' | 'release'; caller: Caller }
  /** The service's own reset: it is tried again until it is taken. */
  | { kind: 'system_reset'; why: string }
  /** A job that was accepted without a node comes here. */
  | { kind: 'place'; unplaced: StoredUnplacedJob }
  | { kind: 'cancel'; jobId: string; caller: Caller }
  | { kind: 'stop_build'; jobId: string; caller: Caller }
  | { kind: 'request_control'; caller: Caller; note: string | null }
  | { kind: 'withdraw_control_request'; caller: Caller }
  | { kind: 'hand_over'; to: string; caller: Caller }
  | { kind: 'renew_session_id' };

/** Everything that somebody waits for an answer to. */
export type Question = Request | WorkQuestion;

export interface Answers extends WorkAnswers {
  submit: Job;
  replace: Job;
  run: Job;
  reset: Job;
  release: Job;
  system_reset: Job;
  place: Job;
  cancel: undefined;
  stop_build: undefined;
  request_control: ControlRequest;
  withdraw_control_request: undefined;
  hand_over: Session;
  renew_session_id: undefined;
}

type WithReply<Q> = Q extends Question ? Q & { reply: Reply<Answers[Q['kind']]> } : never;

/** What sessions and the link are used for beside jobs. */
type Use =
  /** Something that is no job has used the session: it ends a whole lifetime after that, like after a run. */
  { kind: 'use_session'; sessionId: string } | { kind: 'use_link'; use: PendingLinkUse };

/** What comes of changes and of files on their way to the disk. */
type Settled =
  | { kind: 'files_written'; jobId: string }
  | { kind: 'files_failed'; jobId: string; error: unknown }
  | { kind: 'committed'; purpose: Purpose }
  | { kind: 'refused'; purpose: Purpose; error: unknown };

/** What the board, the link, the clock and the service do. */
type Outside =
  /** Nobody works at a job any more, whatever became of it. */
  | { kind: 'job_left'; jobId: string }
  /** `failure` null: the board runs the session's design. */
  | { kind: 'restored'; failure: Failure | null; gaveWay: boolean }
  | { kind: 'link_left'; use: PendingLinkUse }
  | { kind: 'session_expired'; session: Session }
  /** The clock on the wall was set: the session ends in `left` ms, which is not what it shows. */
  | { kind: 'session_drifted'; session: Session; left: number }
  | { kind: 'board_changed'; view: BoardView; exchanged: boolean }
  | { kind: 'start'; restore: boolean; reset: string | null }
  | { kind: 'system_reset_settled'; why: string; error: unknown }
  | { kind: 'retry_system_reset'; why: string }
  /** Something has changed: whose turn is it? */
  | { kind: 'consider' }
  | { kind: 'stop' };

/** Everything that a node takes, one after the other. */
export type Command = WithReply<Question> | Use | Settled | Outside;

/** The commands of these kinds. */
export type Of<K extends Command['kind']> = Extract<Command, { kind: K }>;
