/** The events of a node, those that leave its state unchanged included; docs/state-machine.md explains them. */
import type { FpgaState } from '../contract/nodes/nodes.ts';
export const NODE_EVENTS = [
  /** POST submit was accepted. */
  'submit',
  /** The queued build job was cancelled before a worker took it. */
  'cancel',
  /** A worker has taken the build job: a build slot is free. */
  'build_started',
  'build_succeeded',
  'build_failed',
  'program_succeeded',
  'program_failed',
  /** POST run was accepted. */
  'run',
  /** POST submit?replace=1 was accepted: a design is built during the session. */
  'replace',
  /** The replacement is built and has its turn: the session ends, and the board is programmed. */
  'replace_built',
  /** The board can't be reached any more, or is not the programmed one. */
  'board_failed',
  /** POST reset or release was accepted, or the session expired. The end of the job changes the state. */
  'reset',
  'reset_succeeded',
  'reset_failed',
] as const;
export type NodeEvent = (typeof NODE_EVENTS)[number];

/** State → event → next state; an event that is missing here is refused. The table of docs/state-machine.md. */
const TRANSITIONS: Readonly<Record<FpgaState, Readonly<Partial<Record<NodeEvent, FpgaState>>>>> = {
  idle: { submit: 'queued' },
  queued: { build_started: 'building', cancel: 'idle' },
  building: { build_succeeded: 'programming', build_failed: 'idle' },
  programming: { program_succeeded: 'reserved', program_failed: 'error' },
  reserved: {
    run: 'reserved',
    replace: 'reserved',
    replace_built: 'programming',
    board_failed: 'error',
    reset: 'reserved',
    reset_succeeded: 'idle',
    reset_failed: 'error',
  },
  error: { reset: 'error', reset_succeeded: 'idle', reset_failed: 'error' },
};

/** The state after an event, or null when the state does not accept it. */
export function transition(state: FpgaState, event: NodeEvent): FpgaState | null {
  return TRANSITIONS[state][event] ?? null;
}

/** The state after an event that the caller knows to be valid; any other event is a bug. */
export function advance(state: FpgaState, event: NodeEvent): FpgaState {
  const next = transition(state, event);
  if (next === null) throw new Error(`A node that is ${state} takes no ${event}.`);
  return next;
}

/** The requests of callers to a node. */
export type NodeRequest = 'submit' | 'replace' | 'run' | 'reset' | 'release';

/** The conditions that the guards check. */
export interface NodeCondition {
  state: FpgaState;
  /** A reset or release is queued or running. */
  resetting: boolean;
  hasSession: boolean;
  /** A replacement is built and waits for its turn. */
  yielding: boolean;
}

export type Verdict =
  | { kind: 'accept' }
  /** A reset is pending: the answer is that job. */
  | { kind: 'pending' }
  | {
      kind: 'refuse';
      error: 'fpga_not_idle' | 'fpga_not_reserved' | 'fpga_not_resettable' | 'no_active_session';
    };

const ACCEPT: Verdict = { kind: 'accept' };
const PENDING: Verdict = { kind: 'pending' };
const refuse = (error: (Verdict & { kind: 'refuse' })['error']): Verdict => ({ kind: 'refuse', error });

/**
 * Whether a node accepts a request. A submit needs an idle node; a run or a replacement needs a reserved one; a reset
 * needs a reserved node or one in error.
 */
export function judge(request: NodeRequest, node: NodeCondition): Verdict {
  switch (request) {
    case 'submit':
      return transition(node.state, 'submit') ? ACCEPT : refuse('fpga_not_idle');
    case 'replace':
      // A session that is ending can't be replaced.
      return transition(node.state, 'replace') && node.hasSession && !node.resetting
        ? ACCEPT
        : refuse('fpga_not_idle');
    case 'run':
      // Jobs run in order: a run after a reset or a replacement would find another design.
      return transition(node.state, 'run') && !node.resetting && !node.yielding
        ? ACCEPT
        : refuse('fpga_not_reserved');
    case 'reset':
      if (node.resetting) return PENDING;
      return transition(node.state, 'reset') ? ACCEPT : refuse('fpga_not_resettable');
    case 'release':
      if (!node.hasSession) return refuse('no_active_session');
      if (node.resetting) return PENDING;
      return transition(node.state, 'reset') ? ACCEPT : refuse('fpga_not_resettable');
  }
}
