import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { Clock } from '../clock.ts';
import { LineCutter, type LineRules } from './line-cutter.ts';
import { OWN_GROUP, signalGroup } from './process-group.ts';
import { residentMemory } from './resident-memory.ts';

export interface ProcessOptions {
  command: string;
  args: readonly string[];
  /** Working folder, which must exist; default the service's own. */
  cwd?: string;
  /** The whole environment; default the service's own. */
  env?: Readonly<Record<string, string>>;
  clock: Clock;
  /** Milliseconds after which the process and its descendants are ended. */
  deadline: number;
  /** Milliseconds between SIGTERM and SIGKILL for the group. 0 kills at once, and later output is dropped. */
  grace?: number;
  signal?: AbortSignal;
  /** Takes each line of standard output and standard error as it comes. */
  onLine?(line: string): void;
  /** Rules for cutting lines; see LINE_RULES. */
  lines?: Partial<LineRules>;
}

/** Limits of a process besides time. It is killed when it exceeds one. */
export interface ProcessLimits {
  /** Bytes of memory of it and its descendants together; watched on Linux only. */
  memory?: number;
  /** Bytes of standard output, which then goes into the result instead of lines. */
  output?: number;
}

/** How a process ended. */
export type ProcessEnd =
  | { kind: 'exit'; code: number }
  /** Ended by a foreign signal: a crash. */
  | { kind: 'signal'; signal: NodeJS.Signals }
  | { kind: 'deadline' }
  | { kind: 'aborted' }
  /** The program or the working folder does not exist. */
  | { kind: 'missing' }
  | { kind: 'unstartable'; message: string };

/** How a process with limits ended. */
export type LimitedProcessEnd = ProcessEnd | { kind: 'memory' } | { kind: 'output' };

export interface ProcessResult<End = ProcessEnd> {
  end: End;
  /** Standard output where `limits.output` is set, else empty. */
  output: Buffer;
  seconds: number;
  /** Peak memory, bytes; 0 without a limit, or where the platform gives no figure. */
  peakMemory: number;
}

/** Default rules for log lines. */
const LINE_RULES: LineRules = { carriageReturn: 'ends-line', longest: 16 * 1024, most: 8 * 2 ** 20 };

/** Interval of memory checks, ms. */
const MEMORY_WATCH = 100;

/**
 * Runs a program in its own process group and waits until it has ended and closed its output. The whole group is killed
 * when the program exceeds its time or a limit, and when `signal` fires. Descendants that outlive the program are
 * killed too. Never rejects: every outcome is an end.
 */
export function runProcess(options: ProcessOptions & { limits?: undefined }): Promise<ProcessResult>;
export function runProcess(
  options: ProcessOptions & { limits: ProcessLimits },
): Promise<ProcessResult<LimitedProcessEnd>>;
export function runProcess(
  options: ProcessOptions & { limits?: ProcessLimits | undefined },
): Promise<ProcessResult<LimitedProcessEnd>> {
  const started = options.clock.monotonic();
  const unstarted = (end: ProcessEnd): ProcessResult => ({
    end,
    output: Buffer.alloc(0),
    seconds: (options.clock.monotonic() - started) / 1000,
    peakMemory: 0,
  });
  if (options.signal?.aborted) return Promise.resolve(unstarted({ kind: 'aborted' }));
  let child: ChildProcessByStdio<null, Readable, Readable>;
  try {
    child = spawn(options.command, options.args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      ...OWN_GROUP,
      ...(options.cwd !== undefined && { cwd: options.cwd }),
      ...(options.env && { env: options.env }),
    });
  } catch (error) {
    // Node throws some failures of the system (E2BIG, ENOMEM) and emits the others.
    return Promise.resolve(unstarted(startFailure(error)));
  }
  if (child.pid === undefined)
    return new Promise((resolve) => {
      child.once('error', (error) => resolve(unstarted(startFailure(error))));
    });
  return new RunningProcess(child, child.pid, started, options).result;
}

function startFailure(error: unknown): ProcessEnd {
  if (!(error instanceof Error)) return { kind: 'unstartable', message: String(error) };
  return 'code' in error && error.code === 'ENOENT'
    ? { kind: 'missing' }
    : { kind: 'unstartable', message: error.message };
}

