import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { loadCatalogue, VIRTUAL_BOARD } from '../../../../../server/boards/catalogue/index.ts';
import { loadChipTable } from '../../../../../server/boards/virtual/chip/chip-table.ts';
import { CommandReader } from '../../../../../server/boards/virtual/configuration/command-reader.ts';
import {
  BANKS,
  ConfigurationMemory,
} from '../../../../../server/boards/virtual/configuration/configuration-memory.ts';
import type { Netlist } from '../../../../../server/boards/virtual/netlist/netlist.ts';
import { FabricHost } from '../../../../../server/boards/virtual/runtime/fabric-host.ts';
import { Machine } from '../../../../../server/boards/virtual/runtime/machine.ts';
import { compile, type MachinePlan } from '../../../../../server/boards/virtual/runtime/machine-plan.ts';
import { PlanStore, planKey } from '../../../../../server/boards/virtual/runtime/plan-store.ts';
import { systemClock } from '../../../../../server/clock.ts';
import { resourcePath } from '../../../../../server/paths.ts';
import { baseBitstream, landmarks, resealed } from '../../../../support/boards/virtual/bitstreams.ts';
import { NetlistBuilder } from '../../../../support/boards/virtual/netlists.ts';
import { generator } from '../../../../support/boards/virtual/random-design.ts';
import { RANDOM_INPUTS, randomWords } from '../../../../support/boards/virtual/random-words.ts';
import { SOAK } from '../../../../support/soak.ts';

const { fpga, clock: oscillator, serial } = loadCatalogue().get(VIRTUAL_BOARD)!;
const OPTIONS = { package: fpga.package, clock: oscillator, rx: serial.rx, tx: serial.tx };
const PINS = { package: 'ct256', clock: 'J3', inputs: ['B10'], outputs: ['B12'] };

const chipTable = (() => {
  const table = loadChipTable(resourcePath('fabric', 'ice40-8k.table.br'));
  return () => table;
})();

/** A plan with this many graph nodes, for tests that never run it. */
function planOf(nodes: number): MachinePlan {
  const b = new NetlistBuilder();
  b.output('tx', b.input('rx'));
  const plan = compile(b.build());
  return { ...plan, size: { ...plan.size, nodes } };
}

describe('a key', () => {
  const place = fc.record({
    part: fc.constantFrom('cramBank' as const, 'bramBank' as const),
    bank: fc.integer({ min: 0, max: BANKS - 1 }),
    at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    bit: fc.integer({ min: 0, max: 7 }),
  });
  type Place = typeof place extends fc.Arbitrary<infer T> ? T : never;
  const flip = (memory: ConfigurationMemory, { part, bank, at, bit }: Place) => {
    const bytes = memory[part](bank);
    const index = Math.floor(at * bytes.length);
    bytes[index] = (bytes[index] ?? 0) ^ (1 << bit);
  };

  test('differs for every configuration bit, and is equal for equal bits', () => {
    fc.assert(
      fc.property(fc.array(place, { maxLength: 5 }), place, (some, one) => {
        const [memory, same] = [new ConfigurationMemory(), new ConfigurationMemory()];
        for (const each of some) flip(memory, each);
        for (const each of [...some].reverse()) flip(same, each);
        const key = planKey(memory, PINS);
        expect(planKey(same, PINS)).toBe(key);
        flip(memory, one);
        expect(planKey(memory, PINS)).not.toBe(key);
        flip(memory, one);
        expect(planKey(memory, PINS)).toBe(key);
      }),
    );
  });

  test('differs between banks', () => {
    const keys = Array.from({ length: 2 * BANKS }, (_, k) => {
      const memory = new ConfigurationMemory();
      flip(memory, { part: k < BANKS ? 'cramBank' : 'bramBank', bank: k % BANKS, at: 0, bit: 0 });
      return planKey(memory, PINS);
    });
    expect(new Set(keys).size).toBe(2 * BANKS);
  });

  test('differs between pin assignments', () => {
    const memory = new ConfigurationMemory();
    const keys = [
      PINS,
      { ...PINS, package: 'cm225' },
      { ...PINS, clock: 'K9' },
      { ...PINS, inputs: ['B12'], outputs: ['B10'] },
      { ...PINS, outputs: ['B13'] },
    ].map((pins) => planKey(memory, pins));
    expect(new Set(keys).size).toBe(keys.length);
  });
});

