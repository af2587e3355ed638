import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../../../../../server/clock.ts';
import { BenchError } from '../../../../../../server/errors/bench-error.ts';
import { createEmbeddedEngine } from '../../../../../../server/toolchain/engines/embedded/embedded-engine.ts';
import { findExecutable } from '../../../../../../server/toolchain/engines/executables.ts';
import { createNativeEngine } from '../../../../../../server/toolchain/engines/installed/native-engine.ts';
import { findSandbox } from '../../../../../../server/toolchain/engines/sandbox/bubblewrap.ts';
import type { ToolEngine, ToolRun } from '../../../../../../server/toolchain/tool-engine.ts';
import { runningTime } from '../../../../../support/running-time.ts';
import { engineOptions } from '../../../../../support/toolchain/support.ts';

/** The native engine runs no Yosys for the bench; here an installed Yosys stands in for a tool. */
const installed = await findExecutable('yosys');
const nativeOptions = { ...engineOptions, paths: { 'nextpnr-ecp5': installed ?? '' } };

/** Behaviour that every engine must share, with the real tools. */
const ENGINES: Record<string, () => Promise<ToolEngine>> = {
  embedded: async () => createEmbeddedEngine(engineOptions),
  'embedded in threads': async () => createEmbeddedEngine({ ...engineOptions, forkTools: null }),
  native: () => createNativeEngine(nativeOptions),
  'native in the sandbox': async () => {
    const sandbox = await findSandbox(systemClock);
    return createNativeEngine({
      ...nativeOptions,
      sandbox: sandbox.kind === 'missing' ? null : sandbox,
    });
  },
};

/** Evaluating this loop never ends. */
const ENDLESS = `module m(input [31:0] a, output [31:0] b);
function [31:0] f; input [31:0] x; integer i; begin f = 0; for (i = 0; i < 1; i = i) f = f + x; end endfunction
assign b = f(32'd3); endmodule`;

async function failure(promise: Promise<unknown>): Promise<BenchError> {
  const error = await promise.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(BenchError);
  return error as BenchError;
}

const seconds = async (run: () => Promise<unknown>): Promise<number> => {
  const ranFor = await runningTime();
  await run().catch(() => {});
  return ranFor() / 1000;
};

