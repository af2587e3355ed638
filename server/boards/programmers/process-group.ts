import { spawn } from 'node:child_process';
import type { Clock } from '../../clock.ts';

export interface ProcessGroupOptions {
  command: string;
  args: string[];
  /** Milliseconds after which the whole group is killed. */
  deadline: number;
  clock: Clock;
  signal?: AbortSignal;
  /** Called for every line of output, also for those that a carriage return overwrites. */
  onLine(line: string): void;
}

export type ProcessEnd =
  | { kind: 'exit'; code: number }
  | { kind: 'signal'; signal: NodeJS.Signals }
  | { kind: 'deadline' }
  | { kind: 'aborted' }
  | { kind: 'missing' }
  | { kind: 'unstartable'; message: string };

/** Milliseconds between asking a group to end and killing it. */
const GRACE = 500;
/** Characters of one line that are kept. */
const LINE_MAX = 2_000;

/**
 * Runs a program in a process group of its own and waits until it and what it started are gone: a child that
 * outlives its parent would keep the USB device.
 */
export function runProcessGroup(options: ProcessGroupOptions): Promise<ProcessEnd> {
  const { command, args, deadline, clock, signal } = options;
  if (signal?.aborted) return Promise.resolve({ kind: 'aborted' });
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      // On Windows there are no process groups; a detached child would get a console window.
      detached: process.platform !== 'win32',
      stdio: ['ignore', 'pipe', 'pipe'],
      windowsHide: true,
    });
    let forced: 'deadline' | 'aborted' | null = null;
    let cancelKill = () => {};
    const end = (reason: 'deadline' | 'aborted') => {
      if (forced) return;
      forced = reason;
      killGroup(child.pid, 'SIGTERM');
      cancelKill = clock.after(GRACE, () => {
        killGroup(child.pid, 'SIGKILL');
        // A grandchild may hold the pipes open: what it still says is not waited for.
        child.stdout.destroy();
        child.stderr.destroy();
      });
    };
    const cancelDeadline = clock.after(deadline, () => end('deadline'));
    const onAbort = () => end('aborted');
    signal?.addEventListener('abort', onAbort, { once: true });
    const settle = (result: ProcessEnd) => {
      cancelDeadline();
      cancelKill();
      signal?.removeEventListener('abort', onAbort);
      killGroup(child.pid, 'SIGKILL');
      resolve(forced ? { kind: forced } : result);
    };
    for (const stream of [child.stdout, child.stderr]) lines(stream, options.onLine);
    child.on('error', (error: NodeJS.ErrnoException) =>
      settle(error.code === 'ENOENT' ? { kind: 'missing' } : { kind: 'unstartable', message: error.message }),
    );
    child.on('close', (code, killedBy) =>
      settle(code === null ? { kind: 'signal', signal: killedBy ?? 'SIGKILL' } : { kind: 'exit', code }),
    );
  });
}

/** Ends a group whose leader is `pid`; one that is gone already is fine. */
function killGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  if (process.platform === 'win32') {
    // Windows has no groups: taskkill follows the tree of children, and knows no gentle way for console programs.
    spawn('taskkill', ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore', windowsHide: true }).on(
      'error',
      () => {},
    );
    return;
  }
  try {
    process.kill(-pid, signal);
  } catch {
    // No such process: it has ended.
  }
}

/** Splits at line feeds and at the carriage returns of progress bars. */
function lines(stream: NodeJS.ReadableStream, onLine: (line: string) => void): void {
  let rest = '';
  const give = (line: string) => {
    const text = line.trimEnd().slice(0, LINE_MAX);
    if (text !== '') onLine(text);
  };
  stream.setEncoding('utf8');
  stream.on('data', (text: string) => {
    const parts = (rest + text).split(/[\r\n]+/);
    rest = (parts.pop() as string).slice(0, LINE_MAX);
    for (const part of parts) give(part);
  });
  stream.on('close', () => give(rest));
}
