import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { evaluate, type Scope, Unknown } from '../../../server/toolchain/scan/constant/evaluate.ts';
import { Reader } from '../../../server/toolchain/scan/constant/expression.ts';
import { Interpreter } from '../../../server/toolchain/scan/constant/interpreter.ts';
import { functionAt } from '../../../server/toolchain/scan/constant/statements.ts';
import { joined } from '../../../server/toolchain/scan/constant/tokens.ts';
import { type Value, value } from '../../../server/toolchain/scan/constant/value.ts';
import { piecesOf } from '../../../server/toolchain/scan/outline-lexer.ts';
import { plainYosys } from '../support.ts';

const SOAK = process.env['WISHBENCH_SOAK'] === '1';

const tokensOf = (text: string) => joined(piecesOf(text));
const NAMES: Readonly<Record<string, Value>> = {
  P: value(13n, 32, true),
  Q: value(-5n, 32, true),
  R: value(0xa5n, 8, false),
  S: value(-3n, 4, true),
};
const CONSTANTS = `localparam integer P = 13; localparam integer Q = -5;
  localparam [7:0] R = 8'ha5; localparam signed [3:0] S = -4'sd3;`;

const noCalls: Scope = {
  get: (name) => NAMES[name] ?? null,
  call() {
    throw new Unknown();
  },
  result: () => null,
};

/** As the bits of a wire of that many bits; null where the reader cannot tell. */
function told(text: string, width: number, scope: Scope = noCalls): string | null {
  const reader = new Reader(tokensOf(text));
  const expression = reader.expression();
  expect(reader.at, text).toBe(reader.tokens.length);
  try {
    const { bits, width: wide, signed } = evaluate(expression, scope, width);
    return BigInt.asUintN(width, signed ? BigInt.asIntN(wide, bits) : bits)
      .toString(2)
      .padStart(width, '0');
  } catch (error) {
    if (error instanceof Unknown) return null;
    throw error;
  }
}

/** What Yosys makes of them: the bits that each wire of that many is connected with. */
async function yosysSays(texts: readonly string[], width: number, before = ''): Promise<(string | null)[]> {
  const wires = texts.map((text, at) => `  wire [${width - 1}:0] y${at} = ${text};`);
  const source = `module m;\n${CONSTANTS}\n${before}\n${wires.join('\n')}\nendmodule\n`;
  const { files } = await plainYosys.run({
    tool: 'yosys',
    args: ['-q', '-p', 'read_verilog -sv m.sv; write_rtlil m.il'],
    files: { 'm.sv': source },
    outputs: ['m.il'],
    deadline: 60,
    onLine() {},
  });
  const lines = new TextDecoder().decode(files['m.il']).split('\n');
  const connected = new Map<string, string>();
  for (const line of lines) {
    const [, name, bits, plain] = /^ {2}connect \\(\w+) (?:\d+'([01xz-]+)|(-?\d+))$/.exec(line) ?? [];
    const said = bits ?? (plain && BigInt.asUintN(32, BigInt(plain)).toString(2));
    if (name !== undefined && said !== undefined) connected.set(name, said);
  }
  return texts.map((_, at) => connected.get(`y${at}`)?.padStart(width, '0') ?? null);
}

const leaf = fc.oneof(
  fc.constantFrom('P', 'Q', 'R', 'S', 'R[5]', 'R[6:2]', 'P[3:0]'),
  fc.integer({ min: 0, max: 40 }).map(String),
  fc
    .tuple(fc.integer({ min: 1, max: 40 }), fc.boolean(), fc.bigInt({ min: 0n, max: 255n }))
    .map(
      ([width, signed, bits]) => `${width}'${signed ? 's' : ''}h${BigInt.asUintN(width, bits).toString(16)}`,
    ),
);
const { expression } = fc.letrec<{ expression: string }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    leaf,
    fc
      .tuple(
        tie('expression'),
        fc.constantFrom(...'+ - * / % & | ^ ~^ << >> <<< >>> == != === < <= > >= && ||'.split(' ')),
        tie('expression'),
      )
      .map(([a, operator, b]) => `(${a} ${operator} ${b})`),
    fc
      .tuple(fc.constantFrom('-', '+', '~', '!', '&', '|', '^', '~&', '~|', '~^'), tie('expression'))
      .map(([operator, of]) => `(${operator} ${of})`),
    fc
      .tuple(tie('expression'), tie('expression'), tie('expression'))
      .map(([of, a, b]) => `(${of} ? ${a} : ${b})`),
    fc.tuple(tie('expression'), tie('expression')).map(([a, b]) => `{${a}, ${b}}`),
    fc.tuple(fc.integer({ min: 1, max: 3 }), tie('expression')).map(([times, of]) => `{${times}{${of}}}`),
    tie('expression').map((of) => `$clog2(${of})`),
    tie('expression').map((of) => `$signed(${of})`),
    tie('expression').map((of) => `$unsigned(${of})`),
    fc.tuple(tie('expression'), fc.integer({ min: 0, max: 4 })).map(([of, by]) => `(${of} ** ${by})`),
  ),
}));

