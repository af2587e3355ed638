import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkOf } from '../../../../server/contract/check.ts';
import { type BusStep, Script, type ScriptStep } from '../../../../server/contract/jobs/scripts.ts';
import { jobsError } from '../../../../server/errors/jobs.ts';
import { recordedScript } from '../../../../server/scripts/recorded-script.ts';
import { runScript } from '../../../../server/scripts/run-script.ts';
import { scriptProblems } from '../../../../server/scripts/script-problems.ts';
import { HOLE, MemoryBus, PassingClock } from '../../../support/scripts/memory-bus.ts';

const isScript = checkOf(Script);

async function run(
  script: Script | ScriptStep[],
  memory = new MemoryBus(),
  signal = new AbortController().signal,
) {
  const whole = Array.isArray(script) ? { steps: script } : script;
  expect(isScript(whole)).toBe(true);
  return await runScript(whole, memory.bus, { clock: new PassingClock(), signal });
}

const oks = ({ steps }: { steps: { ok: boolean | null }[] }) => steps.map(({ ok }) => ok);

test('each expectation accepts exactly the specified values', async () => {
  const report = await run([
    { op: 'write', address: 0, data: [5] },
    { op: 'read', address: 0, expect: [5] },
    { op: 'read', address: 0, expect: [6] },
    { op: 'read', address: 0, expect: [null] },
    { op: 'read', address: 0, expect: [{ mask: 4, value: 0xff }] },
    { op: 'read', address: 0, expect: [{ mask: 3, value: 2 }] },
    { op: 'read', address: 0, expect: [{ min: 5, max: 5 }] },
    { op: 'read', address: 0, expect: [{ min: 6, max: 0xffff_ffff }] },
    { op: 'read', address: 0, expect: [{ mask: 0xffff_ffff, value: 5 }] },
  ]);
  expect(oks(report)).toEqual([true, true, false, true, true, false, true, false, true]);
  expect(report.steps[2]).toMatchObject({ step: [2], expected: [6], got: [5], word: 0, failures: 1 });
  expect(report).toMatchObject({ passed: 6, failed: 3, skipped: 0, stopped: null });
});

test('a read word is written and compared under its name', async () => {
  const report = await run([
    { op: 'write', address: 0, data: [41, 42] },
    { op: 'read', address: 0, expect: [{ save_as: 'first' }, { save_as: 'second' }] },
    { op: 'write', address: 8, data: [{ saved: 'second' }, { saved: 'first' }] },
    { op: 'read', address: 8, expect: [42, { saved: 'first' }] },
    { op: 'read', address: 0, expect: [{ saved: 'second' }] },
  ]);
  expect(oks(report)).toEqual([true, true, true, true, false]);
  expect(report.steps[4]).toMatchObject({ expected: [42], got: [41] });
});

test('a step expected to fail passes only without an acknowledge', async () => {
  const report = await run([
    { op: 'read', address: HOLE, fails: true },
    { op: 'write', address: HOLE, data: [1], fails: true },
    { op: 'read', address: 0, fails: true },
    { op: 'read', address: HOLE },
  ]);
  expect(oks(report)).toEqual([true, true, false, false]);
  expect(report.steps.map(({ error }) => error?.code)).toEqual([
    'bus_timeout',
    'bus_timeout',
    'acknowledged',
    'bus_timeout',
  ]);
});

test('a wait ends when the bits match, or on its timeout', async () => {
  const memory = new MemoryBus();
  let looks = 0;
  memory.onRequest = () => {
    if (++looks === 5) memory.words.set(0, 0x101);
  };
  const report = await run(
    [
      { op: 'wait', address: 0, mask: 1, value: 1, timeout_ms: 1000 },
      { op: 'wait', address: 0, mask: 2, value: 2, timeout_ms: 100, every_ms: 10 },
    ],
    memory,
  );
  expect(oks(report)).toEqual([true, false]);
  expect(report.steps[0]?.got).toEqual([0x101]);
  expect(report.steps[1]).toMatchObject({ error: { code: 'wait_timeout' }, ms: 100 });
  expect(looks).toBe(5 + 11);
});

