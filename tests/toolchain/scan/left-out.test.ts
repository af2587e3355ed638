import { afterAll, expect, test } from 'vitest';
import { toolchainError } from '../../../server/errors/toolchain.ts';
import { createThreadEngine } from '../../../server/toolchain/embedded/thread-engine.ts';
import { packProject, projectOfFiles } from '../../../server/toolchain/project/project.ts';
import { prepareDesign } from '../../../server/toolchain/scan/design.ts';
import { scanDesignSources } from '../../../server/toolchain/scan/scan.ts';
import type { ToolEngine } from '../../../server/toolchain/toolchain.ts';
import { record, requestOf } from '../pipeline/support.ts';
import { engineOptions } from '../support.ts';

const tools = createThreadEngine(engineOptions);
afterAll(() => tools.close());

const FILES = {
  'top.v': `module top (input clk, rst, wb_cyc, wb_stb, wb_we, input [1:0] wb_adr,
  input [31:0] wb_dat_w, output [31:0] wb_dat_r, output wb_ack);
  assign wb_ack = wb_cyc & wb_stb, wb_dat_r = 7;
endmodule
`,
  'sim/model.v': 'module model (input clk);\n  wire = 1;\nendmodule\n',
};

/** The engine, on a machine where readings without the model end at the deadline until one may take so many seconds. */
function slow(enough: number): { engine: ToolEngine; deadlines: number[] } {
  const deadlines: number[] = [];
  const run: ToolEngine['run'] = async (request) => {
    if (Object.keys(request.files).some((path) => path.endsWith('model.v'))) return tools.run(request);
    deadlines.push(request.deadline);
    if (request.deadline < enough) throw toolchainError('tool_deadline');
    return tools.run(request);
  };
  return { engine: { ...tools, run }, deadlines };
}

async function scan(on: ToolEngine, takesLong: () => Promise<void>) {
  const sent = Object.entries(FILES).map(([path, text]) => ({ path, contents: Buffer.from(text) }));
  const request = requestOf(packProject(await projectOfFiles(sent, 2 ** 20)), 'some.zip');
  const { design } = await prepareDesign(request, undefined, async () => true);
  return scanDesignSources(design, request, on, record(), { takesLong });
}

test('a busy machine is waited for where a source is left out, among the scans that take long', async () => {
  let long = 0;
  const machine = slow(5);
  const { matched, diagnostics } = await scan(machine.engine, async () => void long++);
  expect(matched?.module).toBe('top');
  expect(diagnostics.map(({ severity, file }) => `${severity} ${file}`)).toEqual(['warning sim/model.v']);
  expect(machine.deadlines.slice(0, 2)).toEqual([1, 5]);
  expect(long).toBe(1);
});

test('where that is not enough the error of the source is told', async () => {
  const { matched, diagnostics } = await scan(slow(30).engine, async () => {});
  expect(matched).toBeNull();
  expect(diagnostics[0]).toMatchObject({ severity: 'error', file: 'sim/model.v', line: 2 });
});
