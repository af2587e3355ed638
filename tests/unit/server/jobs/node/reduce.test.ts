import { describe, expect, test } from 'vitest';
import type { Command } from '../../../../../server/jobs/commands.ts';
import { reduce } from '../../../../../server/jobs/node/reduce.ts';
import { EMPTY_MEMORY, type Memory, type State } from '../../../../../server/jobs/node/state.ts';
import { LinkUse } from '../../../../../server/nodes/link-use.ts';
import {
  benchOf,
  COMMANDS,
  decide,
  describeCommit,
  describeDecision,
  NODE,
  reply,
  SITUATIONS,
  stateOf,
  storedJob,
} from '../../../../support/jobs/node/situations.ts';
import { alice, bob } from '../../../../support/test-pool.ts';

const ENDS = 'session ends (deferred); reset queued (committed)';
const GONE = 'publish; abort_restore; drop_link';

/** Command → what is decided in most situations, and where it is another decision. */
const TABLE: Readonly<Record<string, [string, Readonly<Record<string, string>>]>> = {
  submit: [
    '`fpga_not_idle`',
    {
      idle: 'its file, build_and_program queued, node queued (committed)',
      'the service ends': '`service_stopping`',
    },
  ],
  replace: [
    '`fpga_not_idle`',
    {
      idle: 'its file, build_and_program queued, node queued (committed)',
      reserved: 'its file, build_and_program queued, session renewed (committed)',
      'reserved, replacement built': 'its file, build_and_program queued, session renewed (committed)',
      'the service ends': '`service_stopping`',
    },
  ],
  run: [
    '`fpga_not_reserved`',
    { reserved: 'run queued, session renewed (appended)', 'the service ends': '`service_stopping`' },
  ],
  reset: [
    '`fpga_not_resettable`',
    {
      reserved: 'reset queued (committed)',
      'reserved, reset pending': 'answer',
      'reserved, replacement built': 'reset queued (committed)',
      error: 'reset queued (committed)',
      'the service ends': '`service_stopping`',
    },
  ],
  release: [
    '`no_active_session`',
    {
      reserved: 'reset queued (committed)',
      'reserved, reset pending': 'answer',
      'reserved, replacement built': 'reset queued (committed)',
      error: 'reset queued (committed)',
      'the service ends': '`service_stopping`',
    },
  ],
  cancel: [
    '`job_not_found`',
    {
      queued: 'build_and_program cancelled, node idle (committed)',
      building: '`job_not_cancellable`',
      programming: '`job_not_cancellable`',
      'reserved, replacement built': '`job_not_cancellable`',
    },
  ],
  stop_build: [
    '`job_not_found`',
    {
      queued: '`job_not_stoppable`',
      building: 'abort_job; answer',
      programming: '`job_not_stoppable`',
      'reserved, replacement built': 'abort_job; answer',
    },
  ],
  request_control: [
    'publish; answer',
    {
      idle: '`no_active_session`',
      queued: '`no_active_session`',
      building: '`no_active_session`',
      programming: '`no_active_session`',
    },
  ],
  decline_control_request: [
    '`no_control_request`',
    {
      idle: '`no_active_session`',
      queued: '`no_active_session`',
      building: '`no_active_session`',
      programming: '`no_active_session`',
    },
  ],
  extend_session: [
    'session renewed (committed)',
    {
      idle: '`no_active_session`',
      queued: '`no_active_session`',
      building: '`no_active_session`',
      programming: '`no_active_session`',
      'the service ends': '`service_stopping`',
    },
  ],
  hand_over: [
    '`no_active_session`',
    {
      reserved: 'session of bob (committed)',
      'reserved, reset pending': '`fpga_not_reserved`',
      'reserved, replacement built': 'session of bob (committed)',
      error: '`fpga_not_reserved`',
      'the service ends': '`service_stopping`',
    },
  ],
  session_expired: [
    '–',
    {
      reserved: ENDS,
      'reserved, reset pending': 'session ends (deferred)',
      'reserved, replacement built': ENDS,
      error: ENDS,
    },
  ],
  'board_changed (gone)': [GONE, { programming: 'publish; abort_job; abort_restore; drop_link' }],
  consider: ['–', { 'reserved, reset pending': 'work', 'reserved, replacement built': 'answer' }],
};