test('repeats count their iterations and show the first failure', async () => {
  const memory = new MemoryBus();
  let count = 0;
  memory.onRequest = ({ op }) => {
    if (op === 'read') memory.words.set(0, ++count);
  };
  const report = await run(
    [
      {
        op: 'repeat',
        times: 3,
        steps: [
          { op: 'repeat', times: 2, steps: [{ op: 'read', address: 0, expect: [{ min: 0, max: 3 }] }] },
          { op: 'comment', says: 'once more' },
        ],
      },
    ],
    memory,
  );
  expect(report.steps).toMatchObject([{ step: [0, 0, 0], ok: false, times: 6, failures: 3, got: [4] }]);
  expect(report).toMatchObject({ passed: 0, failed: 1 });
});

test('steps after a failure are skipped if the script requires it', async () => {
  const steps: ScriptStep[] = [
    { op: 'read', address: 0, expect: [1] },
    { op: 'write', address: 0, data: [1] },
  ];
  expect(oks(await run({ steps }))).toEqual([false, true]);
  const report = await run({ steps, stop_on_failure: true });
  expect(oks(report)).toEqual([false, null]);
  expect(report).toMatchObject({ failed: 1, skipped: 1, stopped: null });
});

test('a run observes its time limit, also within a wait and a delay', async () => {
  for (const slow of [
    { op: 'delay', ms: 60_000 },
    { op: 'wait', address: 0, value: 1, timeout_ms: 60_000 },
  ] as ScriptStep[]) {
    const report = await run({ steps: [slow, { op: 'read', address: 0 }], limit_ms: 500 });
    expect(report.stopped?.code).toBe('script_deadline');
    expect(report.ms).toBe(500);
    expect(report.steps.at(-1)?.ok).toBeNull();
  }
});

test('a run ends with its signal or its bus, and the report states why', async () => {
  const ends = new AbortController();
  const memory = new MemoryBus();
  memory.onRequest = () => ends.abort(jobsError('session_ended'));
  const steps: ScriptStep[] = [
    { op: 'read', address: 0 },
    { op: 'delay', ms: 1000 },
    { op: 'read', address: 4 },
  ];
  const ended = await run(steps, memory, ends.signal);
  expect([oks(ended), ended.stopped?.code]).toEqual([[true, null], 'session_ended']);

  memory.onRequest = ({ address }) => {
    if (address === 4) throw jobsError('service_stopping');
  };
  const broken = await run(steps, memory);
  expect([oks(broken), broken.stopped?.code]).toEqual([[true, null], 'service_stopping']);
});

test('an invalid step is refused with its location', () => {
  const problems = (steps: ScriptStep[]) =>
    scriptProblems({ steps }, ['body']).map(({ loc, type }) => `${loc.join('.')} ${type}`);
  expect(problems([{ op: 'write', address: 0xf000_0000, data: [1] }])).toEqual([
    'body.steps.0.address address_range',
  ]);
  expect(problems([{ op: 'read', address: 0xffff_fffc, count: 2 }])).toEqual([
    'body.steps.0.address address_range',
  ]);
  expect(problems([{ op: 'read', address: 0xffff_fffc, count: 2, fixed_address: true }])).toEqual([]);
  expect(problems([{ op: 'read', address: 0, count: 1, expect: [1, 2] }])).toEqual([
    'body.steps.0.expect too_long',
  ]);
  expect(problems([{ op: 'read', address: 0, expect: [{ min: 2, max: 1 }] }])).toEqual([
    'body.steps.0.expect.0 less_than_equal',
  ]);
  expect(
    problems([{ op: 'repeat', times: 2, steps: [{ op: 'write', address: 0, data: [{ saved: 'x' }] }] }]),
  ).toEqual(['body.steps.0.steps.0.data.0 not_saved']);
  const inner: ScriptStep = { op: 'repeat', times: 100_000, steps: [{ op: 'delay', ms: 0 }] };
  expect(problems([{ op: 'repeat', times: 3, steps: [inner as never] }])).toEqual(['body.steps too_long']);
  const words = { op: 'read', address: 0, count: 4096 } as const;
  expect(problems([{ op: 'repeat', times: 257, steps: [words] }])).toEqual(['body.steps too_long']);
  expect(problems([{ op: 'repeat', times: 256, steps: [words] }])).toEqual([]);
  expect(isScript({ steps: [{ op: 'read', address: 2 }] })).toBe(false);
  expect(isScript({ steps: [{ op: 'comment', says: 'two\nlines' }] })).toBe(false);
  const three = { op: 'repeat', times: 1, steps: [{ op: 'repeat', times: 1, steps: [inner] }] };
  expect(isScript({ steps: [three] })).toBe(false);
});

