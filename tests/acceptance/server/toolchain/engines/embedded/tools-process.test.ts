import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { type Clock, systemClock } from '../../../../../../server/clock.ts';
import type { BenchError } from '../../../../../../server/errors/bench-error.ts';
import { type Logger, silentLogger } from '../../../../../../server/log.ts';
import { distPath, resourcePath } from '../../../../../../server/paths.ts';
import { createEmbeddedEngine } from '../../../../../../server/toolchain/engines/embedded/embedded-engine.ts';
import {
  type ForkTools,
  forkWithNode,
  type ToolsChild,
} from '../../../../../../server/toolchain/engines/embedded/fork-tools.ts';
import type {
  FromTools,
  ToTools,
} from '../../../../../../server/toolchain/engines/embedded/process-messages.ts';
import { ToolsClient } from '../../../../../../server/toolchain/engines/embedded/tools-client.ts';
import type { ToolRun } from '../../../../../../server/toolchain/tool-engine.ts';
import { FakeClock } from '../../../../../support/fake-clock.ts';
import { temporaryFolder } from '../../../../../support/temporary.ts';
import { engineOptions } from '../../../../../support/toolchain/support.ts';

const folder = temporaryFolder('code');
const children: ToolsChild[] = [];
afterAll(() => {
  for (const child of children) child.kill();
});

/** The lines so far, and a promise of the first line that matches its text and the given fields. */
function listening() {
  const said: { fields: Record<string, unknown>; text: string }[] = [];
  const waiting = new Set<() => void>();
  const say = (fields: Record<string, unknown>, text: string) => {
    said.push({ fields, text });
    for (const look of waiting) look();
  };
  const heard = (text: string, wanted: Record<string, unknown> = {}) =>
    new Promise<Record<string, unknown>>((resolve) => {
      const fits = (fields: Record<string, unknown>) =>
        Object.entries(wanted).every(([name, value]) => fields[name] === value);
      const look = () => {
        const found = said.find((one) => one.text.includes(text) && fits(one.fields));
        if (found) resolve(found.fields);
      };
      waiting.add(look);
      look();
    });
  return { said, heard, logger: { info: say, warn: say } as unknown as Logger };
}

/** Starts processes of its own, and reports when the last of them has ended. */
function forking(
  change: (message: ToTools, child: ToolsChild) => void = (message, child) => child.post(message),
) {
  let started = 0;
  let ended: Promise<string> = Promise.resolve('');
  const fork: ForkTools = (entry) => {
    const child = forkWithNode(entry);
    children.push(child);
    started += 1;
    let tell = (_how: string) => {};
    ended = new Promise((resolve) => {
      tell = resolve;
    });
    return {
      ...child,
      post: (message) => change(message, child),
      listen: (message, end) =>
        child.listen(message, (how) => {
          end(how);
          tell(how);
        }),
    };
  };
  return {
    fork,
    last: () => children.at(-1)!,
    ended: () => ended,
    get started() {
      return started;
    },
  };
}

const yosys = (script: string, more: Partial<ToolRun> = {}): ToolRun => ({
  tool: 'yosys',
  args: ['-p', script],
  files: {},
  outputs: [],
  deadline: 600,
  onLine() {},
  ...more,
});

/** Evaluating this loop never ends. */
const ENDLESS = `module m(input [31:0] a, output [31:0] b);
function [31:0] f; input [31:0] x; integer i; begin f = 0; for (i = 0; i < 1; i = i) f = f + x; end endfunction
assign b = f(32'd3); endmodule`;

const { memoryLimit } = engineOptions;

test('a killed process fails its runs, and the next run starts a new process', async () => {
  const { fork, last, ended } = forking();
  const { logger } = listening();
  const engine = createEmbeddedEngine({ ...engineOptions, logger, forkTools: fork });
  const run = engine.run(
    yosys('log running; read_verilog a.v', { files: { 'a.v': ENDLESS }, onLine: () => last().kill() }),
  );
  await expect(run).rejects.toMatchObject({
    code: 'tool_crashed',
    message: 'The process that ran yosys exited (SIGKILL).',
    remedy: expect.stringContaining('Submit the design again'),
  });
  await ended();
  await engine.run(yosys('log again'));
  await engine.close();
});

