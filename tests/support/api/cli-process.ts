import { type ChildProcess, spawn } from 'node:child_process';
import { distPath } from '../../../server/paths.ts';
import { runningTime } from '../running-time.ts';
import { showOnFailure } from '../show-on-failure.ts';

export interface CliResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** The exit code after a signal. Windows has none: a process that gets one ends at once, with no code of its own. */
export const afterSignal = (code: number): number | null => (process.platform === 'win32' ? null : code);

/** The command line as users run it: the built cli.js in a process of its own. */
export class CliProcess {
  readonly child: ChildProcess;
  stdout = '';
  stderr = '';
  readonly ended: Promise<CliResult>;

  constructor(args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
    this.child = spawn(process.execPath, [distPath('server', 'cli.js'), ...args], {
      env: { ...process.env, ...environment },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.child.stdout?.on('data', (text) => {
      this.stdout += text;
    });
    this.child.stderr?.on('data', (text) => {
      this.stderr += text;
    });
    // A failed test must not leave its process running.
    const kill = () => this.child.kill('SIGKILL');
    process.once('exit', kill);
    this.child.once('exit', () => process.off('exit', kill));
    this.ended = new Promise((resolve) => {
      this.child.on('close', (code) => {
        showOnFailure(`wishbench ${args.join(' ')}`, code, this.stderr);
        resolve({ code, stdout: this.stdout, stderr: this.stderr });
      });
    });
  }

  /** The address from the ready line of `serve`. */
  async url(): Promise<string> {
    for (;;) {
      const url = /^wishbench listening on (http:\/\/\S+)\n/.exec(this.stdout)?.[1];
      if (url) return url;
      if (this.child.exitCode !== null) throw new Error(`ended with ${this.child.exitCode}: ${this.stderr}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  /** Sends a signal; answers with how the process ended and after how many milliseconds of a machine that runs. */
  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<CliResult & { ms: number }> {
    const ranFor = await runningTime();
    this.child.kill(signal);
    const result = await this.ended;
    return { ...result, ms: ranFor() };
  }
}

/** Runs a command to its end in a process of its own: where the process is what is tested. Other tests use runCli. */
export const runCliProcess = (
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  input = '',
): Promise<CliResult> => {
  const cli = new CliProcess(args, environment);
  cli.child.stdin?.end(input);
  return cli.ended;
};
