import { type ParseArgsConfig, parseArgs } from 'node:util';

/** The command line cannot be understood: one sentence, exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** What was asked cannot be done: one sentence or two, exit code 1. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

type Options = NonNullable<ParseArgsConfig['options']>;

/** Parsed options and the words between them. */
export function parse<const T extends Options>(args: string[], options: T) {
  try {
    return parseArgs({ args, options, allowPositionals: true, strict: true });
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    const unknown = /^Unknown option '([^']+)'/.exec(text)?.[1];
    if (unknown) throw new UsageError(`There is no option ${unknown}; --help lists them.`);
    const option = /^Option '(?:-\w, )?(--[\w-]+)/.exec(text)?.[1];
    throw new UsageError(
      option ? `${option} is not given as it should be; --help has the usage.` : '--help has the usage.',
    );
  }
}

/** @throws UsageError when there are too few or too many words. */
export function words(given: string[], names: string[], optional = 0): string[] {
  if (given.length < names.length - optional)
    throw new UsageError(`${names[given.length]} is missing; --help has the usage.`);
  if (given.length > names.length)
    throw new UsageError(`“${given[names.length]}” is one word too many; --help has the usage.`);
  return given;
}

/** A number as C, Verilog habits and shells write it: 10, 0x0A, 0b1010, with _ between digits. */
export function numberOf(text: string, name: string, most: number): number {
  const plain = text.replaceAll('_', '');
  const value = /^(0x[0-9a-f]+|0b[01]+|\d+)$/i.test(plain) ? Number(plain) : Number.NaN;
  if (!Number.isSafeInteger(value) || value > most)
    throw new UsageError(`${name} must be a number from 0 to ${most}, not “${text}”.`);
  return value;
}

export const USAGE = `Wishbench: the FPGA lab bench.

Usage: wishbench COMMAND [options]

The service
  serve [--host 127.0.0.1] [--port 8000] [--data DIR] [--log-level info]
                            run the bench until SIGINT or SIGTERM; $WISHBENCH_DATA is another
                            way to give DIR, $WISHBENCH_OPERATOR_TOKEN makes a token the operator;
                            without DIR the data directory is the desktop application's
  demo                      run one example through all its stages, check 512 words
  doctor [--data DIR] [--json]
                            look for what keeps boards and tools from working

A running service, at --url http://127.0.0.1:8000 or $WISHBENCH_URL
  nodes                     list the ten nodes
  submit NODE FILE          build a source file and program the node
      [--wait] [--top MODULE] [--target MHZ] [--addressing byte|word] [--tie PORT=0|1]...
  read NODE ADDRESS [COUNT] read 32-bit words, one a line
      [--fixed] [--format hex|dec|bin]
  write NODE ADDRESS WORD...
      [--fixed]             write 32-bit words; - takes them from standard input
  release NODE              end the session and wait until the node is idle
  reset NODE                reflash the node and wait until it is idle
  job NODE JOB [--wait]     show a job
  logs NODE JOB [--follow]  print the log of a job

  --key NAME_OR_KEY         who you are, or $WISHBENCH_API_KEY; your login name when absent
  --session ID              the session that holds the node, or $WISHBENCH_SESSION_ID
  --json                    print the service's own answers

  --help, --version

Numbers may be decimal, 0x… or 0b…, with _ between digits. Exit codes: 0 done, 1 refused or failed, 2 wrong usage.
`;