test('streams a tool’s output although the tool then prints nothing more', async () => {
  const engine = createEmbeddedEngine(engineOptions);
  const stop = new AbortController();
  const lines: string[] = [];
  const run = engine.run(
    yosys('log first; log last; read_verilog a.v', {
      files: { 'a.v': ENDLESS },
      deadline: 100,
      signal: stop.signal,
      onLine(line) {
        lines.push(line);
        // The last that comes before the loop.
        if (line.startsWith('Parsing Verilog input')) stop.abort();
      },
    }),
  );
  const code = await run.catch((error: BenchError) => error.code);
  expect({ code, lines }).toEqual({
    code: 'build_aborted',
    lines: expect.arrayContaining(['first', 'last']),
  });
  await engine.close();
});

test('kills a process that does not abort a run within a minute, even if an input file arrives meanwhile', async () => {
  const { fork, ended } = forking((message, child) => {
    if (message.kind !== 'abort') child.post(message);
  });
  const clock = new FakeClock();
  const client = new ToolsClient({ fork, logger: silentLogger, codeFolder: null, clock });
  const stop = new AbortController();
  let deliver: (text: string) => void = () => {};
  const late = new Promise<string>((resolve) => {
    deliver = resolve;
  });
  const run = client.run(
    'yosys',
    yosys('log it runs; read_verilog a.v', {
      late: { 'a.v': late },
      signal: stop.signal,
      onLine: (line) => line === 'it runs' && stop.abort(),
    }),
    memoryLimit,
  );
  const refused = expect(run).rejects.toMatchObject({ code: 'tool_crashed' });
  await new Promise((resolve) => stop.signal.addEventListener('abort', resolve));
  deliver(ENDLESS);
  await late;
  await new Promise(setImmediate);
  clock.advance(61_000);
  await refused;
  expect(await ended()).toBe('SIGKILL');
});

test('after a stall of the service the exit timer may fire before the save timer', async () => {
  const { fork, ended } = forking();
  /** Timers by their delay. */
  const due = new Map<number, () => void>();
  const clock: Clock = {
    ...systemClock,
    after(ms, callback) {
      due.set(ms, callback);
      return () => due.delete(ms);
    },
  };
  const client = new ToolsClient({ fork, logger: silentLogger, codeFolder: folder, clock });
  await client.run('yosys', yosys('log first'), memoryLimit);
  expect([...due.keys()]).toEqual([20_000, 45_000]);
  due.get(45_000)?.();
  due.get(20_000)?.();
  await ended();
  expect(await client.run('yosys', yosys('log second'), memoryLimit)).not.toBeNull();
});

test('uses a process that became ready while its service stalled', async () => {
  const { fork } = forking();
  const clock = new FakeClock();
  const client = new ToolsClient({ fork, logger: silentLogger, codeFolder: null, clock });
  const run = client.run('yosys', yosys('log it runs'), memoryLimit);
  // The clock runs before any output of the process is read.
  clock.advance(60_000);
  expect(await run).not.toBeNull();
});

test('a busy process sends heartbeats; an unresponsive one is killed', async () => {
  let deaf = false;
  let tell: (kind: unknown) => void = () => {};
  const { fork, ended } = forking();
  const hearing: ForkTools = (entry) => {
    const child = fork(entry);
    return {
      ...child,
      listen: (message, end) =>
        child.listen((value) => {
          if (deaf) return;
          message(value);
          tell((value as FromTools).kind);
        }, end),
    };
  };
  const clock = new FakeClock();
  const { logger, said } = listening();
  const client = new ToolsClient({ fork: hearing, logger, codeFolder: null, clock });
  const run = client.run('yosys', yosys('read_verilog a.v', { files: { 'a.v': ENDLESS } }), memoryLimit);
  const refused = expect(run).rejects.toMatchObject({ code: 'tool_crashed' });
  const next = (wanted: FromTools['kind']) =>
    new Promise<void>((resolve) => {
      tell = (kind) => kind === wanted && resolve();
    });
  await next('lines');
  for (let i = 0; i < 2; i++) {
    clock.advance(60_000);
    await next('alive');
  }
  clock.advance(60_000);
  expect(said).not.toContainEqual(
    expect.objectContaining({ text: expect.stringContaining('does not respond') }),
  );
  deaf = true;
  clock.advance(1000);
  await refused;
  expect(await ended()).toBe('SIGKILL');
  expect(said).toContainEqual(expect.objectContaining({ text: expect.stringContaining('does not respond') }));
});

