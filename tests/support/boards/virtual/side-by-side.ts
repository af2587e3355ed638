import { expect } from 'vitest';
import type { Netlist } from '../../../../server/boards/virtual/netlist/netlist.ts';
import { Machine } from '../../../../server/boards/virtual/runtime/machine.ts';
import { compile } from '../../../../server/boards/virtual/runtime/machine-plan.ts';
import { SOAK } from '../../soak.ts';
import { generator } from './random-design.ts';
import { RANDOM_INPUTS } from './random-words.ts';

/** Steps from one compilation in words to the next, on average: it is most of what these tests take of the processor. */
const STEPS_PER_COMPILATION = SOAK ? 8 : 16;

/** Visible state of a machine: its registers and its outputs. */
const seen = (machine: Machine, places: readonly string[], outputs: number) =>
  [...machine.peek(places), ...Array.from({ length: outputs }, (_, k) => machine.output(k))].join('');

/** Runs the clocks; returns the outputs at each change, with the number of clocks. */
function history(machine: Machine, clocks: number, outputs: number): string {
  const now = () => Array.from({ length: outputs }, (_, k) => machine.output(k)).join('');
  let before = now();
  let seen = '';
  for (let done = 0; done < clocks; ) {
    done += machine.run(clocks - done);
    const after = now();
    if (after !== before) seen += `${done}:${after} `;
    before = after;
  }
  return seen;
}

/**
 * Runs a netlist in events, in words, and now in this and now in that way, compiled again now and then, side by side; returns the first step after which
 * they differ, or null.
 */
export function firstDifference(netlist: Netlist, seed: number, steps: number): number | null {
  const random = generator(seed);
  const plan = compile(netlist);
  const [events, words, both] = [0, 1, 2].map(
    () =>
      new Machine(
        plan,
        netlist.inputs.map(() => 0),
      ),
  );
  if (!events || !words || !both) throw new Error('no machine');
  events.evaluateIn('events');
  words.evaluateIn('words');
  const places = [
    ...netlist.flipFlops.map(({ name }) => name),
    ...netlist.rams.flatMap(({ name }) => Array.from({ length: 16 }, (_, pin) => `${name}[${pin}]`)),
  ];
  const look = (machine: Machine) => seen(machine, places, netlist.outputs.length);
  for (let step = 0; step < steps; step++) {
    if (random(4) === 0) both.evaluateIn(random(2) ? 'events' : 'words');
    if (random(STEPS_PER_COMPILATION) === 0) both.prepareWords();
    for (let input = 0; input < RANDOM_INPUTS; input++)
      if (random(3) === 0) {
        const level = random(2);
        for (const machine of [events, words, both]) machine.setInput(input, level);
      }
    const clocks = 1 + random(3);
    const [first, ...others] = [events, words, both].map((machine) =>
      history(machine, clocks, netlist.outputs.length),
    );
    if (others.some((other) => other !== first)) return step;
    if (step === 0) expect(words.evaluation).toBe('words');
    if (look(words) !== look(events) || look(both) !== look(events)) return step;
  }
  return null;
}
