import { expect, test } from 'vitest';
import { toolchainError } from '../../../../../server/errors/toolchain.ts';
import { readWithSlang } from '../../../../../server/toolchain/frontends/verilog/slang.ts';
import { prepareSource } from '../../../../../server/toolchain/intake/source.ts';
import type { ToolEngine } from '../../../../../server/toolchain/tool-engine.ts';

/** An engine whose Yosys prints these lines and fails. */
const failing = (code: 'tool_failed' | 'tool_deadline', lines: readonly string[]): ToolEngine => ({
  name: 'embedded',
  run: async ({ onLine }) => {
    for (const line of lines) onLine(line);
    throw toolchainError(code, { message: 'yosys was stopped.' });
  },
  versions: async () => ({}),
  close: async () => {},
});

const read = (text: string, engine: ToolEngine) =>
  readWithSlang(prepareSource(Buffer.from(text), 'a.v'), {}, engine, { log: () => {}, progress: () => {} });

const NOT_READ = ['ERROR: Assert `width >= 0` failed in slang_frontend.cc:1.'];

test.each([
  ['reg [31:0] words [0:67108863];', '67,108,864 words of 32 bits'],
  ['parameter DEPTH = 1048576;\n// reg [63:0] x [0:99999999];\nreg [15:0] a, words [DEPTH-1:0];', null],
  ['parameter DEPTH = 1048576;\nreg [15:0] words [DEPTH-1:0];', '1,048,576 words of 16 bits'],
  ['localparam A = 26;\nlogic words [2**A];', '67,108,864 words of 1 bit,'],
  ['reg [7:0] words [0:(1<<20)-1];', '1,048,576 words of 8 bits'],
  ['reg [7:0] words [0:255];', null],
])('%s: slang cannot read it because of its size: %s', async (declaration, size) => {
  const text = `module m(input clk);\n${declaration}\nendmodule\n`;
  const { diagnostics } = await read(text, failing('tool_failed', NOT_READ));
  if (size === null) expect(diagnostics[0]?.message).toBe('slang cannot read this construct');
  else
    expect(diagnostics[0]).toMatchObject({
      code: 'build_too_large',
      message: expect.stringContaining(`the memory words has ${size}`),
      line: declaration.split('\n').length + 1,
    });
  if (size !== null)
    await expect(read(text, failing('tool_deadline', []))).rejects.toMatchObject({ code: 'build_too_large' });
});

test('a deadline names the block that Yosys was translating', async () => {
  const lines = [
    '1.6. Executing PROC_MUX pass (convert decision trees to multiplexers).',
    'Creating decoders for process `\\cpu$top.risc.$633’.',
    '     61/98: $next_state$656',
  ];
  const text = 'module m(input clk);\nendmodule\n';
  await expect(read(text, failing('tool_deadline', lines))).rejects.toMatchObject({
    code: 'tool_deadline',
    message: 'yosys was stopped. It was translating the block of cpu that assigns next_state.',
  });
  const later = [...lines, '1.7. Executing PROC_DLATCH pass (convert process syncs to latches).'];
  await expect(read(text, failing('tool_deadline', later))).rejects.toMatchObject({
    message: 'yosys was stopped.',
  });
});