test('a process leaves nothing behind when its service is killed during a run', async () => {
  const run = {
    ...{ kind: 'run', id: 1, tool: 'yosys', memoryLimit, args: ['-p', 'log running; read_verilog a.v'] },
    ...{ files: [], late: [], outputs: [], deadline: 600 },
  };
  // The tools' process has the service's output too: that is closed when both have gone.
  const service = spawn(
    process.execPath,
    [
      '--input-type=module',
      '--eval',
      `import { fork } from 'node:child_process';
      const child = fork(process.argv[1], [], {
        ...{ execArgv: [], serialization: 'advanced', stdio: ['ignore', 'inherit', 'ignore', 'ipc'] },
      });
      child.on('message', ({ kind }) => {
        if (kind === 'ready') child.send({ ...${JSON.stringify(run)}, files: [['a.v', Buffer.from(process.argv[2])]] });
        if (kind === 'lines') console.log('it runs');
      });
      child.send({ kind: 'start', codeFolder: null, memoryLimit: ${memoryLimit} });`,
      distPath('server', 'tools-process.js'),
      ENDLESS,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const closed = new Promise<void>((resolve) => service.once('close', () => resolve()));
  // Read to its end, or it never closes.
  const began = new Promise<boolean>((resolve) => {
    service.stdout.on('data', () => resolve(true));
    service.once('exit', () => resolve(false));
  });
  expect(await began).toBe(true);
  service.kill('SIGKILL');
  await closed;
});

test('stores the compiled-code cache for the next process, which rejects a damaged one', async () => {
  const bitstream = readFileSync(resourcePath('base', 'icestick.bin'));
  /** A process from its first run to its end at rest. */
  const life = async () => {
    const { heard, logger } = listening();
    const { fork, ended } = forking();
    const client = new ToolsClient({
      ...{ fork, logger, codeFolder: folder, clock: systemClock, untilKept: 0, untilEnd: 100 },
    });
    const run: ToolRun = {
      ...{ tool: 'icepack', args: ['-u', 'a.bin', 'a.asc'], files: { 'a.bin': bitstream } },
      ...{ outputs: ['a.asc'], deadline: 600, onLine() {} },
    };
    const result = await client.run('icepack', run, memoryLimit);
    await ended();
    // The process loads the tools of every build as well, and on a busy machine Yosys may be there first.
    const { kept } = await heard('a tool is loaded', { tool: 'icepack' });
    return { kept, text: Buffer.from(result!.files['a.asc']!).toString() };
  };
  const files = () => readdirSync(folder).filter((name) => name.startsWith('icepack-'));
  const first = await life();
  expect(first.kept).toBe(false);
  expect(first.text).toContain('.device');
  const [name, ...others] = files();
  expect(name).toMatch(/\.code$/);
  expect(others).toEqual([]);
  expect(await life()).toEqual({ ...first, kept: true });

  const file = path.join(folder, name!);
  const bytes = readFileSync(file);
  bytes[bytes.length >> 1]! ^= 1;
  writeFileSync(file, bytes);
  expect(await life()).toEqual(first);
  expect(readFileSync(file).equals(bytes)).toBe(false);
  expect(files()).toEqual([name]);
});

test('a process that dies while it saves its code fails no run, and saves no more', async () => {
  const { logger, heard } = listening();
  let keeping = 0;
  const { fork } = forking((message, child) => {
    if (message.kind !== 'keep') return child.post(message);
    keeping += 1;
    child.kill();
  });
  const client = new ToolsClient({ fork, logger, codeFolder: folder, clock: systemClock, untilKept: 0 });
  await client.run('yosys', yosys('log first'), memoryLimit);
  await heard('exited while it stored');
  await client.run('yosys', yosys('log second'), memoryLimit);
  await client.run('yosys', yosys('log third'), memoryLimit);
  expect(keeping).toBe(1);
});

test('if the process cannot start, the tools run in threads, with one log entry', async () => {
  for (const forkTools of [
    () => {
      throw new Error('no more processes');
    },
    () => forkWithNode(path.join(folder, 'nowhere.js')),
  ]) {
    const { logger, said } = listening();
    const engine = createEmbeddedEngine({ ...engineOptions, logger, forkTools });
    for (const module of ['p', 'q']) {
      const run = yosys('read_verilog a.v; write_json o.json', {
        files: { 'a.v': `module ${module}; endmodule` },
        outputs: ['o.json'],
      });
      const { files } = await engine.run(run);
      expect(Object.keys(JSON.parse(Buffer.from(files['o.json']!).toString()).modules)).toEqual([module]);
    }
    expect(said.filter(({ text }) => text.includes('cannot be used'))).toHaveLength(1);
    await engine.close();
  }
});