describe('the store', () => {
  /** Large and small plans: only a few of the large ones stay. */
  const SIZES = [100, 9000, 14_000, 50_000];

  test('has one plan for each key at a time, and few unused ones', () => {
    const plans = SIZES.map(planOf);
    const step = fc.record({ key: fc.nat(SIZES.length - 1), give: fc.nat(12), back: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const store = new PlanStore();
        const held: { key: number; plan: MachinePlan; giveBack: () => void }[] = [];
        for (const { key, give, back } of steps) {
          if (back) {
            const one = held.splice(give % (held.length || 1), 1)[0];
            one?.giveBack();
            one?.giveBack();
          } else {
            let made = false;
            const one = store.take(`${key}`, () => {
              made = true;
              return { ...plans[key]! };
            });
            const others = held.filter((other) => other.key === key);
            if (others.length > 0) expect(made).toBe(false);
            for (const other of others) expect(one.plan).toBe(other.plan);
            expect(one.plan.size.nodes).toBe(SIZES[key]);
            held.push({ key, plan: one.plan, giveBack: one.giveBack });
          }
          const inUse = new Set(held.map((one) => one.key)).size;
          const { all, spare } = store.counts;
          expect(all - spare).toBe(inUse);
          expect(spare).toBeLessThanOrEqual(3);
        }
      }),
    );
  });

  test('retains the most recently returned plans, and none that is too large', () => {
    const store = new PlanStore();
    const made: string[] = [];
    const use = (key: string, nodes: number) =>
      store
        .take(key, () => {
          made.push(key);
          return planOf(nodes);
        })
        .giveBack();
    for (const key of ['a', 'b', 'c', 'd']) use(key, 100);
    expect(store.counts).toEqual({ all: 3, spare: 3 });
    for (const key of ['d', 'c', 'b']) use(key, 100);
    expect(made).toEqual(['a', 'b', 'c', 'd']);
    use('large', 50_000);
    expect(store.counts).toEqual({ all: 0, spare: 0 });
  });

  test('stores nothing when compiling fails', () => {
    const store = new PlanStore();
    const broken = () => {
      throw new Error('refused');
    };
    expect(() => store.take('a', broken)).toThrow('refused');
    expect(store.counts).toEqual({ all: 0, spare: 0 });
    expect(store.take('a', () => planOf(1)).plan.size.nodes).toBe(1);
  });
});

/** The visible contents of a plan without running it. */
function contentsOf({ netlist, design, parts, layout, marks, inputs, outputs }: MachinePlan): string {
  const { graph } = design;
  const operations = Array.from({ length: graph.size }, (_, node) => [
    graph.operator(node),
    graph.first(node),
    graph.second(node),
    graph.third(node),
  ]);
  const readers = Array.from({ length: parts.words }, (_, word) => marks.readersOf(word));
  const addresses = Array.from({ length: parts.words }, (_, word) => [layout.word(word), layout.next(word)]);
  const seen = { netlist, operations, design, parts, readers, addresses, layout, inputs, outputs };
  return JSON.stringify(seen, (_, value: unknown) => (value instanceof Map ? [...value] : value));
}

describe('machines on one plan', () => {
  /** Drives machines by chance, each in its own way; what is seen of each after every step. */
  function traces(plans: readonly MachinePlan[], { flipFlops, inputs, outputs }: Netlist, seed: number) {
    const places = flipFlops.map(({ name }) => name);
    const asleep = (k: number) => (k === 1 ? 7 : 0);
    const machines = plans.map((plan, k) => ({
      machine: new Machine(
        plan,
        inputs.map(() => k & 1),
        asleep(k),
      ),
      random: generator(seed + k),
      seen: [] as string[],
    }));
    for (let step = 0; step < 60; step++)
      for (const { machine, random, seen } of machines) {
        if (random(6) === 0) machine.evaluateIn(random(2) ? 'events' : 'words');
        machine.setInput(random(RANDOM_INPUTS), random(2));
        const passed = machine.run(1 + random(20));
        const sampler = random(10) === 0 ? machine.sampler(places.slice(0, 64)) : null;
        machine.run(1);
        sampler?.sample();
        seen.push(
          [
            passed,
            machine.resting,
            ...machine.peek(places),
            ...outputs.map((_, k) => machine.output(k)),
            ...(sampler?.words ?? []),
          ].join(),
        );
      }
    return machines.map(({ seen }) => seen);
  }

  test.each(Array.from({ length: SOAK ? 40 : 1 }, (_, k) => 300 + k))(
    'run as if each had its own plan, whatever the others do (seed %i)',
    (seed) => {
      const netlist = randomWords(seed);
      const plan = compile(netlist);
      const before = contentsOf(plan);
      const together = traces([plan, plan, plan], netlist, seed);
      expect(contentsOf(plan)).toBe(before);
      expect(together).toEqual(
        traces(
          [0, 1, 2].map(() => compile(randomWords(seed))),
          netlist,
          seed,
        ),
      );
      // They had different inputs, so that leftovers of one would show.
      expect(new Set(together.map((seen) => seen.join('\n'))).size).toBe(3);
    },
  );

  test('stop independently: oscillation in one does not affect the other', () => {
    const b = new NetlistBuilder();
    const rx = b.input('rx');
    const loop = b.net();
    b.lut(0x7777, rx, loop, 0, 0, loop);
    b.output('tx', loop);
    const plan = compile(b.build());
    const [calm, ringing] = [new Machine(plan, [0]), new Machine(plan, [0])];
    ringing.setInput(0, 1);
    expect(() => ringing.run(10)).toThrow(/oscillates/);
    expect(calm.run(10)).toBe(10);
    expect(calm.output(0)).toBe(1);
  });
});

