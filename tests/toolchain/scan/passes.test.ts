import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { longBelow } from '../../../server/toolchain/scan/constant/computations.ts';
import { modulesOf } from '../../../server/toolchain/scan/constant/modules.ts';
import { loopsOf } from '../../../server/toolchain/scan/loops.ts';
import { plainYosys } from '../support.ts';

const SOAK = process.env['WISHBENCH_SOAK'] === '1';
/** Passes to which the loops that Yosys reads are bounded, so that it ends. */
const MOST = 60;

/** The RTLIL that Yosys makes of a source. */
async function rtlilOf(source: string, then = ''): Promise<string> {
  const { files } = await plainYosys.run({
    tool: 'yosys',
    args: ['-q', '-p', `read_verilog -sv m.sv; ${then} write_rtlil m.il`],
    files: { 'm.sv': source },
    outputs: ['m.il'],
    deadline: 60,
    onLine() {},
  });
  return new TextDecoder().decode(files['m.il']);
}

const CONSTANTS = `  localparam integer P = 13; localparam signed [3:0] S = -3; localparam [7:0] R = 8'ha5;
  localparam [3:0] CUT = 1000000;`;

const number = fc.oneof(
  fc.integer({ min: -40, max: 40 }).map(String),
  fc.constantFrom('P', 'S', 'R', 'CUT', 'P - 1', 'R / 4', '~P', '1 << 31', '1 << 32', "'hffffffff"),
  fc
    .tuple(fc.integer({ min: 2, max: 6 }), fc.nat(63), fc.boolean())
    .map(([width, bits, signed]) => `${width}'${signed ? 's' : ''}d${bits % 2 ** width}`),
);
const loop = fc.record({
  type: fc.oneof(
    fc.constantFrom('integer', 'reg [31:0]', 'byte'),
    fc
      .tuple(fc.integer({ min: 0, max: 7 }), fc.boolean())
      .map(([high, signed]) => `reg ${signed ? 'signed ' : ''}[${high}:0]`),
  ),
  start: number,
  operator: fc.constantFrom('<', '<=', '>', '>='),
  end: number,
  turned: fc.boolean(),
  step: fc.oneof(
    fc
      .integer({ min: 0, max: 5 })
      .chain((by) =>
        fc.constantFrom(`i = i + ${by}`, `i = i - ${by}`, `i += ${by}`, `i -= ${by}`, `i = ${by} + i`),
      ),
    fc.constantFrom('i++', '--i', 'i = i - S', "i = i + 4'd15", 'i = i * 2', 'i = i ^ 1', 'i = i >> 1'),
  ),
});

