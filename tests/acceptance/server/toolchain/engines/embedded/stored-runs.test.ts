import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { createEmbeddedEngine } from '../../../../../../server/toolchain/engines/embedded/embedded-engine.ts';
import type { ToolRun } from '../../../../../../server/toolchain/tool-engine.ts';
import { storedRuns } from '../../../../../support/toolchain/support.ts';

/** Other tests use this engine in place of the tools. */
const engine = createEmbeddedEngine(storedRuns);
afterAll(() => engine.close());

/** A run of Yosys with its output. */
async function yosys(source: string, more: Partial<ToolRun> = {}) {
  const lines: string[] = [];
  const result = await engine.run({
    tool: 'yosys',
    args: ['-p', 'read_verilog a.v; write_json o.json'],
    files: { 'a.v': source },
    outputs: ['o.json'],
    deadline: 100,
    onLine: (line) => lines.push(line),
    ...more,
  });
  return {
    ...result,
    lines,
    modules: Object.keys(JSON.parse(Buffer.from(result.files['o.json']!).toString()).modules),
  };
}

/** A source of no earlier run. */
const unseen = (module: string) => `// ${randomUUID()}\nmodule ${module}; endmodule`;

test('the same run ends as before, to the second', async () => {
  const source = unseen('first');
  const ran = await yosys(source);
  expect(ran.modules).toEqual(['first']);
  expect(ran.lines).toContainEqual(expect.stringContaining('Executing Verilog-2005 frontend: a.v'));
  expect(await yosys(source)).toEqual(ran);
});

test('a run with another file, argument, output or limit is another run', async () => {
  const source = unseen('one');
  const { seconds } = await yosys(source);
  expect((await yosys(source.replace('one', 'two'))).modules).toEqual(['two']);
  const script = 'read_verilog a.v; rename one three; write_json o.json';
  expect((await yosys(source, { args: ['-p', script] })).modules).toEqual(['three']);
  expect((await yosys(source, { outputs: ['o.json', 'p.json'] })).seconds).not.toBe(seconds);
  expect((await yosys(source, { deadline: 99 })).seconds).not.toBe(seconds);
});

test('files that arrive late are part of the run', async () => {
  const [one, two] = [unseen('one'), unseen('two')];
  const late = (source: string | Promise<string>) =>
    yosys('', { files: {}, late: { 'a.v': Promise.resolve(source) } });
  const ran = await late(one);
  expect((await late(two)).modules).toEqual(['two']);
  expect(await late(one)).toEqual(ran);
  // The run also ends if its file cannot be made, although a similar run is stored.
  await expect(late(Promise.reject(new Error('no netlist')))).rejects.toThrow('no netlist');
});

test('a failure is repeated with its lines', async () => {
  const source = `${unseen('m')} oops`;
  const failure = async () => {
    const lines: string[] = [];
    const error = await yosys(source, { onLine: (line) => lines.push(line) }).catch(
      (reason: unknown) => reason,
    );
    return { error, lines };
  };
  const failed = await failure();
  expect(failed.error).toMatchObject({ code: 'tool_failed' });
  expect(failed.lines.join('\n')).toContain('syntax error');
  expect(await failure()).toEqual(failed);
});
