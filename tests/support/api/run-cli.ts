import { AsyncLocalStorage } from 'node:async_hooks';
import { Readable, Writable } from 'node:stream';
import { runCommand } from '../../../server/cli/run.ts';
import type { CliResult } from './cli-process.ts';

/** What a command uses of its process. */
type Surroundings = Pick<NodeJS.Process, 'env'> & { stdin: Readable; stdout: Writable; stderr: Writable };
const NAMES = ['env', 'stdin', 'stdout', 'stderr'] as const;

const surroundings = new AsyncLocalStorage<Surroundings>();
/** Commands under way. */
let running = 0;
let putBack = () => {};

/** Gives each command its own surroundings, and everything else those of this process. */
function divert(): void {
  const own = NAMES.map((name) => [name, Object.getOwnPropertyDescriptor(process, name)!] as const);
  for (const [name, descriptor] of own) {
    const get = () => surroundings.getStore()?.[name] ?? descriptor.get?.call(process) ?? descriptor.value;
    Object.defineProperty(process, name, { configurable: true, enumerable: true, get });
  }
  putBack = () => {
    for (const [name, descriptor] of own) Object.defineProperty(process, name, descriptor);
  };
}

class Collected extends Writable {
  readonly #chunks: Buffer[] = [];
  /** Width of the terminal; undefined where there is none. */
  readonly columns: number | undefined;

  constructor(columns?: number) {
    super();
    this.columns = columns;
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#chunks.push(chunk);
    done();
  }

  get text(): string {
    return Buffer.concat(this.#chunks).toString();
  }
}

/**
 * Runs a command in the process of the tests: a process of its own takes 0.3 s of processor time. For commands that end
 * by themselves and start no service; where signals, pipes or a terminal count, use CliProcess.
 * @param columns width of the terminal that standard output is
 */
export async function runCli(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  input = '',
  columns?: number,
): Promise<CliResult> {
  const [stdout, stderr] = [new Collected(columns), new Collected()];
  const own = {
    env: { ...process.env, ...environment },
    stdin: Readable.from(input === '' ? [] : [Buffer.from(input)]),
    stdout,
    stderr,
  };
  if (running++ === 0) divert();
  try {
    const code = await surroundings.run(own, () => runCommand(args));
    return { code, stdout: stdout.text, stderr: stderr.text };
  } finally {
    if (--running === 0) putBack();
  }
}
