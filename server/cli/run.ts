import { VERSION } from '../version.ts';
import { describeError } from './describe-error.ts';
import { progress } from './output.ts';
import { createCommandLine } from './program.ts';

/** Runs a command line. An error is described on standard error. @returns the exit code */
export async function runCommand(args: readonly string[]): Promise<number> {
  try {
    return await createCommandLine(VERSION).run(args);
  } catch (error) {
    const { text, code } = describeError(error, args.includes('--json'));
    process.stderr.write(`${text}\n`);
    return code;
  } finally {
    progress.end();
  }
}
