import { describe, expect, test } from 'vitest';
import { jobsError } from '../../../../../server/errors/jobs.ts';
import type { Command } from '../../../../../server/jobs/commands.ts';
import { reduce } from '../../../../../server/jobs/node/reduce.ts';
import { EMPTY_MEMORY, type Memory, type State } from '../../../../../server/jobs/node/state.ts';
import { LinkUse } from '../../../../../server/nodes/link-use.ts';
import {
  benchOf,
  COMMANDS,
  decide,
  describeDecision,
  reply,
  SITUATIONS,
  stateOf,
  storedJob,
} from '../../../../support/jobs/node/situations.ts';
import { alice } from '../../../../support/test-pool.ts';

/** Commands that arrive when what they are about has changed. */

const taken = (state: State, command: Command) => reduce(state, command, benchOf(state));
const EXPIRED = COMMANDS['session_expired'] as Command;
const RESET = COMMANDS['reset'] as Command;
const reserved = (memory: Partial<Memory> = {}) => stateOf('reserved', [], memory);

describe('the end of a session', () => {
  test('waits where a stream has used it since its last stored renewal', () => {
    const now = benchOf(reserved()).clock.monotonic();
    const used = { sessionId: 'session of alice', at: now, kept: now };
    expect(describeDecision(decide(reserved({ used }), EXPIRED))).toBe('session renewed (deferred)');
    for (const other of [
      { ...used, at: now - 3_600_000 },
      { ...used, sessionId: 'an earlier one' },
    ])
      expect(describeDecision(decide(reserved({ used: other }), EXPIRED))).toBe(
        'session ends (deferred); reset queued (committed)',
      );
  });

  test('waits where a run has renewed it and that is on its way to the disk', () => {
    const state = reserved();
    const staged = { ...state.staged, lease: { ...state.staged.lease } as never };
    const { effects, changes } = taken({ ...state, staged }, EXPIRED);
    expect(changes).toEqual([]);
    expect(effects).toEqual([{ kind: 'later', ms: 50, command: EXPIRED }]);
  });

  test('needs no second reset where one is on its way to the disk', () => {
    const { arriving } = taken(reserved(), RESET).memory;
    const { memory } = taken(reserved({ arriving }), EXPIRED);
    expect(memory.arriving).toEqual(arriving);
    // If the disk refuses that one, the service resets the node itself.
    expect(memory.systemReset).toBe('the session of alice has expired');
    const purpose = { kind: 'arrival', jobId: 'new 1' } as const;
    const refused = taken(reserved(memory), {
      kind: 'settled',
      purpose,
      refused: { error: new Error('full') },
    });
    expect(refused.effects.map(({ kind }) => kind)).toContain('later');
  });

  test('a use of a session that has ended changes nothing', () => {
    const { memory, changes } = taken(reserved(), { kind: 'use_session', sessionId: 'an earlier one' });
    expect([memory, changes]).toEqual([EMPTY_MEMORY, []]);
  });
});

test('the service repeats its own reset only while the node needs one', () => {
  const retry: Command = { kind: 'retry_system_reset' };
  const systemReset = 'its session has expired';
  const decided = (state: State) => describeDecision(decide(state, retry));
  expect(decided(stateOf('reserved', [], { systemReset }))).toBe('reset queued (committed)');
  expect(decided(stateOf('error', [], { systemReset }))).toBe('reset queued (committed)');
  expect(decided(stateOf('idle', [], { systemReset }))).toBe('–');
  expect(decided(reserved())).toBe('–');
});

describe('a service that stops', () => {
  test('cancels no more jobs', () => {
    const queued = storedJob({ type: 'build_and_program', job_id: 'build' });
    const state = stateOf('queued', [queued], { closed: true });
    expect(describeDecision(decide(state, COMMANDS['cancel'] as Command))).toBe('`service_stopping`');
  });

  test('gives nobody the link', () => {
    const use = new LinkUse('session of alice', async () => {});
    const { effects, memory } = taken(SITUATIONS['the service ends'] as State, { kind: 'use_link', use });
    expect(effects).toEqual([{ kind: 'abort_link', use, reason: jobsError('service_stopping') }]);
    expect(memory.linkUses).toEqual([]);
  });
});

test('a caller learns that the disk refused a change without a job', () => {
  const error = new Error('the disk is full');
  const [commit] = taken(reserved(), COMMANDS['extend_session'] as Command).changes;
  const purpose = commit?.purpose ?? { kind: 'none' };
  expect(taken(reserved(), { kind: 'settled', purpose, refused: { error } }).effects).toEqual([
    { kind: 'refuse', reply, error },
  ]);
  expect(
    taken(reserved(), { kind: 'settled', purpose: { kind: 'none' }, refused: { error } }).effects,
  ).toEqual([]);
});

describe('work on a job that was cancelled meanwhile', () => {
  const ended = storedJob({ type: 'build_and_program', job_id: 'build', status: 'cancelled' });
  const jobId = 'build';

  test.each<Command>([
    { kind: 'begin', jobId, stage: 'scan', onDisk: false, reply },
    { kind: 'learn', jobId, job: { cached: true }, reply },
    { kind: 'built', jobId, reply },
  ])('does not go on: $kind', (command) => {
    const { changes, effects } = taken(stateOf('idle', [ended]), command);
    expect(changes).toEqual([]);
    expect(effects).toEqual([{ kind: 'answer', reply, value: false }]);
  });

  test.each([
    ['its session is over', stateOf('error', [], { replacement: { jobId, waiting: reply, heir: null } })],
    ['it was given up', reserved()],
  ])('a replacement takes no place where %s', (_why, state) => {
    const ends = {
      ...state,
      node: { ...state.node, ...(state.node.state === 'error' && { session: null }) },
    };
    expect(describeDecision(decide(ends, { kind: 'take_place', jobId, reply }))).toBe('`session_ended`');
  });

  test('a replacement takes the place of the session', () => {
    const state = reserved({ replacement: { jobId, waiting: reply, heir: null } });
    const { memory, changes } = taken(state, { kind: 'take_place', jobId, reply });
    expect(memory.replacement?.heir).toBe(alice.owner);
    expect(changes).toMatchObject([{ change: { shown: { state: 'programming', session: null } } }]);
  });
});
