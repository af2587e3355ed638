import { type ChildProcess, spawn } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import { OutputLines } from '../output-lines.ts';

export interface ChildRun {
  command: string;
  args: string[];
  cwd: string;
  env: Record<string, string>;
  /** Seconds after which the child and everything it has started are killed. */
  deadline: number;
  /** Bytes that the child and its descendants may hold together. */
  memoryLimit: number;
  /** Every line of standard output and standard error. */
  onLine?(line: string): void;
  /** Takes standard output instead: at most `limit` bytes of it are kept for the result. */
  captureOutput?: { limit: number };
  signal?: AbortSignal;
}

export interface ChildResult {
  /** How the child ended. */
  end:
    | { kind: 'exit'; code: number }
    | { kind: 'signal'; signal: string }
    | { kind: 'deadline' }
    | { kind: 'memory' }
    | { kind: 'output' }
    | { kind: 'aborted' };
  /** Standard output, when it was captured. */
  output: Buffer;
  seconds: number;
  /** Highest memory seen, bytes; 0 where the platform does not tell. */
  peakMemory: number;
}

/** How often the memory of a child is looked at, milliseconds. */
const WATCH = 100;

/**
 * Runs a child process in a process group of its own and kills the whole group when it exceeds its time or
 * memory, when `signal` aborts, and when it has ended but left something running.
 * Rejects only when the child cannot be started.
 */
export function runChild(run: ChildRun): Promise<ChildResult> {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const child = spawn(run.command, run.args, {
      cwd: run.cwd,
      env: run.env,
      stdio: ['ignore', 'pipe', 'pipe'],
      // A process group of its own on POSIX; Windows ends the tree with taskkill.
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
    let end: ChildResult['end'] | null = null;
    let peakMemory = 0;
    const captured: Buffer[] = [];
    let capturedBytes = 0;

    const kill = (reason: ChildResult['end']) => {
      end ??= reason;
      killGroup(child);
    };
    const abort = () => kill({ kind: 'aborted' });
    const timer = setTimeout(() => kill({ kind: 'deadline' }), run.deadline * 1000);
    const watch = setInterval(async () => {
      const memory = await residentMemory(child.pid);
      peakMemory = Math.max(peakMemory, memory);
      if (memory > run.memoryLimit) kill({ kind: 'memory' });
    }, WATCH);
    const release = () => {
      clearTimeout(timer);
      clearInterval(watch);
      run.signal?.removeEventListener('abort', abort);
    };

    const pass = (lines: string[]) => {
      if (end === null) for (const line of lines) run.onLine?.(line);
    };
    const streams = [child.stdout, child.stderr].map((stream, i) => {
      const lines = new OutputLines(pass);
      stream.on('data', (bytes: Buffer) => {
        if (i === 0 && run.captureOutput) {
          capturedBytes += bytes.length;
          if (capturedBytes > run.captureOutput.limit) kill({ kind: 'output' });
          else captured.push(bytes);
        } else {
          lines.write(bytes);
        }
      });
      return lines;
    });
    const flush = setInterval(() => {
      for (const lines of streams) lines.flush();
    }, 50);

    child.once('error', (error) => {
      release();
      clearInterval(flush);
      reject(error);
    });
    child.once('close', (code, signal) => {
      release();
      clearInterval(flush);
      for (const lines of streams) lines.end();
      if (code !== null || signal !== null) killGroup(child);
      resolve({
        end:
          end ?? (code !== null ? { kind: 'exit', code } : { kind: 'signal', signal: signal ?? 'SIGKILL' }),
        output: Buffer.concat(captured),
        seconds: (performance.now() - started) / 1000,
        peakMemory,
      });
    });
    if (run.signal?.aborted) abort();
    else run.signal?.addEventListener('abort', abort, { once: true });
  });
}

function killGroup(child: ChildProcess): void {
  const { pid } = child;
  if (pid === undefined) return;
  if (process.platform === 'win32') {
    if (child.exitCode === null)
      spawn('taskkill', ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore' }).on('error', () =>
        child.kill(),
      );
    return;
  }
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group has ended already.
  }
}

/** Bytes that a process and its descendants hold, as far as /proc tells; 0 elsewhere. */
async function residentMemory(pid: number | undefined): Promise<number> {
  if (pid === undefined || process.platform !== 'linux') return 0;
  const sizes = await Promise.all([...(await descendants(pid)), pid].map(residentPages));
  return sizes.reduce((sum, pages) => sum + pages, 0) * 4096;
}

async function descendants(pid: number): Promise<number[]> {
  try {
    const tasks = await readdir(`/proc/${pid}/task`);
    const lists = await Promise.all(
      tasks.map((task) => readFile(`/proc/${pid}/task/${task}/children`, 'utf8')),
    );
    const children = lists.join(' ').split(/\s+/).filter(Boolean).map(Number);
    return [...children, ...(await Promise.all(children.map(descendants))).flat()];
  } catch {
    return []; // it has ended meanwhile
  }
}

async function residentPages(pid: number): Promise<number> {
  try {
    return Number((await readFile(`/proc/${pid}/statm`, 'utf8')).split(' ')[1] ?? 0);
  } catch {
    return 0;
  }
}