describe('fabrics', () => {
  const hostOf = (plans: PlanStore, options = OPTIONS) =>
    new FabricHost(options, chipTable, systemClock, plans);

  /** The configuration memory after a bitstream. */
  function memoryOf(bitstream: Uint8Array): ConfigurationMemory {
    const reader = new CommandReader();
    reader.push(bitstream);
    return reader.memory;
  }

  const sameConfiguration = (a: ConfigurationMemory, b: ConfigurationMemory): boolean =>
    Array.from({ length: BANKS }, (_, bank) => bank).every(
      (bank) =>
        Buffer.from(a.cramBank(bank)).equals(b.cramBank(bank)) &&
        Buffer.from(a.bramBank(bank)).equals(b.bramBank(bank)),
    );

  /** A configured fabric's answer to a read of the base SoC's first words. */
  function answerOf(host: FabricHost, bitstream: Uint8Array): string {
    host.reset();
    host.setBaud(serial.baud);
    host.configure(bitstream);
    const { design } = host;
    if (!design) return JSON.stringify(host.status());
    design.send(Uint8Array.of(2, 8, 0x3c, 0, 0, 0));
    const sent: number[] = [];
    for (let turn = 0; turn < 200; turn++) sent.push(...design.runSlice());
    return `${Buffer.from(sent).toString('hex')} ${JSON.stringify(host.status())} ${design.uart.framingErrors}`;
  }

  test('with one bitstream share a plan; with other pins, or after a reset, they do not', () => {
    const plans = new PlanStore();
    const bitstream = baseBitstream();
    const [a, b, deaf] = [hostOf(plans), hostOf(plans), hostOf(plans, { ...OPTIONS, rx: 'C16' })];
    const answer = answerOf(a, bitstream);
    expect(Buffer.from(answer.split(' ')[0]!, 'hex').toString('latin1')).toContain('WBCH');
    expect(answerOf(b, bitstream)).toBe(answer);
    expect(plans.counts).toEqual({ all: 1, spare: 0 });
    expect(answerOf(deaf, bitstream)).not.toBe(answer);
    expect(plans.counts.all).toBe(2);
    for (const host of [a, b, deaf]) host.reset();
    expect(plans.counts).toEqual({ all: 2, spare: 2 });
    expect(answerOf(b, bitstream)).toBe(answer);
    expect(plans.counts).toEqual({ all: 2, spare: 1 });
  });

  test('with one bit changed behave as if alone, and never use another’s plan', () => {
    const bitstream = baseBitstream();
    const { covered, crc } = landmarks(bitstream);
    const configured = Array.from({ length: crc - covered }, (_, k) => covered + k).filter(
      (at) => bitstream[at] !== 0,
    );
    const random = generator(41);
    const plans = new PlanStore();
    const host = hostOf(plans);
    const usual = answerOf(hostOf(plans), bitstream);
    const usualMemory = memoryOf(bitstream);
    let different = 0;
    const answers = Array.from({ length: 15 }, () => {
      const mutant = Uint8Array.from(bitstream);
      const at = configured[random(configured.length)] ?? covered;
      mutant[at] = (mutant[at] ?? 0) ^ (1 << random(8));
      const answer = answerOf(host, resealed(mutant));
      expect(answer).toBe(answerOf(hostOf(new PlanStore()), resealed(mutant)));
      // Besides that of the bitstream, which is in use all the time, unless the bit is outside the configuration.
      const differs = !sameConfiguration(memoryOf(resealed(mutant)), usualMemory);
      if (host.design) expect(plans.counts.all - plans.counts.spare).toBe(differs ? 2 : 1);
      different += Number(differs);
      return answer;
    });
    expect(answerOf(host, bitstream)).toBe(usual);
    expect(different).toBeGreaterThan(10);
    // Some of the bits make a difference that is seen.
    expect(answers.filter((answer) => answer !== usual).length).toBeGreaterThan(1);
  });
});
