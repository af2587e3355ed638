import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../../../server/clock.ts';
import {
  type ProcessLimits,
  type ProcessOptions,
  runProcess,
} from '../../../../server/process/run-process.ts';
import { FakeClock } from '../../../support/fake-clock.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'wishbench-process-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Something happens when a line is printed; its words are the rest of the line. */
type OnWord = (word: string) => void;

/** Runs a shell script and collects its lines. */
async function sh(
  script: string,
  options: Partial<ProcessOptions> & { limits?: ProcessLimits; on?: Record<string, OnWord> } = {},
) {
  const { on = {}, limits = {}, ...rest } = options;
  const lines: string[] = [];
  const result = await runProcess({
    command: '/bin/sh',
    args: ['-c', script],
    clock: systemClock,
    deadline: 30_000,
    onLine(line) {
      lines.push(line);
      const [word = '', ...others] = line.split(' ');
      on[word]?.(others.join(' '));
    },
    ...rest,
    limits,
  });
  return { ...result, lines };
}

const alive = (pid: number) =>
  existsSync(`/proc/${pid}`) && !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));

const gone = (pids: number[]) => expect.poll(() => pids.filter(alive)).toEqual([]);

describe.skipIf(process.platform === 'win32')('a process', () => {
  test('exits normally: its code, its lines from both outputs, the clock’s duration', async () => {
    const clock = new FakeClock();
    const { end, lines, output, seconds, peakMemory } = await sh('echo out; echo err >&2; exit 3', {
      clock,
      on: { out: () => clock.advance(1500) },
    });
    expect(end).toEqual({ kind: 'exit', code: 3 });
    expect(lines.sort()).toEqual(['err', 'out']);
    expect(output).toHaveLength(0);
    expect(seconds).toBe(1.5);
    expect(peakMemory).toBe(0);
    expect(clock.pending).toBe(0);
  });

  test('a crash is not an exit', async () => {
    expect((await sh('kill -SEGV $$')).end).toEqual({ kind: 'signal', signal: 'SIGSEGV' });
  });

  test('has the given folder and exactly the given environment', async () => {
    const { lines } = await sh('pwd -P; echo "$NAME,$HOME"', {
      cwd: folder,
      env: { NAME: 'value' },
    });
    expect(lines).toEqual([folder, 'value,']);
  });

  test('a nonexistent program is missing, a non-executable one unstartable, without a rejection', async () => {
    expect((await sh('', { command: path.join(folder, 'nothing') })).end).toEqual({ kind: 'missing' });
    const end = (await sh('', { command: folder })).end;
    expect(end).toEqual({ kind: 'unstartable', message: expect.stringContaining('EACCES') });
  });

  test('arguments that the system refuses make it unstartable', async () => {
    const { end } = await sh('', { args: ['x'.repeat(64 * 2 ** 20)] });
    expect(end).toEqual({ kind: 'unstartable', message: expect.stringContaining('E2BIG') });
  });

  test('its standard output is captured as raw bytes, its standard error as lines', async () => {
    const { output, lines } = await sh("printf '\\377\\000a\\r\\n'; echo note >&2", {
      limits: { output: 10 },
    });
    expect([...output]).toEqual([0xff, 0, 0x61, 0x0d, 0x0a]);
    expect(lines).toEqual(['note']);
  });
});

describe.skipIf(process.platform === 'win32')('a process is ended', () => {
  /** A shell and its child, which ignore SIGTERM; both print their ids. */
  const STUBBORN = `trap '' TERM; sh -c 'trap "" TERM; echo "pid $$"; while :; do sleep 1; done' & echo "pid $$"
while :; do sleep 1; done`;

  test('at its deadline, with all child processes, at once without a grace period', async () => {
    const clock = new FakeClock();
    const pids: number[] = [];
    const { end, seconds } = await sh(STUBBORN, {
      clock,
      deadline: 5000,
      on: {
        pid(word) {
          if (pids.push(Number(word)) === 2) clock.advance(5000);
        },
      },
    });
    expect(end).toEqual({ kind: 'deadline' });
    expect(seconds).toBe(5);
    expect(pids).toHaveLength(2);
    await gone(pids);
    expect(clock.pending).toBe(0);
  });

  test('gracefully first: its output within the grace period counts', async () => {
    const clock = new FakeClock();
    const { end, lines } = await sh(
      "trap 'echo bye; exit 0' TERM; echo ready; while :; do sleep 0.01; done",
      {
        clock,
        deadline: 5000,
        grace: 500,
        on: { ready: () => clock.advance(5000) },
      },
    );
    expect(end).toEqual({ kind: 'deadline' });
    expect(lines[0]).toBe('ready');
    expect(lines).toContain('bye');
  });

  test('forcibly after the grace period', async () => {
    const clock = new FakeClock();
    const pids: number[] = [];
    const { end } = await sh(STUBBORN, {
      clock,
      deadline: 5000,
      grace: 500,
      on: {
        pid(word) {
          if (pids.push(Number(word)) === 2) clock.advance(5500);
        },
      },
    });
    expect(end).toEqual({ kind: 'deadline' });
    await gone(pids);
  });

  test('when its signal aborts; an already aborted one is not started', async () => {
    const abort = new AbortController();
    const started = await sh('echo ready; sleep 60', {
      signal: abort.signal,
      on: { ready: () => abort.abort() },
    });
    expect(started.end).toEqual({ kind: 'aborted' });
    const file = path.join(folder, 'started');
    expect((await sh(`touch ${file}`, { signal: abort.signal })).end).toEqual({ kind: 'aborted' });
    expect(existsSync(file)).toBe(false);
  });

  test('when it prints more than the output limit', async () => {
    const { end, output } = await sh('while :; do echo 0123456789; done', { limits: { output: 1000 } });
    expect(end).toEqual({ kind: 'output' });
    expect(output.length).toBeLessThanOrEqual(1000);
  });

  test.skipIf(process.platform !== 'linux')('when it and its children exceed the memory limit', async () => {
    // awk doubles a string: the shell itself stays small, its child does not.
    const hog = `awk 'BEGIN { s = "0123456789abcdef"; while (length(s) < 2^27) s = s s; while (1) t = length(s) }'`;
    const { end, peakMemory } = await sh(`${hog}; true`, { limits: { memory: 64 * 2 ** 20 } });
    expect(end).toEqual({ kind: 'memory' });
    expect(peakMemory).toBeGreaterThan(64 * 2 ** 20);
  });

  test('leftover child processes are killed with it', async () => {
    const pids: number[] = [];
    const { end } = await sh('sleep 60 >&- 2>&- & echo "pid $!"; exit 0', {
      on: { pid: (word) => pids.push(Number(word)) },
    });
    expect(end).toEqual({ kind: 'exit', code: 0 });
    expect(pids).toHaveLength(1);
    await gone(pids);
  });

  test('without waiting for a detached process that holds its output', async () => {
    const pids: number[] = [];
    const abort = new AbortController();
    const { end } = await sh('setsid sh -c \'echo "pid $$"; exec sleep 60\' & sleep 60', {
      signal: abort.signal,
      on: {
        pid(word) {
          pids.push(Number(word));
          abort.abort();
        },
      },
    });
    expect(end).toEqual({ kind: 'aborted' });
    for (const pid of pids) process.kill(pid);
  });
});
