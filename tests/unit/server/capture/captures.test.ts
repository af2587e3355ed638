import { expect, test } from 'vitest';
import { Captures } from '../../../../server/capture/captures.ts';
import type { RunningDesigns } from '../../../../server/capture/inside.ts';
import type { RecordedListener, SampleSource } from '../../../../server/capture/source.ts';
import { EventHub } from '../../../../server/events/events.ts';
import { SymbolTable } from '../../../../server/symbols/symbols.ts';
import { FakeClock } from '../../../support/fake-clock.ts';

const NODE = 3;
const count = { name: 'count', kind: 'register' as const, low: 0, ascending: false, places: ['x1y1/lc0'] };
const table = new SymbolTable({ version: 1, signals: [count], bus: [], omitted: 0 });

/** Captures that begin again, of a design whose recordings end on request. */
async function begun(rearm: number) {
  const clock = new FakeClock();
  const listeners = new Set<RecordedListener>();
  const source: SampleSource = {
    using: 'inside',
    table,
    depth: 64,
    missing: async () => new Set(),
    onRecorded(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    record: async () => {},
    end: async () => {},
  };
  const designs: Partial<RunningDesigns> = {
    node: () => ({ design: { build_id: 'one', design_id: null } }) as ReturnType<RunningDesigns['node']>,
    isStill: () => true,
    source: async () => source,
    clockHz: () => 12_000_000,
    inSession: (_node, work) => work(),
  };
  const events = new EventHub((error) => {
    throw error;
  });
  let ids = 0;
  const captures = new Captures({
    designs: designs as RunningDesigns,
    events,
    clock,
    newId: () => `capture-${ids++}`,
  });
  /** Ends the recording with all its samples. */
  const record = () => {
    const recorded = { samples: new Int32Array(4), words: 1, count: 4, trigger: 0, clock: 0, lag: 1 };
    for (const listener of [...listeners]) listener(recorded);
  };
  /** Time passes until the next one begins. */
  const again = async () => {
    clock.advance(100);
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  };
  const { capture_id: first } = await captures.start(NODE, { signals: ['count'], depth: 4, rearm }, 'alice');
  record();
  return { captures, first, record, again, clock };
}

type Begun = Awaited<ReturnType<typeof begun>>;

test.each<[string, (series: Begun) => unknown, (string | number)[][]]>([
  ['waits', () => {}, [['complete', 0]]],
  ['begins', ({ clock }) => clock.advance(100), [['complete', 0]]],
  [
    'runs',
    ({ again }) => again(),
    [
      ['cancelled', 98],
      ['complete', 99],
    ],
  ],
  [
    'has ended too',
    async ({ again, record }) => {
      await again();
      record();
    },
    [
      ['complete', 0],
      ['complete', 99],
    ],
  ],
])(
  'a cancel of a capture ends those that begin after it while the next one %s',
  async (_which, come, left) => {
    const series = await begun(99);
    const { captures, first, again } = series;
    await come(series);
    await captures.cancel(NODE, first);
    for (let i = 0; i < 3; i++) await again();
    expect(captures.list(NODE).map(({ state, rearm }) => [state, rearm])).toEqual(left);
    // The next cancel removes it.
    await captures.cancel(NODE, first);
    expect(captures.list(NODE)).toHaveLength(left.length - 1);
  },
);

test('captures end by themselves, and each can be removed', async () => {
  const { captures, first, record, again } = await begun(1);
  await again();
  record();
  await again();
  const [last, ...others] = captures.list(NODE);
  expect([last?.rearm, others.map(({ capture_id }) => capture_id)]).toEqual([0, [first]]);
  await captures.cancel(NODE, first);
  expect(captures.list(NODE)).toEqual([last]);
});