describe('every command in every situation', () => {
  test('the table has every command', () => expect(Object.keys(TABLE)).toEqual(Object.keys(COMMANDS)));

  for (const [name, command] of Object.entries(COMMANDS))
    for (const [situation, state] of Object.entries(SITUATIONS))
      test(`${name}: ${situation}`, () => {
        const [most, others] = TABLE[name] ?? ['', {}];
        const frozen = JSON.stringify(state);
        const decided = describeDecision(decide(state, command));
        expect(decided).toBe(others[situation] ?? most);
        // It decides without effects: a second call decides the same.
        expect(describeDecision(decide(state, command))).toBe(decided);
        expect(JSON.stringify(state)).toBe(frozen);
      });
});

const considered = (state: State) => reduce(state, { kind: 'consider' }, benchOf(state));
const use = () => new LinkUse('session of alice', async () => 1);

describe('order of work on a node', () => {
  const run = storedJob({ type: 'run' });
  const reset = storedJob({ type: 'reset' }, 2);
  const turns: [string, State, Memory['turn']][] = [
    ['the oldest job', stateOf('reserved', [run, reset]), { kind: 'job', jobId: 'run 1' }],
    [
      'the board that needs its design, before a run',
      stateOf('reserved', [run], { restore: 'program' }),
      { kind: 'restore' },
    ],
    [
      'a reset, which needs no design',
      stateOf('reserved', [reset], { restore: 'program' }),
      { kind: 'job', jobId: 'reset 2' },
    ],
    [
      'nobody, while a job that was accepted before is on its way to the disk',
      stateOf('reserved', [storedJob({ type: 'run' }, 200)], {
        arriving: arrivalsOf(stateOf('reserved'), { ...COMMANDS['run'] } as Command),
      }),
      null,
    ],
    [
      'nobody, while the oldest job is being cancelled',
      stateOf('reserved', [run, reset], { cancelling: ['run 1'] }),
      null,
    ],
  ];
  for (const [name, state, turn] of turns)
    test(name, () => expect(considered(state).memory.turn).toEqual(turn));

  test('the link and jobs take turns', () => {
    const [first, second] = [use(), use()];
    const jobs = [run];
    const atLink = considered(stateOf('reserved', jobs, { linkUses: [first, second] })).memory;
    expect(atLink.turn).toEqual({ kind: 'link', use: first });
    const left = reduce(
      stateOf('reserved', jobs, atLink),
      { kind: 'link_left', use: first },
      benchOf(stateOf('reserved')),
    );
    expect(considered(stateOf('reserved', jobs, left.memory)).memory.turn).toEqual({
      kind: 'job',
      jobId: 'run 1',
    });
    expect(considered(stateOf('reserved', [], left.memory)).memory.turn).toEqual({
      kind: 'link',
      use: second,
    });
  });

  test('the link’s user is notified as soon as work waits for the link', () => {
    const waiting = use();
    const busy: Partial<Memory> = { turn: { kind: 'link', use: waiting }, linkUses: [waiting] };
    expect(considered(stateOf('reserved', [], busy)).effects).toEqual([]);
    expect(considered(stateOf('reserved', [run], busy)).effects).toEqual([
      { kind: 'want_link', use: waiting },
    ]);
  });

  test('a replacement build ends on hand-over, reset or a newer replacement', () => {
    const build = (seq: number, job_id = `build ${seq}`) =>
      storedJob({ type: 'build_and_program', replaces: true, job_id }, seq);
    const beside: Partial<Memory> = { replacement: { jobId: 'build 5', waiting: null, heir: null } };
    const why = (state: State) =>
      considered(state).effects.flatMap((effect) =>
        effect.kind === 'abort_job' ? [effect.reason?.code] : [],
      );
    expect(why(stateOf('reserved', [build(5)], beside))).toEqual([]);
    expect(why(stateOf('reserved', [build(5)], { ...beside, handedOver: 5 }))).toEqual([
      'session_handed_over',
    ]);
    expect(why(stateOf('reserved', [build(5), build(6)], beside))).toEqual(['replaced_by_newer']);
    expect(why(stateOf('reserved', [build(5), storedJob({ type: 'reset' }, 7)], beside))).toEqual([
      'session_ended',
    ]);
    expect(why(stateOf('error', [build(5)], beside))).toEqual(['session_ended']);
  });
});