describe('constant expressions are what Yosys says they are', () => {
  test('of any kind, or not told', async () => {
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(expression, { minLength: 40, maxLength: 40 }),
        fc.constantFrom(1, 8, 32, 48),
        async (texts, width) => {
          const says = await yosysSays(texts, width);
          for (const [at, text] of texts.entries()) {
            const own = told(text, width);
            if (own === null) continue;
            expect(`${text} = ${own}`).toBe(`${text} = ${says[at]}`);
            compared++;
          }
        },
      ),
      { numRuns: SOAK ? 500 : 10 },
    );
    expect(compared).toBeGreaterThan(100);
  }, 600_000);

  test.each([
    ['1 / 0', null],
    ['P % 0', null],
    ["4'bx01 + 1", null],
    ['3.5 * 2', null],
    ['2 ** 40', null],
    ['nowhere', null],
    ['$time', null],
  ])('%s is not told, or is what it is', (text, expected) => {
    const tokens = tokensOf(text);
    let own: string | null = null;
    try {
      own = told(text, 8);
    } catch {
      expect(tokens.length).toBeGreaterThan(0);
    }
    if (expected === null && text !== '2 ** 40') expect(own).toBeNull();
  });
});

const FUNCTIONS = `
  function integer log2(input integer n); integer i;
    begin log2 = 0; for (i = n - 1; i > 0; i = i >> 1) log2 = log2 + 1; end
  endfunction
  function automatic [15:0] fact; input [7:0] n;
    if (n <= 1) fact = 1; else fact = n * fact(n - 1);
  endfunction
  function automatic integer fib(input integer n);
    fib = n < 2 ? n : fib(n - 1) + fib(n - 2);
  endfunction
  function [7:0] swap(input [7:0] a); integer k;
    begin swap = 0; k = 0; while (k < 8) begin swap[k] = a[7 - k]; k = k + 1; end end
  endfunction
  function signed [7:0] kind(input integer n);
    case (n % 4) 0: kind = -1; 1, 2: kind = n * 3; default: begin kind = 7; kind = kind + fib(3); end endcase
  endfunction
  function [3:0] wrap(input [31:0] n); reg [2:0] r;
    begin r = 0; repeat (n) r = r + 3; wrap = r; end
  endfunction`;

describe('constant functions are what Yosys says they are', () => {
  const functions = new Map(
    FUNCTIONS.split(/\bfunction\b/)
      .slice(1)
      .flatMap((text) => {
        const read = functionAt(tokensOf(text), 0);
        return read ? [[read.name, read] as const] : [];
      }),
  );

  test('each of them is understood', () => {
    expect([...functions.keys()]).toEqual(['log2', 'fact', 'fib', 'swap', 'kind', 'wrap']);
  });

  test('with any arguments', async () => {
    const call = fc
      .tuple(
        fc.constantFrom(...functions.keys()),
        fc.integer({ min: 0, max: 9 }),
        fc.constantFrom('', 'P', 'R[3:1]'),
      )
      .map(([name, number, more]) => (more === '' ? `${name}(${number})` : `${name}(${more}) + ${number}`));
    await fc.assert(
      fc.asyncProperty(fc.array(call, { minLength: 20, maxLength: 20 }), async (texts) => {
        const says = await yosysSays(texts, 20, FUNCTIONS);
        const bounds = { passes: 1000, depth: 100, statements: 10_000, work: { left: 1e6 } };
        const own = new Interpreter(functions, (name) => NAMES[name] ?? null, bounds);
        for (const [at, text] of texts.entries())
          expect(`${text} = ${told(text, 20, own)}`).toBe(`${text} = ${says[at]}`);
      }),
      { numRuns: SOAK ? 100 : 4 },
    );
  }, 600_000);
});
