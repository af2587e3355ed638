import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resourcePath } from '../../../server/paths.ts';

/** The client's folder, for PYTHONPATH. */
const CLIENT_FOLDER = resourcePath('clients', 'python');

/** The system's own Python where there is one: the one that Debian's packages of modules are for. */
const PYTHON = existsSync('/usr/bin/python3') ? '/usr/bin/python3' : 'python3';

/** Whether this Python has a module. */
export const hasModule = (name: string): boolean =>
  spawnSync(PYTHON, ['-c', `import ${name}`], { stdio: 'ignore' }).status === 0;

export interface PythonResult {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface PythonOptions {
  /** The service that WISHBENCH_URL names. */
  url: string;
  cwd?: string;
  environment?: Record<string, string>;
}

const running = new Set<PythonProcess>();

/** Ends the running programs, so that a failed test leaves none. */
export async function endPythons(): Promise<void> {
  for (const one of running) one.kill('SIGKILL');
  await Promise.all([...running].map(({ ended }) => ended));
}

/** A Python program in a process of its own, with the client on its path. */
export class PythonProcess {
  readonly child: ChildProcess;
  readonly ended: Promise<PythonResult>;
  stdout = '';
  stderr = '';

  constructor(args: readonly string[], { url, cwd, environment }: PythonOptions) {
    this.child = spawn(PYTHON, ['-B', ...args], {
      cwd,
      env: {
        ...process.env,
        PYTHONPATH: CLIENT_FOLDER,
        PYTHONUNBUFFERED: '1',
        WISHBENCH_URL: url,
        WISHBENCH_KEY: 'a-python-script',
        ...environment,
      },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.child.stdout?.on('data', (text) => {
      this.stdout += text;
    });
    this.child.stderr?.on('data', (text) => {
      this.stderr += text;
    });
    running.add(this);
    this.ended = new Promise((resolve) => {
      this.child.on('close', (code, signal) => {
        running.delete(this);
        resolve({ code, signal, stdout: this.stdout, stderr: this.stderr });
      });
    });
  }

  /** Waits until the program has written this text to standard output. */
  async wrote(text: string): Promise<void> {
    while (!this.stdout.includes(text)) {
      if (this.child.exitCode !== null || this.child.signalCode !== null)
        throw new Error(`ended without writing “${text}”: ${this.stdout}${this.stderr}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  /** Answers a program's `input()`. */
  enter(): void {
    this.child.stdin?.write('\n');
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }
}

/** Runs a script to its end; warnings, such as that of a connection left open, are errors on standard error. */
export const runPython = (script: string, options: PythonOptions): Promise<PythonResult> =>
  new PythonProcess(['-W', 'error', '-c', script], options).ended;
