import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { WordsMaker } from '../../../../../server/boards/virtual/runtime/compiled-words.ts';
import { Machine } from '../../../../../server/boards/virtual/runtime/machine.ts';
import { compile } from '../../../../../server/boards/virtual/runtime/machine-plan.ts';
import { WordsThread } from '../../../../../server/boards/virtual/runtime/words-thread.ts';
import { distPath } from '../../../../../server/paths.ts';
import { inputIndices, outputIndices, outputsOf } from '../../../../support/boards/virtual/drive.ts';
import { stimulus } from '../../../../support/boards/virtual/random-design.ts';
import { recordedNetlist } from '../../../../support/boards/virtual/recorded-netlists.ts';
import { temporaryFolder } from '../../../../support/temporary.ts';

/** Clocks after which two machines are compared. */
const EVERY = 100;

const netlist = await recordedNetlist('soft-cpu');
const plan = compile(netlist);

/**
 * A soft CPU whose word evaluation comes from a thread with this script, and a second one that is always evaluated in
 * events.
 */
function sideBySide(script: string) {
  const low = netlist.inputs.map(() => 0);
  const thread = new WordsThread(script);
  let requested = Number.NaN;
  const make: WordsMaker = (...request) => {
    requested = steps;
    thread.make(...request);
  };
  const busy = new Machine(plan, low, 0, make);
  const events = new Machine(plan, low);
  events.evaluateIn('events');
  const [inputs, outputs] = [inputIndices(netlist), outputIndices(netlist)];
  let steps = 0;
  /** Runs both, and returns whether they show the same. */
  const run = (value: number) => {
    for (const machine of [busy, events]) {
      inputs.forEach((index, k) => {
        if (index >= 0) machine.setInput(index, (value >> k) & 1);
      });
      for (let left = EVERY; left > 0; ) left -= machine.run(left);
    }
    steps++;
    return outputsOf(busy, outputs) === outputsOf(events, outputs);
  };
  return { busy, run, steps: () => steps, requested: () => requested };
}

/** Lets what other threads have sent arrive. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

afterEach(() => turn());

test('a busy design runs on while its word evaluation compiles, then switches with equal results', async () => {
  const { busy, run, steps, requested } = sideBySide(distPath('server', 'words-worker.js'));
  let taken = 0;
  for (const value of stimulus(200_000)) {
    expect(run(value)).toBe(true);
    if (steps() % 10 === 0) await turn();
    if (busy.words && taken === 0) taken = steps();
    if (taken > 0 && steps() > taken + 1000) break;
  }
  expect(busy.words?.cases).toBeGreaterThan(3);
  // Not in the run that requested it.
  expect(taken).toBeGreaterThan(requested() + 1);
  expect(busy.evaluation).toBe('words');
});

test('a design stays in events when the thread fails', async () => {
  const failing = path.join(temporaryFolder('words-thread'), 'failing.mjs');
  writeFileSync(failing, 'throw new Error("It was to fail.");');
  const { busy, run, steps } = sideBySide(failing);
  for (const value of stimulus(3000)) {
    expect(run(value)).toBe(true);
    if (steps() % 10 === 0) await turn();
  }
  expect(busy.words).toBeNull();
  expect(busy.evaluation).toBe('events');
});

test('a failing thread affects one design, and the others get another thread', async () => {
  const script = path.join(temporaryFolder('words-thread'), 'sometimes.mjs');
  writeFileSync(
    script,
    `import { parentPort } from 'node:worker_threads';
    let done = 0;
    parentPort.on('message', ({ request }) => {
      if (request % 2 === 1) throw new Error('It was to fail.');
      parentPort.postMessage({ request, words: { request, done: ++done } });
    });`,
  );
  const thread = new WordsThread(script);
  const made = await Promise.all(
    Array.from({ length: 6 }, () => new Promise((resolve) => thread.make(plan, [], resolve))),
  );
  // Every second one fails; the next one is the first of a new thread.
  expect(made).toEqual([
    null,
    { request: 2, done: 1 },
    null,
    { request: 4, done: 1 },
    null,
    { request: 6, done: 1 },
  ]);
});