/** Ends that this module causes. */
type Forced = Exclude<LimitedProcessEnd['kind'], 'exit' | 'signal' | 'missing' | 'unstartable'>;

/** A started process, from its first byte to its end. */
class RunningProcess {
  readonly result: Promise<ProcessResult<LimitedProcessEnd>>;
  readonly #child: ChildProcessByStdio<null, Readable, Readable>;
  readonly #pid: number;
  readonly #options: ProcessOptions & { limits?: ProcessLimits | undefined };
  readonly #output: Buffer[] = [];
  #outputBytes = 0;
  #peakMemory = 0;
  #forced: Forced | null = null;
  #killed = false;
  #ended = false;
  #cancelTimer: () => void;
  #cancelWatch = () => {};

  constructor(
    child: ChildProcessByStdio<null, Readable, Readable>,
    pid: number,
    started: number,
    options: ProcessOptions & { limits?: ProcessLimits | undefined },
  ) {
    this.#child = child;
    this.#pid = pid;
    this.#options = options;
    const { clock, deadline, signal, limits } = options;
    this.#cancelTimer = clock.after(deadline, () => this.#end('deadline'));
    const onAbort = () => this.#end('aborted');
    signal?.addEventListener('abort', onAbort, { once: true });
    if (limits?.memory !== undefined) this.#watchMemory(limits.memory);
    const cutters = [
      limits?.output === undefined ? this.#cut(child.stdout) : this.#keep(child.stdout, limits.output),
      this.#cut(child.stderr),
    ];
    // Only the replacement for taskkill can fail once the child runs, and then the child has ended.
    child.on('error', () => {});
    this.result = new Promise((resolve) => {
      child.once('close', (code, killedBy) => {
        this.#ended = true;
        this.#cancelTimer();
        this.#cancelWatch();
        signal?.removeEventListener('abort', onAbort);
        for (const cutter of cutters) cutter?.end();
        signalGroup(child, 'SIGKILL');
        const own: ProcessEnd =
          code === null ? { kind: 'signal', signal: killedBy ?? 'SIGKILL' } : { kind: 'exit', code };
        resolve({
          end: this.#forced === null ? own : { kind: this.#forced },
          output: Buffer.concat(this.#output),
          seconds: (clock.monotonic() - started) / 1000,
          peakMemory: this.#peakMemory,
        });
      });
    });
  }

  #cut(stream: Readable): LineCutter {
    const { onLine, lines } = this.#options;
    const cutter = new LineCutter({ ...LINE_RULES, ...lines }, (line) => {
      if (!this.#killed) onLine?.(line);
    });
    stream.on('data', (bytes: Buffer) => cutter.write(bytes));
    return cutter;
  }

  #keep(stream: Readable, most: number): null {
    stream.on('data', (bytes: Buffer) => {
      this.#outputBytes += bytes.length;
      if (this.#outputBytes > most) this.#end('output');
      else this.#output.push(bytes);
    });
    return null;
  }

  #watchMemory(most: number): void {
    const { clock } = this.#options;
    this.#cancelWatch = clock.after(MEMORY_WATCH, async () => {
      const memory = await residentMemory(this.#pid);
      this.#peakMemory = Math.max(this.#peakMemory, memory);
      if (memory > most) this.#end('memory');
      if (!this.#ended) this.#watchMemory(most);
    });
  }

  #end(reason: Forced): void {
    if (this.#forced !== null || this.#ended) return;
    this.#forced = reason;
    this.#cancelTimer();
    const { clock, grace = 0 } = this.#options;
    if (grace === 0) {
      this.#kill();
      return;
    }
    signalGroup(this.#child, 'SIGTERM');
    this.#cancelTimer = clock.after(grace, () => this.#kill());
  }

  #kill(): void {
    this.#killed = true;
    signalGroup(this.#child, 'SIGKILL');
    // A descendant that left the group may keep the pipes open: don't wait for it.
    this.#child.stdout.destroy();
    this.#child.stderr.destroy();
  }
}
