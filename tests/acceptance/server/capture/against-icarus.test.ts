import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { Recorder } from '../../../../server/boards/virtual/runtime/recorder.ts';
import { requestedSignals } from '../../../../server/capture/requested-signals.ts';
import { BenchError } from '../../../../server/errors/bench-error.ts';
import { type DesignSignal, SymbolTable } from '../../../../server/symbols/symbols.ts';
import { readFrame, writeFrame } from '../../../support/boards/virtual/bridge.ts';
import { keepBuilt } from '../../../support/built.ts';
import {
  type BuiltExample,
  buildAll,
  exampleSource,
  hasIcarus,
  isPlain,
  lineOf,
  machineOf,
  simulateSources,
} from '../../../support/capture/support.ts';
import { seeded } from '../../../support/seeded.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

if (!hasIcarus) process.stderr.write('skipped: Icarus Verilog (iverilog) is not installed\n');

/** Examples that are compared; WISHBENCH_FUZZ=200 compares all that are Verilog. */
const EXAMPLES = ['timer.v', 'fifo.v'];
const MORE = ['echo.v', 'gpio.v', 'pwm.v', 'random.v', 'divider.v', 'uart.v', 'guarded.v', 'crc32.sv'];
const INITIAL_VALUES = 'initial_values.v';
const examplesOf = Number(process.env['WISHBENCH_FUZZ'] ?? 1) >= 100 ? [...EXAMPLES, ...MORE] : EXAMPLES;
const files = [...examplesOf, INITIAL_VALUES];
const support = new URL('../../../support/capture/', import.meta.url);
const initialValues = readFileSync(new URL(INITIAL_VALUES, support), 'utf8');

/** Accesses of the first few words, as bytes on the line. */
function traffic(seed: number): number[] {
  const next = seeded(seed);
  const random = (below: number) => Math.floor(next() * below);
  const bytes: number[] = [];
  for (let k = 0; k < 12; k++) {
    const address = random(6);
    const count = 1 + random(2);
    if (random(3) > 0)
      bytes.push(
        ...writeFrame(
          address,
          Uint32Array.from({ length: count }, () => random(1 << 30) >> random(28)),
        ),
      );
    else bytes.push(...readFrame(address, count));
  }
  return bytes;
}

describe.skipIf(!hasIcarus)('captures from the bitstream against Icarus with the source', () => {
  let examples: BuiltExample[] = [];

  beforeAll(async () => {
    const dataDir = temporaryFolder('capture');
    await keepBuilt(dataDir, [...examplesOf, { filename: INITIAL_VALUES, source: initialValues }]);
    examples = await buildAll(
      [...examplesOf.map(exampleSource), { file: INITIAL_VALUES, source: initialValues }],
      dataDir,
    );
  });

  test.each(files.map((file, index) => ({ file, index })))(
    '$file: every remaining signal, bit by bit and clock by clock',
    async ({ index }) => {
      const example = examples[index]!;
      const line = lineOf(traffic(index + 1));
      const { signals, bus } = example.symbols;
      const inTop = ({ name }: DesignSignal) =>
        name.startsWith('bus.') ? name.replace('bus.', 'wb_') : `user.user.${name}`;
      const probe = machineOf(example.built.bitstream);
      const seen = [...bus, ...signals].filter(({ name, places }) => {
        const left = places.filter((place) => place !== null);
        return isPlain(name) && left.length > 0 && probe.unknown(left).length === 0;
      });
      const expected = await simulateSources(example, line, seen.map(inTop));
      expect(expected).toHaveLength(line.length);

      let compared = 0;
      const wrong: string[] = [];
      for (let at = 0; at < seen.length; ) {
        const part: DesignSignal[] = [];
        for (let bits = 0; at < seen.length; at++) {
          bits += seen[at]!.places.length;
          if (bits > 256) break;
          part.push(seen[at]!);
        }
        const places = part.flatMap((signal) => signal.places.map((place) => place ?? '0'));
        const machine = machineOf(example.built.bitstream);
        const recorder = new Recorder(machine, {
          places,
          kept: places.length,
          depth: line.length,
          position: 0,
          every: 1,
          trigger: null,
          pause: false,
        });
        line.forEach((level, clock) => {
          machine.setInput(0, level);
          recorder.run(clock, 1);
        });
        const { samples, words, count } = recorder.result();
        expect(count).toBe(line.length);
        for (let clock = 0; clock < count; clock++) {
          let bit = 0;
          for (const { name, places: own } of part) {
            const digits = expected[clock]![seen.findIndex((one) => one.name === name)]!;
            for (let k = 0; k < own.length; k++, bit++) {
              const want = digits[digits.length - 1 - k];
              if (own[k] === null || want === 'x' || want === 'z') continue;
              compared++;
              const got = (samples[clock * words + (bit >> 5)]! >>> (bit & 31)) & 1;
              if (String(got) !== want) wrong.push(`${name}[${k}] at ${clock}: ${got}, not ${want}`);
            }
          }
        }
      }
      expect(wrong.slice(0, 10)).toEqual([]);
      expect(compared).toBeGreaterThan(100 * line.length);
    },
  );

  test('a register with initial value 1 has all its names and bits, as has each word of an array', () => {
    const { symbols } = examples[files.indexOf(INITIAL_VALUES)]!;
    const whole = symbols.signals.filter(({ places }) => !places.includes(null));
    expect(whole.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['ascending', 'check.enable', 'check.value', 'dark', 'dat_r', 'led', 'mixed']),
    );
    for (const name of ['led', 'mixed', 'ascending', 'bank[1]', 'bank[2]', 'bank[3]'])
      expect(whole.find((signal) => signal.name === name)).toMatchObject({ kind: 'register' });
  });

  test('lists source registers by name with their line; rejects unknown names with the nearest match', () => {
    const table = new SymbolTable(examples[0]!.symbols);
    const count = table.find('count')!;
    expect(count.signal).toMatchObject({ kind: 'register', file: 'timer.v' });
    expect(count.places).toHaveLength(32);
    expect(count.places.every((place) => /^x\d+y\d+\/lc\d$/.test(place ?? ''))).toBe(true);
    const declared = examples[0]!.source.split('\n').findIndex((text) => text.includes('reg [31:0] count'));
    expect(count.signal.line).toBe(declared + 1);
    expect(table.find('count[7:4]')!.places).toEqual(count.places.slice(4, 8));
    expect(table.find('bus.adr')!.signal.kind).toBe('register');
    expect(() => requestedSignals(table, ['coumt'])).toThrow(BenchError);
    expect(() => requestedSignals(table, ['coumt'])).toThrow(/coumt.*Did you mean count\?/);
  });
});
