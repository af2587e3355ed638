import { expect, test } from 'vitest';
import { Machine } from '../../../../../server/boards/virtual/runtime/machine.ts';
import { compile } from '../../../../../server/boards/virtual/runtime/machine-plan.ts';
import { DecisionDiagrams } from '../../../../../server/boards/virtual/words/decision-diagrams.ts';
import { generator } from '../../../../support/boards/virtual/random-design.ts';
import { UNEVEN_INPUTS, unevenBits } from '../../../../support/boards/virtual/uneven-bits.ts';

/** Clocks in which the first input stays high, and then changes for as many. */
const PERIOD = 24;
const SEEDS = [1, 2, 3];

/** Runs a netlist in events and in words side by side; the first clock after which they differ, or null. */
function compared(
  seed: number,
  odd: number,
  clocks = 300,
): { difference: number | null; operations: number } {
  const random = generator(seed);
  const netlist = unevenBits(seed, odd);
  const [events, words] = [0, 1].map(() => new Machine(compile(netlist), [0, 0, 0]));
  if (!events || !words) throw new Error('no machine');
  events.evaluateIn('events');
  words.evaluateIn('words');
  const operations = words.words?.operations ?? Number.NaN;
  for (let clock = 0; clock < clocks; clock++) {
    for (let input = 0; input < UNEVEN_INPUTS; input++) {
      const level = input === 0 && clock % (2 * PERIOD) < PERIOD ? 1 : random(2);
      for (const machine of [events, words]) machine.setInput(input, level);
    }
    for (const machine of [events, words]) for (let done = 0; done < 1; ) done += machine.run(1);
    if (netlist.outputs.some((_, k) => events.output(k) !== words.output(k)))
      return { difference: clock, operations };
  }
  expect(words.evaluation).toBe('words');
  return { difference: null, operations };
}

/** Runs with diagrams that are wrong. */
function withSpoilt<K extends 'variable' | 'within', T>(
  name: K,
  wrong: DecisionDiagrams[K],
  run: () => T,
): T {
  const right = DecisionDiagrams.prototype[name];
  DecisionDiagrams.prototype[name] = wrong;
  try {
    return run();
  } finally {
    DecisionDiagrams.prototype[name] = right;
  }
}

test.each(SEEDS)('bits made of different tables are computed together (%i)', (seed) => {
  const { difference, operations } = compared(seed, -1);
  expect(difference).toBeNull();
  // With too many diagrams nothing is proven: then each bit is computed by itself.
  const none = function (this: DecisionDiagrams) {
    this.exhausted = true;
    return 0;
  };
  const apart = withSpoilt('variable', none, () => compared(seed, -1));
  expect(apart.difference).toBeNull();
  process.stdout.write(`operations: ${operations} together, ${apart.operations} apart\n`);
  expect(operations * 2).toBeLessThan(apart.operations);
});

test.each(SEEDS)('a bit that differs only in a rare case is computed separately (%i)', (seed) => {
  expect(compared(seed, 5).difference).toBeNull();
});

// Not in all can it be seen: the lane may have been guessed to be different before.
test('a proof that always succeeds is detected', () => {
  // With only constants all functions are the same.
  const differences = SEEDS.map(
    (seed) =>
      withSpoilt(
        'variable',
        () => 0,
        () => compared(seed, 5),
      ).difference,
  );
  expect(differences.filter((difference) => difference !== null).length).toBeGreaterThan(1);
});

test.each(SEEDS)('wrong guesses only cost time (%i)', (seed) => {
  // The first diagrams are those that the guesses are made with.
  const made = new Set<DecisionDiagrams>();
  const right = DecisionDiagrams.prototype.variable;
  const blind = function (this: DecisionDiagrams, number: number) {
    made.add(this);
    return made.size === 1 ? 0 : right.call(this, number);
  };
  expect(withSpoilt('variable', blind, () => compared(seed, 5)).difference).toBeNull();
  expect(made.size).toBeGreaterThan(1);
  // The replacement for a leaf that a lane lacks.
  expect(
    withSpoilt(
      'within',
      () => 1,
      () => compared(seed, 5),
    ).difference,
  ).toBeNull();
});

test('functions are the same if and only if their diagrams are', () => {
  const random = generator(11);
  for (let k = 0; k < 40; k++) {
    const diagrams = new DecisionDiagrams();
    const variables = [0, 1, 2, 3, 4].map((number) => diagrams.variable(number));
    const made = variables.map((diagram, v) => {
      let truth = 0;
      for (let entry = 0; entry < 32; entry++) truth |= ((entry >> v) & 1) << entry;
      return { diagram, truth };
    });
    const any = () => made[random(made.length)] ?? { diagram: 0, truth: 0 };
    for (let step = 0; step < 30; step++) {
      const [p, q, r] = [any(), any(), any()];
      made.push(
        { diagram: diagrams.and(p.diagram, q.diagram), truth: p.truth & q.truth },
        { diagram: diagrams.or(p.diagram, q.diagram), truth: p.truth | q.truth },
        { diagram: diagrams.not(r.diagram), truth: ~r.truth },
        {
          diagram: diagrams.mux(p.diagram, q.diagram, r.diagram),
          truth: (p.truth & q.truth) | (~p.truth & r.truth),
        },
      );
    }
    const byTruth = new Map(made.map(({ diagram, truth }) => [truth, diagram]));
    for (const { diagram, truth } of made) expect(byTruth.get(truth)).toBe(diagram);
    expect(new Set(byTruth.values()).size).toBe(byTruth.size);
    const [x, care] = [any(), any()];
    const within = diagrams.within(x.diagram, care.diagram);
    expect(diagrams.and(diagrams.xor(within, x.diagram), care.diagram)).toBe(0);
    expect(diagrams.exhausted).toBe(false);
  }
});

test('a nested function is visited once for each of its parts, not for each path', () => {
  const diagrams = new DecisionDiagrams();
  // Parity, and the number of ones modulo 3: 2^40 ways, and a few parts of each variable.
  let parity = 0;
  let remainders: [number, number, number] = [0, 1, 1];
  for (let number = 40; number > 0; number--) {
    const variable = diagrams.variable(number);
    const [zero, one, two] = remainders;
    parity = diagrams.xor(parity, variable);
    remainders = [
      diagrams.mux(variable, one, zero),
      diagrams.mux(variable, two, one),
      diagrams.mux(variable, zero, two),
    ];
  }
  const [care] = remainders;
  const { within } = DecisionDiagrams.prototype;
  let calls = 0;
  const counted = function (this: DecisionDiagrams, x: number, where: number) {
    if (++calls > 10_000) throw new Error('too many calls');
    return within.call(this, x, where);
  };
  const found = withSpoilt('within', counted, () => diagrams.within(parity, care));
  expect(diagrams.and(diagrams.xor(found, parity), care)).toBe(0);
  expect(diagrams.exhausted).toBe(false);
  expect(calls).toBeGreaterThan(40);
});
