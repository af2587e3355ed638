import type { BoardView } from '../contract/boards/boards.ts';
import type { Failure } from '../contract/diagnostics.ts';
import type { Job, Stage } from '../contract/jobs/jobs.ts';
import type { ControlRequest } from '../contract/nodes/control.ts';
import type { Session } from '../contract/nodes/nodes.ts';
import type { PendingLinkUse } from '../nodes/link-use.ts';
import type { StoredJob, StoredNode, StoredUnplacedJob } from '../store/index.ts';
import type { End } from './execution/end.ts';
import type { Change, ChangeKind } from './node/node-state.ts';
import type { Caller, RunInput, SubmitInput } from './pool.ts';

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

/** A change and its kind; the node then takes `settled`. */
export interface Commit {
  readonly change: Change;
  readonly kind: ChangeKind;
  readonly purpose: Purpose;
  /** A file of the job, which is on disk before the change. */
  readonly upload?: JobUpload | undefined;
}

/** The part of a request that goes into a file of its own. */
interface JobUpload {
  readonly name: 'source' | 'request';
  readonly contents: Uint8Array;
}

/** Requests of callers. A refused request throws a BenchError, or is answered with one, and changes nothing. */
type Request =
  | { kind: 'submit' | 'replace'; input: SubmitInput; caller: Caller; reply: Reply<Job> }
  | { kind: 'run'; input: RunInput; caller: Caller; reply: Reply<Job> }
  | { kind: 'reset' | 'release'; caller: Caller; reply: Reply<Job> }
  /** A node takes a job that was accepted without one. */
  | { kind: 'place'; unplaced: StoredUnplacedJob; reply: Reply<Job> }
  | { kind: 'cancel' | 'stop_build'; jobId: string; caller: Caller; reply: Reply<undefined> }
  | { kind: 'request_control'; caller: Caller; note: string | null; reply: Reply<ControlRequest> }
  | { kind: 'withdraw_control_request'; caller: Caller; reply: Reply<undefined> }
  | { kind: 'decline_control_request'; owner: string; caller: Caller; reply: Reply<undefined> }
  | { kind: 'extend_session' | 'renew_session_id'; reply: Reply<undefined> }
  | { kind: 'hand_over'; to: string; caller: Caller; reply: Reply<Session> };

/** Questions of the work on a job. An answer of false: the job has ended. */
type WorkRequest =
  /** The job starts. False: it was cancelled, or it waits for the next start of the service. */
  | { kind: 'begin'; jobId: string; stage: Stage; onDisk: boolean; reply: Reply<boolean> }
  /** Adds facts to the job's record. */
  | { kind: 'learn'; jobId: string; job: Partial<Job>; reply: Reply<boolean> }
  /** The bitstream exists; the job takes the board. */
  | { kind: 'built'; jobId: string; reply: Reply<boolean> }
  /** A replacement is built; answered when earlier runs have ended. */
  | { kind: 'take_turn'; jobId: string; reply: Reply<undefined> }
  /** The session ends; answered with the node before that. @throws session_ended. */
  | { kind: 'take_place'; jobId: string; reply: Reply<StoredNode> }
  | { kind: 'end'; end: End; ended: StoredJob; reply: Reply<undefined> };

/** Every command that has an answer. */
type Asked = Request | WorkRequest;

type WithoutReply<C> = C extends Asked ? Omit<C, 'reply'> : never;
/** A command without its reply. */
type Question = WithoutReply<Asked>;

type AnswerOf<C, K> = C extends { kind: infer Kinds; reply: Reply<infer T> }
  ? K extends Kinds
    ? T
    : never
  : never;
/** Asks a node. */
export type Ask = <Q extends Question>(question: Q) => Promise<AnswerOf<Asked, Q['kind']>>;

/** Use of the session and the link other than by jobs. */
export type Use =
  /** Activity other than a job renews the session, as a run does. */
  | { kind: 'use_session'; sessionId: string }
  /** Others wait: leaves the session no more than `ms`. */
  | { kind: 'shorten_session'; ms: number }
  | { kind: 'use_link'; use: PendingLinkUse };

/** A change is made; `refused`: or was taken back, with its error. */
type Settled = { kind: 'settled'; purpose: Purpose; refused: { error: unknown } | null };

/** Events from the board, the link, the clock and the service. */
type Outside =
  /** Work on a job has stopped, whatever its outcome. */
  | { kind: 'job_left'; jobId: string }
  /** `failure` null: the board runs the session's design. */
  | { kind: 'restored'; failure: Failure | null }
  | { kind: 'link_left'; use: PendingLinkUse }
  | { kind: 'session_expired'; session: Session }
  /** The wall clock was set: the session ends in `left` ms, other than it shows. */
  | { kind: 'session_drifted'; session: Session; left: number }
  | { kind: 'board_changed'; view: BoardView; exchanged: boolean }
  | { kind: 'start'; restore: boolean; reset: string | undefined }
  | { kind: 'retry_system_reset' }
  /** Something changed: the node decides what runs next. */
  | { kind: 'consider' }
  | { kind: 'stop' };

/** Every command of a node, taken one at a time. */
export type Command = Asked | Use | Settled | Outside;

type OfKind<C extends Command, K> = C extends Command ? (K extends C['kind'] ? C : never) : never;
/** The commands of these kinds. */
export type Of<K extends Command['kind']> = OfKind<Command, K>;
