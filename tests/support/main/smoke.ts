// `npm run smoke [-- EXECUTABLE]`: does the desktop application start? Without an executable: the Electron runtime on
// dist/, or the stand-in.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { appRoot } from '../../../server/paths.ts';
import { freePort } from '../free-ports.ts';
import { electronRuntime } from './standin/launch.mjs';

/** A program and its arguments. */
export type Command = readonly [program: string, ...args: string[]];

export interface SmokeLimits {
  /** Milliseconds until GET /health has to answer. */
  start: number;
  /** Milliseconds from the request to quit until the process has ended. */
  quit: number;
}

export interface SmokeResult {
  /** Milliseconds from the start of the process to the first answer of GET /health. */
  started: number;
  health: { status: string };
  /** Exit code after a request to quit; null if the system has no such request (Windows). */
  exitCode: number | null;
}

/** The application as it can be started on this machine. */
export function applicationCommand(executable?: string): Command {
  // Only root's chrome-sandbox with its bit set would do, which an application that is not installed lacks.
  const flags = process.platform === 'linux' ? ['--no-sandbox'] : [];
  if (executable !== undefined) return [path.resolve(executable), ...flags];
  const runtime = electronRuntime();
  if (runtime !== null) return [runtime, appRoot, ...flags];
  return [process.execPath, path.join(appRoot, 'tests/support/main/standin/run.mjs'), appRoot];
}

/**
 * Starts the application with a data folder and a port of its own, waits for GET /health and quits it.
 * @throws with a sentence and the application's last output when it does not start, does not answer or does not quit.
 */
export async function smoke(
  [program, ...args]: Command,
  limits: SmokeLimits = { start: 120_000, quit: 60_000 },
): Promise<SmokeResult> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'wishbench-smoke-'));
  const port = await freePort();
  const began = performance.now();
  const child = spawn(program, [...args, `--user-data-dir=${folder}`], {
    env: {
      ...process.env,
      WISHBENCH_PORT: String(port),
      WISHBENCH_DATA: path.join(folder, 'bench'),
      ELECTRON_STANDIN_USER_DATA: folder,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => output.push(String(text)));
  const fail = (sentence: string) => new Error(`${sentence}\n${output.join('').slice(-4000)}`);
  const ended = once(child, 'exit');
  ended.catch(() => {}); // it could not be started, which `health` says
  try {
    const health = await untilHealthy(child, `http://127.0.0.1:${port}/health`, limits.start, fail);
    const started = performance.now() - began;
    child.kill('SIGTERM');
    const code = await Promise.race([
      ended.then(([exitCode]) => exitCode as number | null),
      pause(limits.quit, 'running' as const, { ref: false }),
    ]);
    if (code === 'running') throw fail(`It did not quit within ${limits.quit / 1000} s.`);
    if (process.platform !== 'win32' && code !== 0) throw fail(`It ended with ${code} when asked to quit.`);
    return { started, health, exitCode: process.platform === 'win32' ? null : code };
  } finally {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await ended;
    }
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

async function untilHealthy(
  child: ChildProcess,
  url: string,
  limit: number,
  fail: (sentence: string) => Error,
): Promise<{ status: string }> {
  let broken: Error | undefined;
  child.once('error', (error) => {
    broken = error;
  });
  for (const end = performance.now() + limit; performance.now() < end; await pause(100)) {
    if (broken) throw fail(`It could not be started: ${broken.message}`);
    if (child.exitCode !== null || child.signalCode !== null)
      throw fail(`It ended with ${child.exitCode ?? child.signalCode} before it answered.`);
    const answer = await fetch(url).catch(() => null);
    if (answer?.ok) return (await answer.json()) as { status: string };
  }
  throw fail(`${url} did not answer within ${limit / 1000} s.`);
}

/** A port that was free a moment ago. */
/** Resolves with the exit code. */
export default async function main([executable]: string[]): Promise<number> {
  const command = applicationCommand(executable);
  process.stdout.write(`${command.join(' ')}\n`);
  try {
    const { started, health, exitCode } = await smoke(command);
    process.stdout.write(
      `GET /health: ${health.status}, ${(started / 1000).toFixed(1)} s after the start; ${
        exitCode === null ? 'ended' : `quit with ${exitCode}`
      }.\n`,
    );
    return 0;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
}