/** Transactions with a small memory, so that they meet each other. */
const transactions = fc.array(
  fc.oneof(
    fc.record({
      op: fc.constant('write' as const),
      address: fc.nat(7).map((word) => 4 * word),
      data: fc.array(fc.nat(3), { minLength: 1, maxLength: 4 }),
      fixed_address: fc.boolean(),
    }),
    fc.record({
      op: fc.constant('read' as const),
      address: fc.oneof(
        fc.nat(7).map((word) => 4 * word),
        fc.constant(HOLE),
      ),
      count: fc.integer({ min: 1, max: 3 }),
      fixed_address: fc.boolean(),
    }),
  ),
  { maxLength: 40 },
);

test('any recorded activity becomes a script that passes on the same design', async () => {
  await fc.assert(
    fc.asyncProperty(transactions, async (steps: BusStep[]) => {
      const memory = new MemoryBus();
      await run(steps, memory);
      const { script, skipped } = recordedScript(memory.done);
      expect(skipped).toBe(0);
      expect(isScript(script)).toBe(true);
      expect(scriptProblems(script, [])).toEqual([]);
      const again = new MemoryBus();
      const report = await run(script, again);
      expect(report.steps.filter(({ ok }) => !ok)).toEqual([]);
      expect([...again.words]).toEqual([...memory.words]);
    }),
  );
});

test('a single differing word fails its step', async () => {
  await fc.assert(
    fc.asyncProperty(transactions, fc.nat(7), async (steps: BusStep[], word) => {
      const memory = new MemoryBus();
      await run(steps, memory);
      const { script } = recordedScript(memory.done);
      const again = new MemoryBus();
      const expected = memory.done.map((one) => one.data);
      let differs = false;
      again.onRequest = ({ op, address, count, fixed }) => {
        // The word is stuck at a value that was never written.
        again.words.set(4 * word, 77);
        const last = fixed ? address : address + 4 * (count - 1);
        if (op === 'read' && last < HOLE && address <= 4 * word && 4 * word <= last) differs = true;
      };
      const report = await run({ ...script, limit_ms: 100_000 }, again);
      expect(expected.length).toBe(steps.length);
      expect(report.failed > 0).toBe(differs);
    }),
  );
});

test('polling becomes a wait, and repetition a repeat', () => {
  const read = (address: number, word: number, at = 0) =>
    ({ op: 'read', address, count: 1, fixed: false, fault: false, data: Uint32Array.of(word), at }) as const;
  const status = [0x80, 0x80, 0x80, 0x81].map((word, at) => read(4, word, 500 * at));
  const done = [read(0, 1), ...status, ...Array.from({ length: 5 }, () => read(8, 9)), read(8, 9)];
  expect(recordedScript(done).script.steps).toEqual([
    { op: 'read', address: 0, expect: [1] },
    { op: 'wait', address: 4, mask: 1, value: 1, timeout_ms: 15_000 },
    { op: 'repeat', times: 6, steps: [{ op: 'read', address: 8, expect: [9] }] },
  ]);
  // Words that are taken out of a FIFO are no polling: they were written before.
  const filled = {
    ...read(0, 0),
    op: 'write',
    count: 3,
    fixed: true,
    data: Uint32Array.of(10, 20, 30),
  } as const;
  const fifo = [filled, ...[10, 20, 30].map((word) => read(0, word))];
  expect(recordedScript(fifo).script.steps.slice(1)).toEqual(
    [10, 20, 30].map((word) => ({ op: 'read', address: 0, expect: [word] })),
  );
});

test('a session longer than a script is truncated to its beginning, with the skipped number', () => {
  const done = Array.from({ length: 3000 }, (_, at) => ({
    op: 'write' as const,
    address: 0,
    count: 1,
    fixed: false,
    fault: false,
    data: at === 5 ? null : Uint32Array.of(at),
    at,
  }));
  const { script, skipped } = recordedScript(done);
  expect([script.steps.length, skipped]).toEqual([1000, 2000]);
  expect(isScript(script)).toBe(true);
});