/** The memory of a node that has taken this request. */
function arrivalsOf(state: State, command: Command): Memory['arriving'] {
  return reduce(state, command, benchOf(state)).memory.arriving;
}

describe('a request on its way to disk', () => {
  const onItsWay = (): State =>
    stateOf('idle', [], { arriving: arrivalsOf(stateOf('idle'), COMMANDS['submit'] as Command) });
  const jobId = 'new 1';

  test('a second submit is refused', () =>
    expect(describeDecision(decide(onItsWay(), COMMANDS['submit'] as Command))).toBe('`fpga_not_idle`'));

  test('it is committed with its source, then its caller gets the response', () => {
    const { changes } = reduce(stateOf('idle'), COMMANDS['submit'] as Command, benchOf(stateOf('idle')));
    expect(changes).toMatchObject([
      {
        change: { job: { job: { job_id: jobId, fpga_id: NODE } }, node: { state: 'queued' } },
        kind: 'committed',
        upload: { name: 'source' },
      },
    ]);
    const purpose = { kind: 'arrival', jobId } as const;
    const committed = reduce(onItsWay(), { kind: 'settled', purpose, refused: null }, benchOf(onItsWay()));
    expect(committed.memory.arriving).toEqual([]);
    expect(committed.effects).toMatchObject([{ kind: 'answer', reply, value: { job_id: jobId } }]);
  });

  test('on failure its files are removed and its caller gets the error', () => {
    const error = new Error('the disk is full');
    const refused = reduce(
      onItsWay(),
      { kind: 'settled', purpose: { kind: 'arrival', jobId }, refused: { error } },
      benchOf(onItsWay()),
    );
    expect(refused.memory).toEqual(EMPTY_MEMORY);
    expect(refused.effects).toEqual([
      { kind: 'remove_files', jobId },
      { kind: 'refuse', reply, error },
    ]);
  });

  test('a command for it waits until it is stored', () => {
    const cancel = { ...COMMANDS['cancel'], jobId } as Command;
    const { memory, changes } = reduce(onItsWay(), cancel, benchOf(onItsWay()));
    expect(memory.postponed).toEqual([cancel]);
    expect(changes).toEqual([]);
    const state = { ...onItsWay(), memory };
    const settled = reduce(
      state,
      { kind: 'settled', purpose: { kind: 'arrival', jobId }, refused: null },
      benchOf(state),
    );
    expect(settled.effects.at(-1)).toEqual({ kind: 'retake', command: cancel });
  });

  test('a second reset waits for the first, which is its response', () => {
    const arriving = arrivalsOf(stateOf('reserved'), COMMANDS['reset'] as Command);
    const second = { kind: 'release', caller: bob, reply } as const;
    const state = stateOf('reserved', [], { arriving });
    const { memory } = reduce(state, second, benchOf(state));
    expect(memory).toEqual({ ...state.memory, postponed: [second] });
    const stored = arriving.map((one) => one.stored);
    const settled = stateOf('reserved', stored);
    expect(reduce(settled, second, benchOf(settled)).effects).toEqual([
      { kind: 'answer', reply, value: stored[0]?.job },
    ]);
  });
});

