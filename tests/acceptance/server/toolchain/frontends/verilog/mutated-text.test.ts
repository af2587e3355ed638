import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { systemClock } from '../../../../../../server/clock.ts';
import { BenchError } from '../../../../../../server/errors/bench-error.ts';
import { findGhdl } from '../../../../../../server/toolchain/frontends/vhdl/ghdl.ts';
import { SOAK } from '../../../../../support/soak.ts';
import {
  example,
  freshToolchain,
  record,
  requestOf,
} from '../../../../../support/toolchain/build/support.ts';

const { toolchain, dispose } = freshToolchain({ vhdlWithoutSandbox: () => true });
afterAll(dispose);

const SOURCES = ['echo.v', 'gpio.v', 'uart.v', 'timer.v'].map(example);
const PIECES = [
  '(',
  '{',
  'begin ',
  'if (1) ',
  'case (1) 1: ',
  '`ifdef A\n',
  '1 ? ',
  '~',
  '`',
  '"',
  '\\',
  '/*',
  '`define A `A\n',
  '\u00a0',
  'é',
  '\u0001',
  'endmodule ',
];

/** A change at a place, from 0 to 1 of the text. */
type Change = (text: string, at: number, other: number) => string;
const place = (text: string, at: number) => Math.floor(at * text.length);
const CHANGES: Change[] = [
  (text, at) => text.slice(0, place(text, at)),
  (text, at, other) => text.slice(0, place(text, at)) + text.slice(place(text, at) + Math.floor(other * 200)),
  (text, at, other) => text.slice(0, place(text, other)) + text.slice(place(text, at)),
  (text, at, other) => {
    const [a, b] = [place(text, Math.min(at, other)), place(text, Math.max(at, other))];
    return text.slice(b) + text.slice(a, b) + text.slice(0, a);
  },
];

/** Pieces that are inserted once or thousands of times. */
const insertions = (pieces: readonly string[]) =>
  pieces.flatMap((piece): Change[] => [
    (text, at) => text.slice(0, place(text, at)) + piece + text.slice(place(text, at)),
    (text, at, other) =>
      text.slice(0, place(text, at)) + piece.repeat(Math.floor(other * 10_000)) + text.slice(place(text, at)),
  ]);

const VHDL_SOURCES = [example('stopwatch.vhd')];
const VHDL_PIECES = [
  '(',
  'if a then ',
  'case x is when others => ',
  'process begin ',
  'not ',
  '& "a" ',
  "'",
  '"',
  '\\\\',
  '/*',
  '-- ',
  '16#',
  'end ',
  '; ',
  'é',
  '\u0001',
  'generate ',
  'x : entity work.stopwatch; ',
];

const unit = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const mutatedBy = (sources: readonly string[], pieces: readonly string[]) =>
  fc
    .tuple(
      fc.constantFrom(...sources),
      fc.array(fc.tuple(fc.constantFrom(...CHANGES, ...insertions(pieces)), unit, unit), {
        minLength: 1,
        maxLength: 4,
      }),
    )
    .map(([text, changes]) =>
      changes.reduce((now, [change, at, other]) => change(now, at, other), text).slice(0, 500_000),
    );

/** Maximum readable lines of a log; diagnostics of one shape are folded. */
const MAX_LINES = 2000;
/** Maximum memory of the service's process for it: the tools run in another one. */
const MAX_MEMORY_BYTES = 512 * 2 ** 20;
/** Seconds: those of a translation and of the parts of a scan together. */
const DEADLINE = 150;

async function expectVerdict(text: string, filename: string): Promise<void> {
  const context = record();
  const began = performance.now();
  try {
    const { matched, diagnostics } = await toolchain.scan(requestOf(text, filename), context);
    const [first] = diagnostics.filter(({ severity }) => severity === 'error');
    if (!matched) {
      expect(first?.code).toMatch(/^(?:design_|slang_error|yosys_error|ghdl_error|build_too_large)/);
      expect(first?.message).not.toMatch(/\bat .*\.[jt]s:\d+|node_modules|TOK_/);
    }
  } catch (error) {
    expect(error).toBeInstanceOf(BenchError);
    // With an empty or partly binary text; a crash without a line is not a valid answer.
    expect((error as BenchError).code).toMatch(
      /^(?:design_empty|design_binary|design_invalid|tool_deadline)$/,
    );
  }
  expect((performance.now() - began) / 1000).toBeLessThan(DEADLINE);
  expect(context.lines.length).toBeLessThan(MAX_LINES);
  expect(Math.max(0, ...context.lines.map(({ line }) => line.length))).toBeLessThan(10_000);
}

const ghdl = await findGhdl(systemClock);

const LANGUAGES: [language: string, filename: string, sources: string[], pieces: string[]][] = [
  ['Verilog', 'design.v', SOURCES, PIECES],
];
if (ghdl) LANGUAGES.push(['VHDL', 'design.vhd', VHDL_SOURCES, VHDL_PIECES]);
else process.stderr.write('GHDL is not installed: mutated designs in VHDL are not translated\n');

test.each(LANGUAGES)(
  'a scan of mutated %s returns a coded error or a result, never crashes, and bounds log and memory',
  async (_, filename, sources, pieces) => {
    const before = process.memoryUsage().rss;
    await fc.assert(
      fc.asyncProperty(mutatedBy(sources, pieces), (text) => expectVerdict(text, filename)),
      { numRuns: SOAK ? 2000 : 5 },
    );
    expect(process.memoryUsage().rss - before).toBeLessThan(MAX_MEMORY_BYTES);
    // The rest after it is scanned as usual.
    const { matched } = await toolchain.scan(requestOf(example('gpio.v'), 'gpio.v'), record());
    expect(matched?.module).toBe('gpio');
  },
  SOAK ? 24 * 3_600_000 : 240_000,
);
