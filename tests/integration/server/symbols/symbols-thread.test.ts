import { expect, test } from 'vitest';
import type { PlacedFiles } from '../../../../server/symbols/placement.ts';
import { PlacementThread } from '../../../../server/symbols/symbols-thread.ts';

const PLACED: PlacedFiles = {
  placed: null,
  delays: null,
  critical: [],
  chip: { buildId: '0', part: 'hx8k', package: 'ct256' },
};
const threadFor = (text: string, onEstimate: (megahertz: number | null) => void = () => {}) =>
  new PlacementThread(
    { netlist: Buffer.from(text), inverters: null, design: { modules: [], files: [] }, typical: null },
    onEstimate,
  );

// Both sides of the size above which nothing is read before placement.
test.each([
  ['small', 'no netlist'],
  ['large', `no netlist${' '.repeat(8 * 2 ** 20)}`],
])('an invalid netlist has no names: a %s one', async (_, text) => {
  const estimates: (number | null)[] = [];
  const thread = threadFor(text, (megahertz) => estimates.push(megahertz));
  try {
    expect(await thread.read(PLACED)).toBeNull();
    expect(estimates).toEqual([null]);
  } finally {
    thread.close();
  }
});

test('a closed thread rejects a read', async () => {
  const thread = threadFor('{}');
  thread.close();
  await expect(thread.read(PLACED)).rejects.toThrow('ended without');
});

test('an aborted build does not wait for the thread', async () => {
  const stop = new AbortController();
  const thread = threadFor('{}');
  try {
    const reading = thread.read(PLACED, stop.signal);
    stop.abort(new Error('the build was ended'));
    await expect(reading).rejects.toThrow('the build was ended');
    await expect(thread.read(PLACED, stop.signal)).rejects.toThrow('the build was ended');
  } finally {
    thread.close();
  }
});