test('the service repeats its own reset until the disk accepts one', () => {
  const next = (state: State, command: Command) => {
    const { memory, changes, effects } = reduce(state, command, benchOf(state));
    const kinds = [...changes.map(describeCommit), ...effects.map(({ kind }) => kind)];
    return { state: { ...state, memory }, kinds, effects };
  };
  const session = null;
  const ended = stateOf('reserved');
  const alone = { ...ended, node: { ...ended.node, session, lease: null } };
  const asked = next(alone, { kind: 'consider' });
  expect(asked.kinds).toContain('reset queued (committed)');
  const purpose = { kind: 'arrival', jobId: 'new 1' } as const;
  const refused = next(asked.state, {
    kind: 'settled',
    purpose,
    refused: { error: new Error('the disk is full') },
  });
  expect(refused.effects).toContainEqual({
    kind: 'later',
    ms: 5000,
    command: { kind: 'retry_system_reset' },
  });
  // Until then the node waits.
  expect(next(refused.state, { kind: 'consider' }).kinds).toEqual([]);
  const again = next(refused.state, { kind: 'retry_system_reset' });
  expect(again.kinds).toContain('reset queued (committed)');
  expect(next(again.state, { kind: 'settled', purpose, refused: null }).state.memory).toEqual(EMPTY_MEMORY);
  // A reset of somebody else serves as well.
  const users = next(refused.state, COMMANDS['reset'] as Command);
  expect(next(users.state, { kind: 'settled', purpose, refused: null }).state.memory).toEqual(EMPTY_MEMORY);
});

test('a hand-over takes effect once it is on disk', () => {
  const taken = decide(SITUATIONS['reserved'] as State, COMMANDS['hand_over'] as Command);
  if (taken instanceof Error) throw taken;
  expect(taken.memory).toMatchObject({ handingOver: true, handedOver: -1 });
  const [commit] = taken.changes;
  const state = stateOf('reserved', [], taken.memory);
  const purpose = commit?.purpose ?? { kind: 'none' };
  expect(reduce(state, { kind: 'settled', purpose, refused: null }, benchOf(state)).memory).toMatchObject({
    handingOver: false,
    handedOver: 99,
  });
  const refused = reduce(
    state,
    { kind: 'settled', purpose, refused: { error: new Error() } },
    benchOf(state),
  );
  expect(refused.memory).toMatchObject({ handingOver: false, handedOver: -1 });
  // A run of the holder to be has renewed it: the holder before gets a whole lifetime.
  const staged = { ...state.staged, ...(commit?.change.node as Partial<State['staged']>) };
  const renewed = reduce(
    { ...state, staged },
    { kind: 'settled', purpose, refused: { error: new Error() } },
    benchOf(state),
  );
  const { session, lease } = SITUATIONS['reserved']?.node ?? {};
  const left_ms = 1000 * benchOf(state).settings.sessionTtlSeconds;
  expect(renewed.changes).toMatchObject([
    { change: { node: { session: { session_id: session?.session_id }, lease: { ...lease, left_ms } } } },
  ]);
});

test('only the replacement that builds gets the turn', () => {
  const beside: Partial<Memory> = { replacement: { jobId: 'build 5', waiting: null, heir: null } };
  const asks = (jobId: string) => {
    const state = stateOf('reserved', [], beside);
    return reduce(state, { kind: 'take_turn', jobId, reply }, benchOf(state)).memory.replacement?.waiting;
  };
  expect(asks('build 5')).toBe(reply);
  expect(asks('build 4')).toBeNull();
});

test('a use of the session is stored only periodically', () => {
  const used = (memory: Partial<Memory>) => {
    const state = stateOf('reserved', [], memory);
    return reduce(state, { kind: 'use_session', sessionId: 'session of alice' }, benchOf(state));
  };
  const first = used({});
  expect(first.changes).toHaveLength(1);
  expect(used(first.memory).changes).toHaveLength(0);
  expect(used({ used: { ...first.memory.used, kept: first.memory.used.kept - 6000 } }).changes).toHaveLength(
    1,
  );
});

test('the caller of a job is its owner', () =>
  expect(arrivalsOf(stateOf('reserved'), COMMANDS['run'] as Command)[0]?.stored.job.owner).toBe(alice.owner));
