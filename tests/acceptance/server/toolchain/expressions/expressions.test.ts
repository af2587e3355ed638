import { describe, expect, test } from 'vitest';
import { seeded } from '../../../../support/seeded.ts';
import { everyNth } from '../../../../support/soak.ts';
import {
  designOf,
  inputsOf,
  type Trial,
  wrongWords,
} from '../../../../support/toolchain/expressions/bench.ts';
import {
  type Expression,
  ExpressionMaker,
  INPUT_WIDTH,
  type Operand,
} from '../../../../support/toolchain/expressions/expression.ts';
import { minimised } from '../../../../support/toolchain/expressions/minimise.ts';
import { hasIcarus } from '../../../../support/toolchain/simulate.ts';
import { plainYosys } from '../../../../support/toolchain/support.ts';

/** Number of random expressions, and of expressions per design; `npm run soak` tries 20,000. */
const COUNT = Number(process.env['WISHBENCH_EXPRESSIONS'] ?? 40);
const IN_ONE = Math.min(COUNT, 250);
const FIRST_SEED = Number(process.env['WISHBENCH_EXPRESSION_SEED'] ?? 1);
const LEVELS = 3;
/** One design in so many uses cells of the part, which takes as long as ten of the others. */
const CELLS_EACH = 20;

/** Boards with multipliers are tried without products, because Yosys lacks some of their models. */
const BOARDS = ['virtual-hx8k'];
const WITH_MULTIPLIERS = ['icebreaker', 'ulx3s-25f', 'tang-nano-9k'];

/** Operands of chosen types. */
const operandsOf = (types: Record<string, string>): Operand[] =>
  Object.entries(types).map(([name, type], at) => {
    const width = Number(/\[(\d+):0\]/.exec(type)?.[1] ?? 0) + 1;
    return {
      ...{ name, width, range: [width - 1, 0] },
      declaration: `wire ${type} ${name} = in[${at * INPUT_WIDTH} +: ${width}];`,
    };
  });

const TYPES = {
  ...{ a: 'signed [7:0]', b: '[7:0]', c: 'signed [31:0]', d: '[39:0]' },
  ...{ n: '[1:0]', s: 'signed [2:0]', m: '[3:0]', z: '' },
};

const trialOf = (operands: readonly Operand[], seed: number, how: Partial<Trial> = {}): Trial => ({
  ...{ engine: plainYosys, board: 'virtual-hx8k', depth: 'words', filename: 'design.v', operands },
  inputs: inputsOf(seeded(seed), operands.length, 64),
  ...how,
});

const form = (text: string, ...parts: Expression[]): Expression => ({ kind: 'form', text, parts });

/** The wrong words of expressions, as one would report them. */
async function wrongOf(
  expressions: readonly (string | Expression)[],
  how: Partial<Trial> = {},
): Promise<string[]> {
  const all = expressions.map((one) => (typeof one === 'string' ? form(one) : one));
  const wrong = await wrongWords(trialOf(operandsOf(TYPES), 1, how), all);
  return wrong.map(
    ({ at, input, meant, got }) => `${JSON.stringify(expressions[at])}: ${meant}, got ${got}, for ${input}`,
  );
}

const SHIFTS = [
  ...['a >> (1 + n)', 'a >> (n + 2)', 'c >> (1 + n)', 'c >> (4 + m)', 's >> (n + 1)', 'a >> (m - 1)'],
  ...['$signed(b) >> (1 + n)', 'a >>> (1 + n)', 'a << (1 + n)', '{a >> (1 + n)}', '(a >> (2 + n)) + c'],
  ...['$unsigned(a) >> (1 + n)', 'a >> s', 'a >> (m * 2)', 'c[m +: 8]', 'c[m + 1 +: 8]'],
];

const POWERS = [
  // Icarus 11 gives 0 for -1 to a negative power: none of those.
  ...['b ** 2', 'a ** 3', 's ** n', 'a ** 0', '2 ** m', '2 ** s', "3'sd3 ** n", '(-1) ** n', 'm ** n'],
];

const QUOTIENTS = [
  "s / 1'sb1",
  "a / 1'sb1",
  'a / (-4)',
  'a % (-4)',
  "a / 3'sb100",
  "c % 3'sb100",
  'a / s',
  'a % s',
];

/** A signed number of one to five bits and a constant, compared on either side. */
const COMPARISONS = [1, 2, 3, 4, 5].flatMap((width) =>
  ['<', '<=', '>', '>='].flatMap((operator) =>
    [-9, -8, -3, -2, -1, 0, 2].flatMap((constant) => {
      const variable = `$signed(b[${width - 1}:0])`;
      return [`${variable} ${operator} ${constant}`, `${constant} ${operator} ${variable}`];
    }),
  ),
);
const negated = (bits: string): Expression => ({
  ...{ kind: 'through', way: 'net', signed: true, width: 3 },
  parts: [form(`-$signed(${bits})`)],
});
const NEGATIONS = [form('-$1', negated('b[2:0]')), form('$signed(b[3:0]) - $1', negated('b[3:1]'))];

describe.skipIf(!hasIcarus)('expressions evaluate as in Icarus Verilog', () => {
  test.each(BOARDS)('shifts by sums, powers and quotients, for %s', async (board) => {
    expect(await wrongOf([...SHIFTS, ...POWERS, ...QUOTIENTS], { board })).toEqual([]);
  });

  test.each(everyNth(3, WITH_MULTIPLIERS))('shifts by sums, and quotients, for %s', async (board) => {
    expect(
      await wrongOf(
        [...SHIFTS, ...QUOTIENTS].filter((text) => !text.includes('*')),
        { board },
      ),
    ).toEqual([]);
  });

  test('comparisons with constants, and negations of narrower numbers, as cells of the part', async () => {
    const beyond = ["b <= 16'h8000", "n >= 4'd9"];
    const all = [...beyond, ...NEGATIONS, ...everyNth(3, COMPARISONS)];
    expect(await wrongOf(all, { depth: 'cells' })).toEqual([]);
  });

  test('an argument of a function with a computed constant in it', async () => {
    const expression: Expression = {
      ...{ kind: 'through', way: 'function', signed: false, width: 3 },
      parts: [form("((-1'sd1) ^ z)")],
    };
    expect(await wrongOf([expression])).toEqual([]);
  });

  test(`${COUNT} random ones`, async () => {
    const found: string[] = [];
    for (let made = 0, design = 0; made < COUNT; made += IN_ONE, design++) {
      const seed = FIRST_SEED + design;
      const random = seeded(seed);
      const maker = new ExpressionMaker(random);
      const expressions = Array.from({ length: IN_ONE }, () => maker.make(LEVELS));
      const trial = trialOf(maker.operands, seed, {
        board: BOARDS[design % BOARDS.length] as string,
        depth: design % CELLS_EACH === CELLS_EACH - 1 ? 'cells' : 'words',
      });
      for (const { at } of await wrongWords(trial, expressions)) {
        const least = await minimised(trial, expressions[at] as Expression);
        const text = designOf(maker.operands, least ? [least.expression] : expressions);
        found.push(`seed ${seed}, expression ${at}:\n${text}\n${JSON.stringify(least?.wrong)}`);
      }
    }
    expect(found).toEqual([]);
  });
});