for (const [name, make] of Object.entries(ENGINES)) {
  const isEmbedded = name.startsWith('embedded');
  const tool = isEmbedded ? 'yosys' : 'nextpnr-ecp5';
  const usable = isEmbedded || installed !== null;
  if (!usable) process.stderr.write(`${name}: yosys is not installed, tests skipped\n`);

  describe.skipIf(!usable)(`the ${name} engine`, () => {
    let engine: ToolEngine;
    let lines: string[];
    beforeAll(async () => {
      engine = await make();
    });
    afterAll(() => engine.close());

    const yosys = (script: string, more: Partial<ToolRun> = {}) => {
      lines = [];
      return engine.run({
        tool,
        args: ['-p', script],
        files: {},
        outputs: [],
        deadline: 60,
        onLine: (line) => lines.push(line),
        ...more,
      });
    };

    test('passes input files in and returns those that the tool wrote', async () => {
      const { files, seconds: taken } = await yosys(
        'read_verilog sub/a.v; write_verilog -noattr sub/out.v; write_json b.json',
        {
          files: { 'sub/a.v': 'module \\a€ (input x, output y); assign y = x; endmodule' },
          outputs: ['sub/out.v', 'b.json', 'never.txt'],
        },
      );
      expect(Object.keys(files).sort()).toEqual(['b.json', 'sub/out.v']);
      expect(Buffer.from(files['sub/out.v']!).toString()).toContain('module \\a€ ');
      expect(JSON.parse(Buffer.from(files['b.json']!).toString()).modules).not.toEqual({});
      expect(taken).toBeGreaterThan(0);
    });

    test('streams the output line by line, in order, while the tool runs', async () => {
      await yosys('log first; help synth_ice40; log last');
      expect(lines.indexOf('first')).toBeGreaterThan(-1);
      expect(lines.indexOf('last')).toBeGreaterThan(lines.indexOf('first'));
      expect(lines.every((line) => !/[\n\r]/.test(line))).toBe(true);
      // A tool that never ends is aborted at its first line.
      const stop = new AbortController();
      const run = yosys('log first; help synth_ice40; read_verilog a.v', {
        files: { 'a.v': ENDLESS },
        signal: stop.signal,
        onLine: (line) => {
          if (line === 'first') stop.abort();
        },
      });
      expect((await failure(run)).code).toBe('build_aborted');
    });

    test('starts a tool while its input is still in preparation', async () => {
      let deliver: (text: string) => void = () => {};
      const late = new Promise<string>((resolve) => {
        deliver = resolve;
      });
      const run = yosys('read_verilog late.v; write_json out.json', {
        late: { 'late.v': late },
        outputs: ['out.json'],
        // Counted from the moment when the file exists.
        deadline: 20,
      });
      setTimeout(() => deliver('module late_one; endmodule'), 300);
      const { files } = await run;
      expect(JSON.parse(Buffer.from(files['out.json']!).toString()).modules).toHaveProperty('late_one');
    });

    test('fails with the reason if its input cannot be made', async () => {
      const reason = new Error('the stage before has failed');
      const late = new Promise<string>((_, reject) => setTimeout(() => reject(reason), 50));
      await expect(yosys('read_verilog late.v', { late: { 'late.v': late } })).rejects.toBe(reason);
    });

    test('reports the exit code and the error of a failed tool', async () => {
      const error = await failure(yosys('read_verilog a.v', { files: { 'a.v': 'module m(; endmodule' } }));
      expect(error.code).toBe('tool_failed');
      expect(error.message).toMatch(new RegExp(`^${tool}: .*a\\.v:1: ERROR: syntax error`));
      expect(error.details).toMatchObject({ tool, exitCode: 1 });
    });

    test('ends a tool at its deadline', async () => {
      const run = () => yosys('read_verilog a.v', { files: { 'a.v': ENDLESS }, deadline: 0.5 });
      expect((await failure(run())).code).toBe('tool_deadline');
      expect(await seconds(run)).toBeLessThan(15);
    });

    test('ends a tool when the build is aborted, before, while and after it has started', async () => {
      for (const delay of [0, 5, 400]) {
        const stop = new AbortController();
        if (delay === 0) stop.abort();
        else setTimeout(() => stop.abort(), delay);
        const run = yosys('read_verilog a.v', { files: { 'a.v': ENDLESS }, signal: stop.signal });
        expect((await failure(run)).code).toBe('build_aborted');
      }
    });

    test('aborts while a tool waits for its input', async () => {
      const stop = new AbortController();
      setTimeout(() => stop.abort(), 200);
      const late = { 'late.v': new Promise<string>(() => {}) };
      const run = failure(yosys('read_verilog late.v', { late, signal: stop.signal }));
      expect((await run).code).toBe('build_aborted');
    });

    test('names an unavailable tool', async () => {
      const error = await failure(
        engine.run({ tool: 'gowin_pack', args: [], files: {}, outputs: [], deadline: 1, onLine() {} }),
      );
      expect(error.code).toBe('tool_missing');
      expect(error.message).toContain('gowin_pack');
      expect(error.remedy).toContain('gowin_pack');
    });

    test.skipIf(name === 'native')('hides the host’s files from a tool', async () => {
      for (const file of ['/etc/passwd', '../../../../etc/passwd', '/proc/self/environ']) {
        const error = await failure(yosys(`read_verilog ${file}`));
        expect(error.code).toBe('tool_failed');
        expect(lines.join('\n')).not.toContain('root:');
        expect(error.message).toMatch(/not found|Can't open|No such file|syntax error/);
      }
      const script = 'read_verilog a.v; proc; memory; write_json o.json';
      const error = await failure(
        yosys(script, {
          files: {
            'a.v':
              'module m(input a, output [7:0] b); reg [7:0] r[0:1]; initial $readmemh("/etc/passwd", r); assign b = r[a]; endmodule',
          },
          outputs: ['o.json'],
        }),
      );
      expect(error.code).toBe('tool_failed');
    });

    test('runs several tools at once', async () => {
      const runs = ['p', 'q', 'r', 's'].map((module) =>
        yosys('read_verilog a.v; write_json o.json', {
          files: { 'a.v': `module ${module}; endmodule` },
          outputs: ['o.json'],
        }),
      );
      const results = await Promise.all(runs);
      expect(
        results.map(({ files }) => Object.keys(JSON.parse(Buffer.from(files['o.json']!).toString()).modules)),
      ).toEqual([['p'], ['q'], ['r'], ['s']]);
    });

    test('reports its versions', async () => {
      const versions = await engine.versions();
      expect(versions[tool]).toMatch(/^Yosys \d+\.\d+/);
      for (const one of isEmbedded ? ['nextpnr-ice40', 'icepack'] : [])
        expect(versions[one]).toMatch(/\d+\.\d+/);
    });
  });
}
