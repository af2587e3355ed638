import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { BenchError } from '../../../server/errors/bench-error.ts';
import { example, freshToolchain, record, requestOf } from '../pipeline/support.ts';

const SOAK = process.env['WISHBENCH_SOAK'] === '1';
const { toolchain, dispose } = freshToolchain({ engine: 'embedded' });
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
  ...PIECES.flatMap((piece): Change[] => [
    (text, at) => text.slice(0, place(text, at)) + piece + text.slice(place(text, at)),
    (text, at, other) =>
      text.slice(0, place(text, at)) + piece.repeat(Math.floor(other * 10_000)) + text.slice(place(text, at)),
  ]),
];

const unit = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const mutated = fc
  .tuple(
    fc.constantFrom(...SOURCES),
    fc.array(fc.tuple(fc.constantFrom(...CHANGES), unit, unit), { minLength: 1, maxLength: 4 }),
  )
  .map(([text, changes]) =>
    changes.reduce((now, [change, at, other]) => change(now, at, other), text).slice(0, 500_000),
  );

test(
  'a scan of mutated sources ends with an answer that has a code, and never with a crash',
  async () => {
    await fc.assert(
      fc.asyncProperty(mutated, async (text) => {
        try {
          const { matched, diagnostics } = await toolchain.scan(requestOf(text), record());
          if (matched) return;
          const [first] = diagnostics.filter(({ severity }) => severity === 'error');
          expect(first?.code).toMatch(/^(?:design_|yosys_error|build_too_large)/);
          expect(first?.message).not.toMatch(/\bat .*\.[jt]s:\d+|node_modules/);
        } catch (error) {
          expect(error).toBeInstanceOf(BenchError);
          // Where nothing is left to read, or a part of it is binary; a crash without a line is none of the answers.
          expect((error as BenchError).code).toMatch(/^(?:design_empty|design_binary|tool_deadline)$/);
        }
      }),
      { numRuns: SOAK ? 2000 : 15 },
    );
  },
  SOAK ? 24 * 3_600_000 : 180_000,
);