describe('passes that are told are those of Yosys', () => {
  test('of loops with variables, bounds and steps of any width and sign', async () => {
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(loop, { minLength: 30, maxLength: 30 }), async (loops) => {
        const text = (more: string) =>
          loops
            .map(({ type, start, operator, end, turned, step }, at) => {
              const other = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' }[operator];
              const condition = turned ? `(${end}) ${other} i` : `i ${operator} (${end})`;
              return `  function integer f${at}(input integer n); ${type} i;
    begin f${at} = 0; for (i = ${start}; ${more ? `(${condition})${more.replace('$', `f${at}`)}` : condition}; ${step}) f${at} = f${at} + 1; end
  endfunction
  wire [31:0] y${at} = f${at}(0);`;
            })
            .join('\n');
        const rtlil = await rtlilOf(`module m;\n${CONSTANTS}\n${text(` && $ < ${MOST}`)}\nendmodule\n`);
        const plain = `module m;\n${CONSTANTS}\n${text('')}\nendmodule\n`;
        const told = loopsOf(plain);
        for (const [at, one] of loops.entries()) {
          const start = plain.indexOf(`function integer f${at}(`);
          const own = told.find(
            (each) => each.start > start && each.start < plain.indexOf('endfunction', start),
          );
          if (!own) continue;
          const [, says] = new RegExp(`connect \\\\y${at} (.+)`).exec(rtlil) ?? [];
          const number = says?.includes("'") ? Number.parseInt(says.replace(/^\d+'/, ''), 2) : Number(says);
          expect([JSON.stringify(one), Math.min(own.passes, MOST)]).toEqual([JSON.stringify(one), number]);
          compared++;
        }
      }),
      { numRuns: SOAK ? 300 : 8 },
    );
    expect(compared).toBeGreaterThan(60);
  }, 600_000);

  test('of modules as instances make them', async () => {
    const by = fc.constantFrom(
      'N',
      'N + 3',
      '1 << N',
      'N * N',
      '40 - N',
      'N[3:0] + 2',
      'log2(N)',
      '$clog2(N)',
    );
    const design = fc.record({
      kind: fc.constantFrom('integer', 'signed', '[2:0]', 'signed [3:0]', ''),
      top: fc.integer({ min: -3, max: 30 }),
      given: fc.constantFrom('P', 'P * 2', 'P - 5', '3', '1 << g', 'g + P'),
      how: fc.constantFrom('by place', 'by name', 'by defparam', 'both'),
      topDefparam: fc.boolean(),
      // Only where nothing is given by place: Yosys takes one or the other.
      nested: fc.constantFrom('', 'u[1].i.', 'u[0 + 2].i.', 'u[0].i.between.'),
      middle: by,
      end: by,
    });
    const most = 20;
    await fc.assert(
      fc.asyncProperty(fc.array(design, { minLength: 10, maxLength: 10 }), async (designs) => {
        const LOG = `  function integer log2(input integer n); integer i;
    begin log2 = 0; for (i = n - 1; i > 0; i = i >> 1) log2 = log2 + 1; end endfunction`;
        const text = (
          { kind, top, given, how, topDefparam, nested, middle, end }: (typeof designs)[number],
          at: number,
          more: string,
        ) =>
          `module inner${at} #(parameter ${kind} N = 2) (); ${LOG}
  localparam M = ${end};
  genvar h; generate for (h = 0; h < M${more}; h = h + 1) begin : s wire x; end endgenerate
endmodule
module middle${at} #(parameter UNUSED = 0, N = 1) (); ${LOG}
  ${{ 'by place': `inner${at} #(${middle}) i ();`, 'by name': `inner${at} #(.N(${middle})) i ();`, 'by defparam': `inner${at} i (); defparam i.N = ${middle};`, both: `defparam i.N = 3; inner${at} #(.N(${middle})) i ();` }[how]}
  generate if (1) begin : between inner${at} j (), i (); end endgenerate
endmodule
module top${at} #(parameter P = ${top}) (); genvar g;
  generate for (g = 0; g < 3; g = g + 1) begin : u ${topDefparam ? `middle${at} i (); if (1) begin defparam i.N = ${given}; end` : `middle${at} #(.N(${given})) i ();`} end endgenerate
  ${nested && how !== 'by place' ? `defparam ${nested}i.N = P + 1;` : ''}
endmodule
`;
        const bounded = designs.map((one, at) => text(one, at, ` && h < ${MOST}`)).join('');
        const all = designs.map((_, at) => `module all; endmodule`.replace('all', `z${at}`)).join(' ');
        const tops = `module every (); ${designs.map((_, at) => `top${at} t${at} ();`).join(' ')} endmodule\n`;
        const rtlil = await rtlilOf(`${bounded}${all}\n${tops}`, 'hierarchy -top every;');
        const longest = designs.map(() => 0);
        for (const module of rtlil.split(/^module /m)) {
          // As they are by themselves, they are looked at elsewhere.
          const [, at] = /^\$paramod\S*inner(\d+)\b/.exec(module) ?? [];
          if (at === undefined) continue;
          const count = module.match(/^ {2}wire .*\\s\[\d+\]\.x$/gm)?.length ?? 0;
          longest[Number(at)] = Math.max(longest[Number(at)] ?? 0, count);
        }
        const modules = modulesOf(designs.map((one, at) => text(one, at, '')).join(''), 'm.v');
        for (const [at, one] of designs.entries()) {
          const long = longBelow(modules, `top${at}`, most, 1e6) ?? [];
          const [told, made] = [long.length > 0, (longest[at] ?? 0) > most];
          // Modules that differ in what is set within them alone have one name: Yosys makes the first one only.
          if (one.nested && told) continue;
          expect([JSON.stringify(one), told]).toEqual([JSON.stringify(one), made]);
        }
      }),
      { numRuns: SOAK ? 200 : 6 },
    );
  }, 600_000);
});
