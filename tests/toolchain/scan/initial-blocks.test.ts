import { afterAll, describe, expect, test } from 'vitest';
import { prepareDesign } from '../../../server/toolchain/scan/design.ts';
import { requireMatch, scanDesignSources } from '../../../server/toolchain/scan/scan.ts';
import type { ToolEngine } from '../../../server/toolchain/toolchain.ts';
import { freshToolchain, record, refusal, requestOf, slave } from '../pipeline/support.ts';
import { plainYosys } from '../support.ts';

const { toolchain, dispose } = freshToolchain();
afterAll(dispose);

/** A slave with a memory whose contents are computed. */
const table = (contents: string, declarations = '  reg [7:0] mem [0:1023];') =>
  slave(`${declarations}
  integer i;
  initial begin
${contents}
  end
  reg [7:0] q;
  assign wb_dat_r = q;
  always @(posedge clk) begin if (wb_stb & wb_we) mem[wb_adr[9:0]] <= wb_dat_w; q <= mem[wb_adr[9:0]]; end`);

const LONG = '    for (i = 0; i < 1024; i = i + 1) mem[i] = 90;';
const WRITTEN_OUT = Array.from({ length: 1024 }, (_, at) => `    mem[${at}] = ${at & 255};`).join('\n');
const SHORT = '    for (i = 0; i < 64; i = i + 1) mem[i] = 90;';

/** Scans, and tells what each run of the tool had to do with the contents of `initial` blocks. */
async function scanned(source: string, toBeBuilt: boolean, options = {}, filename = 'design.v') {
  const runs: ('elaborates them' | 'parses them' | 'does not see them')[] = [];
  const counting: ToolEngine = {
    ...plainYosys,
    run(run) {
      const seen = /mem\s*\[\w+\] = /.test(String(run.files[filename]));
      const parses = run.args.join(' ').includes(' -defer');
      runs.push(!seen ? 'does not see them' : parses ? 'parses them' : 'elaborates them');
      return plainYosys.run(run);
    },
  };
  const request = requestOf(source, filename, options);
  const { design } = await prepareDesign(request);
  const context = record();
  const scan = await scanDesignSources(design, request, counting, context, { toBeBuilt });
  return { runs, scan, log: context.text() };
}

describe('initial blocks with much in them', () => {
  test.each([
    ['a loop', LONG],
    ['written out', WRITTEN_OUT],
  ])('are not elaborated for a build, which reads them in synthesis: %s', async (_, contents) => {
    const { runs, scan, log } = await scanned(table(contents), true);
    expect(runs).toEqual(['does not see them', 'parses them']);
    expect(requireMatch(scan).module).toBe('design');
    expect(log).toContain('note: the initial blocks are left to synthesis: they take long to elaborate');
    // What is built is the whole of it.
    expect(String(scan.source.files['design.v'])).toContain(contents);
  });

  test('are elaborated for a scan alone, and where they are short', async () => {
    expect((await scanned(table(LONG), false)).runs).toEqual(['elaborates them']);
    expect((await scanned(table(SHORT), true)).runs).toEqual(['elaborates them']);
  });

  test('make no difference to what is found of the design', async () => {
    const [left, whole] = [await scanned(table(LONG), true), await scanned(table(LONG), false)];
    expect(left.runs).not.toEqual(whole.runs);
    expect({ ...left.scan, source: null }).toEqual({ ...whole.scan, source: null });
  });

  test('decide the edition of the language with the rest', async () => {
    const { scan } = await scanned(
      table(`${LONG}\n    mem[0] = '1;\n    for (int j = 0; j < 4; j++) mem[j] = 1;`),
      true,
    );
    expect(scan.source.edition).toBe('systemverilog');
    expect(requireMatch(scan).module).toBe('design');
  });

  test('of a design without a slave are elaborated', async () => {
    const { runs, scan } = await scanned(
      `module design(input clk); reg [7:0] mem [0:1023]; integer i;
      initial begin ${LONG} end endmodule\n`,
      true,
    );
    expect(runs).toContain('elaborates them');
    expect(scan.matched).toBeNull();
  });

  test('do not hide a memory that parameters make too large', async () => {
    const inner = `module store #(parameter WORDS = 64) (input clk, we, input [19:0] a, input [31:0] d, output reg [31:0] q);
      reg [31:0] mem [0:WORDS-1]; integer i; initial begin ${LONG} end
      always @(posedge clk) begin if (we) mem[a] <= d; q <= mem[a]; end endmodule\n`;
    const source = `${inner}${slave('  store #(.WORDS(1048576)) s(clk, wb_we, wb_adr[19:0], wb_dat_w, wb_dat_r);')}`;
    const { runs, scan } = await scanned(source, true);
    expect(runs).not.toContain('elaborates them');
    expect(scan.misfit).toMatchObject({ code: 'build_too_large', module: 'store', net: 'mem' });
  });

  const filled = (words: number) =>
    table(`    for (i = 0; i < ${words}; i = i + 1) mem[i] = 90;`, `  reg [7:0] mem [0:1023];`);

  test('are warned of with the line where a build takes long for them', async () => {
    const { scan, log } = await scanned(filled(16_384), true);
    expect(requireMatch(scan).module).toBe('design');
    const message =
      'the initial blocks have 16,387 statements, passes of loops counted: the time of Yosys grows with the square of that, and 8,192 writes to a memory take some ten seconds';
    expect(scan.diagnostics).toContainEqual({
      severity: 'warning',
      code: 'design_invalid',
      file: 'design.v',
      line: 8,
      message,
    });
    expect(log).toContain(`warning: design.v:8: ${message}`);
    const fewer = await scanned(filled(16_000), true);
    expect(fewer.scan.diagnostics).toEqual([]);
  });

  test('written out are warned of with the line where they begin', async () => {
    const written = Array.from({ length: 17_000 }, (_, at) => `    mem[${at & 1023}] = ${at & 255};`);
    const { scan } = await scanned(table(written.join('\n')), true);
    expect(scan.diagnostics).toMatchObject([{ severity: 'warning', file: 'design.v', line: 7 }]);
  });

  test('with a loop that no build would come through are refused with its line', async () => {
    const { matched, diagnostics } = await toolchain.scan(requestOf(filled(200_000)), record());
    expect(matched).toBeNull();
    expect(diagnostics).toEqual([
      {
        severity: 'error',
        code: 'design_invalid',
        file: 'design.v',
        line: 8,
        message:
          'this loop has 200,000 passes; the bench elaborates 131,072 in an initial block: the time of Yosys grows with the square of that, and 8,192 writes to a memory take some ten seconds',
      },
    ]);
  }, 120_000);

  test('are refused with their line when they have an error', async () => {
    const source = table(`${LONG}\n    mem[0] = nowhere;`);
    const { scan } = await scanned(source, true);
    expect(scan.matched).not.toBeNull();
    const error = await refusal(toolchain.build(requestOf(source), record()));
    expect(error.code).toBe('design_invalid');
    const line = source.slice(0, source.indexOf('nowhere')).split('\n').length;
    expect(error.diagnostics?.[0]).toMatchObject({ severity: 'error', file: 'design.v', line });
  }, 120_000);
});
