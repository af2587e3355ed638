import { describe, expect, test } from 'vitest';
import { Machine } from '../../../../../server/boards/virtual/runtime/machine.ts';
import { compile } from '../../../../../server/boards/virtual/runtime/machine-plan.ts';
import { classify, symmetriesOf } from '../../../../../server/boards/virtual/words/table-classes.ts';
import { type Value, WordGraph } from '../../../../../server/boards/virtual/words/word-graph.ts';
import { randomArithmetic } from '../../../../support/boards/virtual/random-arithmetic.ts';
import { generator } from '../../../../support/boards/virtual/random-design.ts';
import { randomWords } from '../../../../support/boards/virtual/random-words.ts';
import { recordedNetlist } from '../../../../support/boards/virtual/recorded-netlists.ts';
import { firstDifference } from '../../../../support/boards/virtual/side-by-side.ts';
import { everyNth, SOAK } from '../../../../support/soak.ts';

/** Random netlists that are compared; WISHBENCH_FUZZ=200 for a longer run. */
const COUNT = 4 * Number(process.env['WISHBENCH_FUZZ'] ?? '0.25');
/** Seeds with faults; all of them in `npm run soak`. */
const FAULTY = SOAK ? [1, 2, 3, 4, 5, 6, 7, 8] : [1];

describe('classes of look-up tables', () => {
  const inputsOf = (entry: number, order: readonly number[], inverted: number) => {
    let original = 0;
    order.forEach((from, k) => {
      original |= (((entry ^ inverted) >> k) & 1) << from;
    });
    return original;
  };

  test('a table is reconstructed from its class', () => {
    const random = generator(7);
    for (let k = 0; k < 300; k++) {
      const table = random(0x10000);
      const { table: standard, order, inverted, complement } = classify(table, 4);
      for (let entry = 0; entry < 16; entry++)
        expect((standard >> entry) & 1).toBe(
          ((table >> inputsOf(entry, order, inverted)) & 1) ^ (complement ? 1 : 0),
        );
    }
  });

  test('tables that differ only in input order and polarity share a class', () => {
    expect(classify(0xca00, 4).table).toBe(classify(0x00ac, 4).table);
    expect(classify(0x8, 2).table).toBe(classify(0xe, 2).table);
    expect(classify(0x8, 2).table).not.toBe(classify(0x6, 2).table);
  });

  test('a symmetry leaves its table unchanged', () => {
    for (const table of [0x8000, 0x6996, 0x7888, 0xcaca & 0xff]) {
      const inputs = table > 0xff ? 4 : 3;
      for (const { order, inverted } of symmetriesOf(table, inputs))
        for (let entry = 0; entry < 1 << inputs; entry++)
          expect((table >> inputsOf(entry, order, inverted)) & 1).toBe((table >> entry) & 1);
    }
  });
});

test.each([
  ['of words', {}],
  ['with registers that are set or reset at once', { atOnce: true }],
  ['with all kinds of clocks', { edges: true }],
  ['with both', { atOnce: true, edges: true }],
])(
  'random netlists %s give the same results in words as in events',
  (_, kind) => {
    const different: { seed: number; step: number }[] = [];
    for (let seed = 1; seed <= COUNT; seed++) {
      const step = firstDifference(randomWords(seed, kind), seed, 60);
      if (step !== null) different.push({ seed, step });
    }
    expect(different).toEqual([]);
  },
  300_000,
);

test('sums of registers times constants give the same results in words as in events', () => {
  const different: { seed: number; step: number }[] = [];
  for (let seed = 1; seed <= 4 * COUNT; seed++) {
    const step = firstDifference(randomArithmetic(seed), seed, 40);
    if (step !== null) different.push({ seed, step });
  }
  expect(different).toEqual([]);
}, 300_000);

/** Operations of the graph of words, to be spoilt. */
const operations: Record<
  'add' | 'moved' | 'mux' | 'times',
  (this: WordGraph, x: Value, y: Value, z: Value) => Value
> = WordGraph.prototype;

/** Runs with the `at`th use of an operation gone wrong, if it makes a difference; null when there is none. */
function withFault<T>(
  name: keyof typeof operations,
  at: number,
  wrong: (words: WordGraph, x: Value, y: Value, z: Value) => Value,
  run: () => T,
): T | null {
  const right = operations[name];
  let uses = 0;
  let spoilt = false;
  operations[name] = function (x, y, z) {
    const value = right.call(this, x, y, z);
    if (spoilt) return value;
    const other = wrong(this, x, y, z);
    if (other === value || uses++ !== at) return value;
    spoilt = true;
    return other;
  };
  try {
    const result = run();
    return spoilt ? result : null;
  } finally {
    operations[name] = right;
  }
}

const FAULTS = [
  {
    fault: 'a carry that is lost',
    name: 'add',
    wrong: (words: WordGraph, x: Value, y: Value) => words.xor(x, y),
  },
  {
    fault: 'a neighbouring lane',
    name: 'moved',
    wrong: (words: WordGraph, x: Value, by: number) => words.shrU(x, words.constant((by + 1) & 31)),
  },
  {
    fault: 'the other input of a multiplexer',
    name: 'mux',
    wrong: (words: WordGraph, s: Value, h: Value, l: Value) =>
      words.xor(words.and(words.xor(h, l), words.not(s)), l),
  },
] as const;

// Not all are visible: a fault may be in unused lanes, or in a word that another one makes superfluous.
test.each(FAULTS)(
  '$fault is detected',
  ({ name, wrong }) => {
    const steps = FAULTY.flatMap((seed) =>
      [0, 4].map((at) =>
        withFault(name, at, wrong, () => ({
          step: firstDifference(randomWords(seed), seed, 60),
        })),
      ),
    );
    const made = steps.filter((result) => result !== null);
    const noticed = made.filter(({ step }) => step !== null);
    process.stdout.write(`faults noticed: ${noticed.length} of ${made.length}\n`);
    expect(made.length).toBeGreaterThan(FAULTY.length);
    expect(noticed.length / made.length).toBeGreaterThan(0.6);
  },
  300_000,
);

test('a wrong factor of a filter is detected', async () => {
  const netlist = await recordedNetlist('fir');
  const plan = compile(netlist);
  const runIn = (engine: 'events' | 'words') => {
    const machine = new Machine(
      plan,
      netlist.inputs.map(() => 0),
    );
    machine.evaluateIn(engine);
    machine.run(300);
    expect(machine.evaluation).toBe(engine);
    return machine.peek(netlist.flipFlops.map(({ name }) => name)).join('');
  };
  const right = runIn('events');
  expect(runIn('words')).toBe(right);
  const wrong = (words: WordGraph, x: Value, factor: number) => words.mul(x, words.constant(factor + 2));
  const results = everyNth(2, [0, 10, 20, 30, 40, 50, 60, 70]).map((at) =>
    withFault('times', at, wrong, () => ({ isNoticed: runIn('words') !== right })),
  );
  const made = results.filter((result) => result !== null);
  const noticed = made.filter(({ isNoticed }) => isNoticed);
  process.stdout.write(`faults noticed: ${noticed.length} of ${made.length}\n`);
  expect(made.length).toBeGreaterThan(results.length / 2);
  // The others are in unread sums: a later sum contains them.
  expect(noticed.length).toBeGreaterThanOrEqual(0.4 * made.length);
}, 300_000);
