import type { BoardView } from '../../../../server/contract/boards/boards.ts';
import type { Job } from '../../../../server/contract/jobs/jobs.ts';
import type { FpgaState } from '../../../../server/contract/nodes/nodes.ts';
import { BenchError } from '../../../../server/errors/bench-error.ts';
import { jobsError } from '../../../../server/errors/jobs.ts';
import type { Command, Commit, Reply } from '../../../../server/jobs/commands.ts';
import { reduce } from '../../../../server/jobs/node/reduce.ts';
import {
  type Bench,
  type Decision,
  EMPTY_MEMORY,
  type Memory,
  type State,
} from '../../../../server/jobs/node/state.ts';
import { createSession } from '../../../../server/nodes/session.ts';
import type { StoredJob } from '../../../../server/store/index.ts';
import { FakeClock } from '../../fake-clock.ts';
import { alice, bob, design, SETTINGS } from '../../test-pool.ts';

export const NODE = 3;
const clock = new FakeClock();
const { session, lease } = createSession({
  sessionId: 'session of alice',
  fpgaId: NODE,
  owner: alice.owner,
  ttlSeconds: 60,
  clock,
});

/** A reply without a listener. */
export const reply = { resolve: () => {}, reject: () => {} } satisfies Reply<never>;

/** A job of the node. */
export function storedJob(job: Partial<Job>, seq = 1): StoredJob {
  const at = '2024-03-01T12:00:00.000Z';
  const { job_id = `${job.type} ${seq}`, type = 'run', status = 'queued' } = job;
  return {
    seq,
    job: { fpga_id: NODE, owner: alice.owner, created_at: at, updated_at: at, ...job, job_id, type, status },
  };
}

/** A node in this state, with these jobs that have not ended. */
export function stateOf(
  state: FpgaState,
  jobs: readonly StoredJob[] = [],
  memory: Partial<Memory> = {},
): State {
  const held = state === 'reserved' || state === 'error';
  const node = {
    fpga_id: NODE,
    state,
    session: held ? session : null,
    lease: held ? lease : null,
    error: null,
    design: state === 'reserved' ? DESIGN : null,
  };
  return { node, staged: node, jobs, boardPresent: true, memory: { ...EMPTY_MEMORY, ...memory } };
}

const DESIGN = { filename: 'echo.v', build_id: 'b', module: 'echo', job_id: 'job of the design', board: 'x' };

/** The bench around the node. */
export function benchOf({ jobs }: State): Bench {
  let id = 0;
  return {
    clock,
    settings: SETTINGS,
    hasFarm: false,
    newId: () => `new ${++id}`,
    lastSeq: () => 99,
    newSeq: () => 100,
    job(jobId) {
      const found = jobs.find(({ job }) => job.job_id === jobId);
      if (!found) throw jobsError('job_not_found', { jobId });
      return found;
    },
    unended: () => 0,
    sessionLimitMs: () => Number.POSITIVE_INFINITY,
    requireSpace: () => {},
  };
}

const build = (status: Job['status'], replaces = false) =>
  storedJob({ type: 'build_and_program', job_id: 'build', status, ...(replaces ? { replaces } : {}) });
const turn = { kind: 'job', jobId: 'build' } as const;

/** Situations of a node, by name. */
export const SITUATIONS: Readonly<Record<string, State>> = {
  idle: stateOf('idle'),
  queued: stateOf('queued', [build('queued')], { turn }),
  building: stateOf('building', [build('running')], { turn }),
  programming: stateOf('programming', [build('running')], { turn }),
  reserved: stateOf('reserved'),
  'reserved, reset pending': stateOf('reserved', [storedJob({ type: 'reset', owner: bob.owner })]),
  'reserved, replacement built': stateOf('reserved', [build('running', true)], {
    replacement: { jobId: 'build', waiting: reply, heir: null },
  }),
  error: stateOf('error'),
  'the service ends': stateOf('reserved', [], { closed: true }),
};

const view = { id: 'board', present: false, name: 'Board', reason: null } as unknown as BoardView;
const input = design('echo');

/** One of each external command. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  submit: { kind: 'submit', input, caller: bob, reply },
  replace: { kind: 'replace', input, caller: alice, reply },
  run: {
    kind: 'run',
    input: { op: 2, address: 0, count: 1, data: new Uint32Array(), fixed_address: false },
    caller: alice,
    reply,
  },
  reset: { kind: 'reset', caller: alice, reply },
  release: { kind: 'release', caller: alice, reply },
  cancel: { kind: 'cancel', jobId: 'build', caller: alice, reply },
  stop_build: { kind: 'stop_build', jobId: 'build', caller: alice, reply },
  request_control: { kind: 'request_control', caller: bob, note: null, reply },
  decline_control_request: { kind: 'decline_control_request', owner: bob.owner, caller: alice, reply },
  extend_session: { kind: 'extend_session', reply },
  hand_over: { kind: 'hand_over', to: bob.owner, caller: alice, reply },
  session_expired: { kind: 'session_expired', session },
  'board_changed (gone)': { kind: 'board_changed', view, exchanged: false },
  consider: { kind: 'consider' },
};

/** A node's decision, or the error with which it refuses. */
export function decide(state: State, command: Command): Decision | BenchError {
  try {
    return reduce(state, command, benchOf(state));
  } catch (error) {
    if (error instanceof BenchError) return error;
    throw error;
  }
}

/** Effects that say no more than the changes do. */
const PLAIN = new Set(['note', 'log']);

/** A decision in a few words: changes of job and node, then effects. */
export function describeDecision(decision: Decision | BenchError): string {
  if (decision instanceof BenchError) return `\`${decision.code}\``;
  const effects = decision.effects.filter(({ kind }) => !PLAIN.has(kind));
  return [...decision.changes.map(describeCommit), ...effects.map(({ kind }) => kind)].join('; ') || '–';
}

export function describeCommit({ change: { node, job }, kind, upload }: Commit): string {
  const parts = upload ? ['its file'] : [];
  if (job) parts.push(`${job.job.type} ${job.job.status}`);
  if (typeof node === 'function') parts.push('session renewed');
  if (typeof node === 'object' && node.state !== undefined) parts.push(`node ${node.state}`);
  if (typeof node === 'object' && node.session === null) parts.push('session ends');
  if (typeof node === 'object' && node.session) parts.push(`session of ${node.session.owner}`);
  return `${parts.join(', ')} (${kind})`;
}

/** A node's decisions for each command, as a table in Markdown: the most frequent one, then the exceptions. */
export function decisionTable(): string {
  const rows = Object.entries(COMMANDS).map(([name, command]) => {
    const situationsOf = new Map<string, string[]>();
    for (const [situation, state] of Object.entries(SITUATIONS)) {
      const decision = describeDecision(decide(state, command));
      situationsOf.set(decision, [...(situationsOf.get(decision) ?? []), situation]);
    }
    const [most, ...others] = [...situationsOf].sort(([, a], [, b]) => b.length - a.length);
    const exceptions = others.map(([decision, situations]) => `*${situations.join('; ')}*: ${decision}`);
    return `| \`${name}\` | ${most?.[0] ?? ''} | ${exceptions.join('<br>')} |`;
  });
  return ['| Command | Decision | Except |', '|---|---|---|', ...rows].join('\n');
}
