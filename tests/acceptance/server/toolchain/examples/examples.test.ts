import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Value } from 'typebox/value';
import { describe, expect, test } from 'vitest';
import { checkOf } from '../../../../../server/contract/check.ts';
import { ExampleEntry } from '../../../../../server/contract/designs/uploads.ts';
import { type BusStep, wordsOf } from '../../../../../server/contract/jobs/scripts.ts';
import { resourcePath } from '../../../../../server/paths.ts';
import { wrapDesign } from '../../../../../server/toolchain/build/wrap/wrap.ts';
import { exampleSource, loadExamples } from '../../../../../server/toolchain/examples.ts';
import { requireMatch } from '../../../../../server/toolchain/frontends/scan.ts';
import { isProjectName } from '../../../../../server/toolchain/intake/project.ts';
import { prepareSource } from '../../../../../server/toolchain/intake/source.ts';
import { readVhdlText, verilogOf } from '../../../../support/toolchain/frontends/vhdl/vhdl.ts';
import { hasGhdl, hasIcarus, simulate } from '../../../../support/toolchain/simulate.ts';
import { plainYosys, scanText } from '../../../../support/toolchain/support.ts';

const examples = loadExamples();

/** The Verilog of an example: VHDL is read as the bench does it. */
async function simulated(example: ExampleEntry): Promise<{ name: string; text: string }> {
  const text = exampleSource(example).toString();
  if (example.language !== 'vhdl') return { name: example.file, text };
  return {
    name: `${path.basename(example.file, '.vhd')}.v`,
    text: await verilogOf(await readVhdlText(text)),
  };
}

test('the index lists every file of the folder, and every folder as a project', () => {
  const files = readdirSync(resourcePath('examples'), { withFileTypes: true })
    .filter(({ name }) => name !== 'index.json')
    .map((entry) => (entry.isDirectory() ? `${entry.name}.zip` : entry.name));
  expect(examples.map(({ file }) => file).sort()).toEqual(files.sort());
});

const unchecked: { file: string }[] = JSON.parse(
  readFileSync(resourcePath('examples', 'index.json'), 'utf8'),
);

test.each(unchecked)('$file: its entry matches the schema', (entry) => {
  expect(Value.Errors(ExampleEntry, entry)).toEqual([]);
});

/** The transactions of an example: none of them repeats, waits or uses words that were read. */
const transactionsOf = ({ script }: ExampleEntry): BusStep[] =>
  script.steps.map((step) => (step.op === 'write' || step.op === 'read' ? step : expect.unreachable()));

test('an unpredictable word is null in the index, and any other placeholder is invalid', () => {
  const steps = examples.flatMap(transactionsOf);
  expect(steps.some((step) => step.op === 'read' && step.expect?.includes(null))).toBe(true);
  const isEntry = checkOf(ExampleEntry);
  const [entry] = examples;
  const expecting = (word: unknown) => ({
    ...entry,
    script: { steps: [{ op: 'read', address: 0, expect: [word] }] },
  });
  expect([null, 0, 0xffff_ffff].map((word) => isEntry(expecting(word)))).toEqual([true, true, true]);
  expect([undefined, '0', -1, 2 ** 32].some((word) => isEntry(expecting(word)))).toBe(false);
});

test.each(examples)('$file: its entry is complete', (example) => {
  expect(example.title.length).toBeGreaterThan(2);
  expect(example.shows).toMatch(/^[A-Z].{20,}\.$/);
  if (!isProjectName(example.file))
    expect(prepareSource(exampleSource(example), example.file)).toMatchObject({
      language: example.language,
      diagnostics: [],
      notes: [],
    });
  const steps = transactionsOf(example);
  expect(steps.some(({ op }) => op === 'write')).toBe(true);
  for (const step of steps) {
    expect(step.says).toBeTruthy();
    if (step.op === 'read') expect(step.expect === undefined).toBe(step.fails === true);
  }
});

test.each(examples)('$file: its map names the registers that its script uses', ({ file, map, script }) => {
  const addresses = map.registers.map(({ address }) => address);
  expect(new Set(addresses).size).toBe(addresses.length);
  expect(new Set(map.registers.map(({ name }) => name)).size).toBe(addresses.length);
  for (const step of transactionsOf({ script } as ExampleEntry)) {
    const refused = step.fails === true && !addresses.includes(step.address);
    // Its 512 words have two names.
    if (!refused && file !== 'echo.v') expect(addresses, step.says).toContain(step.address);
  }
  for (const { access, address } of map.registers)
    for (const step of transactionsOf({ script } as ExampleEntry))
      if (step.address === address && !step.fails)
        expect(access, step.says).not.toBe(step.op === 'write' ? 'ro' : 'wo');
});

const simulable = examples.filter(
  ({ file, language }) => language !== 'amaranth' && (language !== 'vhdl' || hasGhdl) && !isProjectName(file),
);

describe.skipIf(!hasIcarus)('with their wrapper, in Icarus', () => {
  test.each(simulable)('$file passes its script', async (example) => {
    const { name, text } = await simulated(example);
    const scan = await scanText(text, name);
    // Nobody sets the pins here: they are tied to their initial values.
    const wrapper = wrapDesign({ ...requireMatch(scan), pins: [] });
    const steps = transactionsOf(example);
    const answers = simulate({ [name]: text, 'wrapper.v': wrapper }, steps);
    for (const step of steps) {
      const words = answers.splice(0, step.op === 'write' ? step.data.length : wordsOf(step));
      if (step.fails)
        expect(
          words.some(({ ok }) => !ok),
          step.says,
        ).toBe(true);
      else {
        expect(
          words.every(({ ok }) => ok),
          step.says,
        ).toBe(true);
        const wanted = step.op === 'read' ? step.expect : undefined;
        const read = words.map(({ word }, at) => (wanted?.[at] === null ? null : word));
        if (wanted) expect(read, step.says).toEqual(wanted);
      }
    }
    expect(answers).toEqual([]);
  });
});

test('the echo example becomes block RAM', async () => {
  const example = examples.find(({ file }) => file === 'echo.v')!;
  const { files } = await plainYosys.run({
    tool: 'yosys',
    args: ['-q', '-p', 'read_verilog echo.v; synth_ice40 -top echo; tee -q -o stat.txt stat'],
    files: { 'echo.v': exampleSource(example) },
    outputs: ['stat.txt'],
    deadline: 60,
    onLine: () => {},
  });
  // 512 words of 32 bits are four blocks of 4096 bits.
  expect(Buffer.from(files['stat.txt']!).toString()).toMatch(/(?:SB_RAM40_4K\s+4|\b4\s+SB_RAM40_4K)\s/);
});
