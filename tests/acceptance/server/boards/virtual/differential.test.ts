import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadChipTable } from '../../../../../server/boards/virtual/chip/chip-table.ts';
import { CommandReader } from '../../../../../server/boards/virtual/configuration/command-reader.ts';
import { extractNetlist } from '../../../../../server/boards/virtual/netlist/extract.ts';
import { resourcePath } from '../../../../../server/paths.ts';
import { firstDifference, PIN_CONSTRAINTS, PINS } from '../../../../support/boards/virtual/drive.ts';
import { noticeWithoutIcarus, simulateInIcarus } from '../../../../support/boards/virtual/icarus.ts';
import { type Mutant, mutantsOf } from '../../../../support/boards/virtual/mutants.ts';
import { type RandomDesign, randomDesign } from '../../../../support/boards/virtual/random-design.ts';
import {
  closeTools,
  parseNetlist,
  placeAndRoute,
  synthesiseTogether,
  type YosysModule,
} from '../../../../support/boards/virtual/tools.ts';
import { netlistOf } from '../../../../support/boards/virtual/yosys-netlist.ts';
import { SOAK } from '../../../../support/soak.ts';

/** Random designs that are compared; WISHBENCH_FUZZ=200 for a longer run, WISHBENCH_FUZZ_SEED for others. */
const { WISHBENCH_FUZZ = '2', WISHBENCH_FUZZ_SEED = '1' } = process.env;
const COUNT = Number(WISHBENCH_FUZZ);
const FIRST_SEED = Number(WISHBENCH_FUZZ_SEED);
/** Number of these that also go through place and route and the bitstream. */
const PLACED = Math.ceil(COUNT / 6);
/** Designs that are synthesised together. */
const BATCH = 12;
/** Mutants of each design, more in `npm run soak`, and the part of them that has to be noticed. */
const MUTANTS = SOAK ? 12 : 8;
const SCORE = 0.6;
/** A design whose outputs take fewer values than this has got stuck, and shows little. */
const LIVELY = 500;

interface Compared extends RandomDesign {
  seed: number;
  expected: string[];
  module: YosysModule;
  netlist: Uint8Array;
  name: string;
}

describe.skipIf(noticeWithoutIcarus())('random designs, cycle by cycle against Icarus Verilog', () => {
  let designs: Compared[] = [];

  beforeAll(async () => {
    const chosen: Omit<Compared, 'module' | 'netlist' | 'name'>[] = [];
    for (let seed = FIRST_SEED; chosen.length < COUNT; seed++) {
      const design = randomDesign(seed);
      const expected = await simulateInIcarus(design.verilog);
      if (new Set(expected).size >= LIVELY) chosen.push({ ...design, seed, expected });
    }
    const batches = Array.from({ length: Math.ceil(COUNT / BATCH) }, (_, k) =>
      chosen.slice(k * BATCH, (k + 1) * BATCH),
    );
    for (const batch of batches) {
      const netlist = await synthesiseTogether(batch.map(({ verilog }) => verilog));
      const { modules } = parseNetlist(netlist);
      batch.forEach((design, k) => {
        const name = `d${k}`;
        const module = modules[name];
        if (!module) throw new Error(`Yosys has left out ${name}.`);
        designs.push({ ...design, name, netlist, module });
      });
    }
  }, 60_000 * COUNT);

  afterAll(async () => {
    designs = [];
    await closeTools();
  });

  // Designs that cannot be evaluated in words are evaluated in events in both cases.
  test.each(['events', 'words'] as const)(
    'from the synthesised netlist, in %s',
    (evaluation) => {
      const different = designs.flatMap(({ seed, features, module, expected }) => {
        const difference = firstDifference(netlistOf(module), expected, evaluation);
        return difference ? [{ seed, features, ...difference }] : [];
      });
      expect(different).toEqual([]);
    },
    600_000,
  );

  test('from the bitstream, after place and route', async () => {
    const table = loadChipTable(resourcePath('fabric', 'ice40-8k.table.br'));
    const different = [];
    for (const { seed, features, netlist, name, expected } of designs.slice(0, PLACED)) {
      const reader = new CommandReader();
      reader.push(await placeAndRoute(netlist, PIN_CONSTRAINTS, name));
      const pins = { package: 'ct256', clock: PINS.clk, inputs: PINS.in, outputs: PINS.out };
      const difference = firstDifference(extractNetlist(table, reader.memory, pins), expected);
      if (difference) different.push({ seed, features, ...difference });
    }
    expect(different).toEqual([]);
  }, 600_000);

  test('a single wrong bit in a look-up table is usually detected', () => {
    const mutants: Mutant[] = designs.flatMap(({ seed, module }) => mutantsOf(module, seed, MUTANTS));
    const expectedOf = new Map(designs.map(({ module, expected }) => [module, expected]));
    const noticed = mutants.filter(({ module, netlist }) => {
      try {
        return firstDifference(netlist, expectedOf.get(module) ?? []) !== null;
      } catch {
        return true; // it oscillates, which the design does not
      }
    });
    const score = noticed.length / mutants.length;
    process.stdout.write(
      `mutants noticed: ${noticed.length} of ${mutants.length} (${Math.round(100 * score)} %)\n`,
    );
    expect(mutants.length).toBeGreaterThan(COUNT * 2);
    expect(score).toBeGreaterThan(SCORE);
  }, 600_000);
});
