import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Value } from 'typebox/value';
import { describe, expect, test } from 'vitest';
import { checkOf } from '../../../server/contract/check.ts';
import { ExampleEntry } from '../../../server/contract/designs.ts';
import { resourcePath } from '../../../server/paths.ts';
import { exampleSource, loadExamples } from '../../../server/toolchain/examples.ts';
import { lacksDefaults, withDefaults } from '../../../server/toolchain/frontend/ghdl-case-default.ts';
import { requireMatch } from '../../../server/toolchain/scan/scan.ts';
import { prepareSource } from '../../../server/toolchain/scan/source.ts';
import { wrapDesign } from '../../../server/toolchain/wrap/wrap.ts';
import { hasGhdl, hasIcarus, simulate } from '../simulate.ts';
import { plainYosys, scanText } from '../support.ts';

const examples = loadExamples();

/** The Verilog of an example: VHDL is translated by ghdl as the bench does it. */
function verilogOf(example: ExampleEntry): { name: string; text: string } {
  if (example.language !== 'vhdl') return { name: example.file, text: exampleSource(example).toString() };
  const file = resourcePath('examples', example.file);
  const entity = path.basename(example.file, '.vhd');
  const ghdl = (out: string) =>
    execFileSync('ghdl', ['--synth', '--std=08', `--out=${out}`, file, '-e', entity], {
      encoding: 'utf8',
      stdio: 'pipe',
      cwd: tmpdir(),
    });
  const verilog = ghdl('verilog');
  const text = lacksDefaults(verilog) ? withDefaults(verilog, ghdl('vhdl')) : verilog;
  return { name: `${entity}.v`, text: text ?? expect.unreachable() };
}

test('the index lists every file of the folder', () => {
  const files = readdirSync(resourcePath('examples')).filter((name) => name !== 'index.json');
  expect(examples.map(({ file }) => file).sort()).toEqual(files.sort());
});

const unchecked: { file: string }[] = JSON.parse(
  readFileSync(resourcePath('examples', 'index.json'), 'utf8'),
);

test.each(unchecked)('$file: its entry is what the schema says', (entry) => {
  expect(Value.Errors(ExampleEntry, entry)).toEqual([]);
});

test('an answer that nobody can foretell is said as null, and any other gap is none', () => {
  const steps = examples.flatMap((example) => example.try);
  expect(steps.some((step) => step.expect?.includes(null))).toBe(true);
  const isEntry = checkOf(ExampleEntry);
  const [entry] = examples;
  const expecting = (word: unknown) => ({ ...entry, try: [{ says: '', op: 2, address: 0, expect: [word] }] });
  expect([null, 0, 0xffff_ffff].map((word) => isEntry(expecting(word)))).toEqual([true, true, true]);
  expect([undefined, '0', -1, 2 ** 32].some((word) => isEntry(expecting(word)))).toBe(false);
});

test.each(examples)('$file: its entry is complete', (example) => {
  expect(example.title.length).toBeGreaterThan(2);
  expect(prepareSource(exampleSource(example), example.file)).toMatchObject({
    language: example.language,
    diagnostics: [],
    notes: [],
  });
  expect(example.try.some(({ op }) => op === 1)).toBe(true);
  for (const step of example.try) {
    expect(step.address % 4).toBe(0);
    if (step.op === 1) expect(step.data?.length).toBeGreaterThan(0);
    else if (step.fails) expect(step.expect).toBeUndefined();
    else expect(step.expect).toHaveLength(step.count ?? 1);
  }
});

const simulable = examples.filter(
  ({ language }) => language !== 'amaranth' && (language !== 'vhdl' || hasGhdl),
);

describe.skipIf(!hasIcarus)('behind its wrapper, in Icarus', () => {
  test.each(simulable)('$file does what its entry says', async (example) => {
    const { name, text } = verilogOf(example);
    const scan = await scanText(text, name);
    const wrapper = wrapDesign(requireMatch(scan));
    const answers = simulate({ [name]: text, 'wrapper.v': wrapper }, example.try);
    for (const step of example.try) {
      const words = answers.splice(0, step.op === 1 ? step.data!.length : (step.count ?? 1));
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
        const read = words.map(({ word }, at) => (step.expect?.[at] === null ? null : word));
        if (step.expect) expect(read, step.says).toEqual(step.expect);
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
