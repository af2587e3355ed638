import { expect, test } from 'vitest';
import type { CheckStep } from '../../../../server/contract/courses/assignments.ts';
import { optionsForGrading, runCheck } from '../../../../server/courses/assignments/grade-source.ts';
import { FakeClock } from '../../../support/fake-clock.ts';
import { HOLE, MemoryBus } from '../../../support/scripts/memory-bus.ts';

const never = new AbortController().signal;

test('the steps run in order on one bus; each gives all of its points or none', async () => {
  const memory = new MemoryBus();
  const check: CheckStep[] = [
    { title: 'Write', points: 2, steps: [{ op: 'write', address: 0, data: [5] }] },
    { title: 'Read', points: 3, steps: [{ op: 'read', address: 0, expect: [5] }] },
    {
      title: 'Half right',
      points: 4,
      hidden: true,
      steps: [
        { op: 'read', address: 0, expect: [5] },
        { op: 'read', address: 0, says: 'One more', expect: [6] },
      ],
    },
    { title: 'Nothing there', points: 1, steps: [{ op: 'read', address: HOLE }] },
    { title: 'Remark', points: 0, steps: [{ op: 'comment', says: 'end' }] },
  ];
  const steps = await runCheck(check, () => memory.bus, new FakeClock(), never);
  expect(steps.map(({ points, of, ok }) => [points, of, ok])).toEqual([
    [2, 2, true],
    [3, 3, true],
    [0, 4, false],
    [0, 1, false],
    [0, 0, true],
  ]);
  expect(steps[2]).toMatchObject({ hidden: true, message: 'One more: word 0 is 0x5, expected 0x6' });
  expect(steps[3]?.message).toContain('No acknowledge.');
});

test('a check that never ends is ended after 60 s, and what has passed keeps its points', async () => {
  const clock = new FakeClock();
  const memory = new MemoryBus();
  const check: CheckStep[] = [
    { title: 'First', points: 1, steps: [{ op: 'read', address: 0 }] },
    { title: 'Never', points: 2, steps: [{ op: 'read', address: 4 }] },
    { title: 'After it', points: 3, steps: [{ op: 'read', address: 0 }] },
  ];
  let reached = () => {};
  const hangs = new Promise<void>((resolve) => {
    reached = resolve;
  });
  const graded = runCheck(
    check,
    (signal) => async (request) => {
      if (request.address === 0) return await memory.bus(request);
      reached();
      return await new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      });
    },
    clock,
    never,
  );
  await hangs;
  clock.advance(60_000);
  const steps = await graded;
  expect(steps.map(({ points }) => points)).toEqual([1, 0, 0]);
  expect(steps[1]?.message).toContain('longer than 60 s');
});

test('a check that the service ends gives no grade', async () => {
  const ends = new AbortController();
  const check: CheckStep[] = [{ title: 'First', points: 1, steps: [{ op: 'read', address: 0 }] }];
  const memory = new MemoryBus();
  memory.onRequest = () => ends.abort(new Error('the service stops'));
  await expect(runCheck(check, () => memory.bus, new FakeClock(), ends.signal)).rejects.toThrow(
    'the service stops',
  );
});

test('grading leaves out probes and pins of the student’s board, and keeps what the design is', () => {
  const options = { top: 'echo', addressing: 'word' as const, ties: { irq_in: 0 as const } };
  const pins = { sw: 18, cfg: '0x3', led: 'LED0 LED1', btn: 'B5' };
  expect(optionsForGrading({ ...options, probes: 'bus.cyc', pins })).toEqual({
    ...options,
    pins: { sw: 18, cfg: '0x3' },
  });
  expect(optionsForGrading({ ...options, pins: { led: 'LED' } })).toEqual(options);
});
