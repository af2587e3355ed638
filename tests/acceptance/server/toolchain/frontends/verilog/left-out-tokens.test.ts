import { expect, test } from 'vitest';
import {
  type SourcePieces,
  sourcePieces,
} from '../../../../../../server/toolchain/languages/verilog/source-pieces.ts';
import { everyNth } from '../../../../../support/soak.ts';
import { example } from '../../../../../support/toolchain/build/support.ts';
import { scanText } from '../../../../../support/toolchain/support.ts';

const SOURCES = ['gpio.v', 'timer.v', 'echo.v', 'uart.v', 'fifo.v', 'guarded.v', 'pwm.v', 'divider.v'];

/** One piece of an example, and the text without it. */
interface LeftOut {
  file: string;
  piece: string;
  line: number;
  /** The lines before and after it: it belongs between them. */
  between: [number, number];
  source: string;
}

const WANTED = new Set([
  ';',
  ')',
  '(',
  ']',
  'end',
  'endcase',
  'endmodule',
  'endfunction',
  'begin',
  ',',
  '=',
  ':',
]);

const allOf = (file: string, { text, pieces, lines }: SourcePieces): LeftOut[] =>
  pieces.flatMap(({ start, end, text: piece }, at) =>
    WANTED.has(piece)
      ? [
          {
            file,
            piece,
            line: lines[at] ?? 0,
            between: [lines[at - 1] ?? 1, lines[at + 1] ?? text.split('\n').length],
            source: text.slice(0, start) + text.slice(end),
          },
        ]
      : [],
  );

/** These texts have a second valid reading: blocks within blocks. */
const OPEN = new Set(['uart.v:79 end', 'uart.v:93 begin']);

const EXCLUDED = SOURCES.flatMap((file) => allOf(file, sourcePieces(example(file)))).filter(
  ({ file, line, piece }) => !OPEN.has(`${file}:${line} ${piece}`),
);

/** Why the diagnostic of a source with a missing piece does not help; null if it does. */
async function unhelpful({ file, piece, line, between, source }: LeftOut): Promise<string | null> {
  const { diagnostics } = await scanText(source, 'design.v');
  const error = diagnostics.find(({ severity }) => severity === 'error');
  // Without it the text is another valid one, or wrong in its meaning only.
  if (error?.code !== 'yosys_error' || !error.message.startsWith('syntax error')) return null;
  const [from, to] = [Math.min(between[0], line - 1), Math.max(between[1], line + 1)];
  const right = error.line !== undefined && error.line >= from && error.line <= to;
  const plain = !/TOK_|OP_|ATTR_|unexpected (?:a name|a number)/.test(error.message);
  return right && plain ? null : `${file}:${line}: without \`${piece}\`: ${error.line}: ${error.message}`;
}

test('reports a missing token at its line in plain words', async () => {
  expect(EXCLUDED.length).toBeGreaterThan(1000);
  const otherwise: string[] = [];
  for (const one of everyNth(101, EXCLUDED)) {
    const why = await unhelpful(one);
    if (why !== null) otherwise.push(why);
  }
  expect(otherwise).toEqual([]);
}, 3_600_000);
