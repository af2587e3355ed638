import { describe, expect, test } from 'vitest';
import { FPGA_STATES, type FpgaState } from '../../../../server/contract/nodes/nodes.ts';
import {
  advance,
  judge,
  NODE_EVENTS,
  type NodeCondition,
  type NodeEvent,
  type NodeRequest,
  transition,
} from '../../../../server/nodes/machine.ts';

/** The state table of the specification, row by row, with the outcomes of a board's failure and of a reset. */
const TABLE: [FpgaState, NodeEvent, FpgaState][] = [
  ['idle', 'submit', 'queued'],
  ['queued', 'build_started', 'building'],
  ['queued', 'cancel', 'idle'],
  ['building', 'build_succeeded', 'programming'],
  ['building', 'build_failed', 'idle'],
  ['programming', 'program_succeeded', 'reserved'],
  ['programming', 'program_failed', 'error'],
  ['reserved', 'run', 'reserved'],
  ['reserved', 'replace', 'reserved'],
  ['reserved', 'replace_built', 'programming'],
  ['reserved', 'reset', 'reserved'],
  ['reserved', 'reset_succeeded', 'idle'],
  ['reserved', 'reset_failed', 'error'],
  ['reserved', 'board_failed', 'error'],
  ['error', 'reset', 'error'],
  ['error', 'reset_succeeded', 'idle'],
  ['error', 'reset_failed', 'error'],
];

describe('every event in every state', () => {
  for (const state of FPGA_STATES) {
    for (const event of NODE_EVENTS) {
      const next = TABLE.find(([from, by]) => from === state && by === event)?.[2] ?? null;
      test(`${state} + ${event} → ${next ?? 'refused'}`, () => {
        expect(transition(state, event)).toBe(next);
        if (next) expect(advance(state, event)).toBe(next);
        else expect(() => advance(state, event)).toThrow(`A node that is ${state} takes no ${event}.`);
      });
    }
  }
});

test('the table has no duplicate row, no dead-end state and no unreachable state', () => {
  expect(new Set(TABLE.map(([from, by]) => `${from} ${by}`)).size).toBe(TABLE.length);
  for (const state of FPGA_STATES)
    expect(TABLE.some(([from, , to]) => from === state && to !== state)).toBe(true);
  const reached = new Set<FpgaState>(['idle']);
  for (let before = 0; before < reached.size; ) {
    before = reached.size;
    for (const [from, , to] of TABLE) if (reached.has(from)) reached.add(to);
  }
  expect([...reached].sort()).toEqual([...FPGA_STATES].sort());
});

/** The answer of the specification; `reset` while one is pending answers with it. */
function expected(request: NodeRequest, { state, resetting, hasSession, yielding }: NodeCondition) {
  switch (request) {
    case 'submit':
      return state === 'idle' ? 'accept' : 'fpga_not_idle';
    case 'replace':
      return state === 'reserved' && hasSession && !resetting ? 'accept' : 'fpga_not_idle';
    case 'run':
      return state === 'reserved' && !resetting && !yielding ? 'accept' : 'fpga_not_reserved';
    case 'reset':
      if (resetting) return 'pending';
      return state === 'reserved' || state === 'error' ? 'accept' : 'fpga_not_resettable';
    case 'release':
      if (!hasSession) return 'no_active_session';
      if (resetting) return 'pending';
      return state === 'reserved' || state === 'error' ? 'accept' : 'fpga_not_resettable';
  }
}

describe('every request in every condition', () => {
  const conditions = FPGA_STATES.flatMap((state) =>
    [false, true].flatMap((resetting) =>
      [false, true].flatMap((hasSession) =>
        [false, true].map((yielding): NodeCondition => ({ state, resetting, hasSession, yielding })),
      ),
    ),
  );
  for (const request of ['submit', 'replace', 'run', 'reset', 'release'] as const) {
    for (const condition of conditions) {
      const { state, resetting, hasSession, yielding } = condition;
      const answer = expected(request, condition);
      const words = [
        `${request} while ${state}`,
        ...(resetting ? ['resetting'] : []),
        ...(hasSession ? ['with a session'] : []),
        ...(yielding ? ['yielding'] : []),
      ];
      test(`${words.join(', ')}: ${answer}`, () => {
        const verdict = judge(request, condition);
        expect(verdict.kind === 'refuse' ? verdict.error : verdict.kind).toBe(answer);
      });
    }
  }
});
