import { CommandError, USAGE, UsageError } from './cli/usage.ts';
import { ServiceError } from './contract/client/failures.ts';
import { BenchError } from './errors/bench-error.ts';

/** Every command, loaded when it is asked for: `serve` should not wait for what others need. */
async function run(command: string | undefined, args: string[]): Promise<number> {
  if (command === undefined || command === '--help' || command === 'help' || args.includes('--help')) {
    process.stdout.write(USAGE);
    return 0;
  }
  switch (command) {
    case '--version': {
      const { VERSION } = await import('./version.ts');
      process.stdout.write(`${VERSION}\n`);
      return 0;
    }
    case 'serve':
      return (await import('./cli/serve.ts')).serve(args);
    case 'demo':
      return (await import('./cli/demo.ts')).demo(args);
    case 'doctor':
      return (await import('./cli/doctor.ts')).doctor(args);
    default: {
      const { clientCommands } = await import('./cli/client-commands.ts');
      const chosen = Object.hasOwn(clientCommands, command) ? clientCommands[command] : undefined;
      if (!chosen) throw new UsageError(`There is no command “${command}”; --help lists them.`);
      return chosen(args);
    }
  }
}

/** What went wrong as one sentence or two, and the exit code that goes with it. */
function describe(error: unknown): { text: string; code: number } {
  if (error instanceof UsageError) return { text: error.message, code: 2 };
  if (error instanceof BenchError) return { text: `${error.message} ${error.remedy}`, code: 1 };
  if (error instanceof CommandError || error instanceof ServiceError) return { text: error.message, code: 1 };
  return { text: error instanceof Error ? (error.stack ?? error.message) : String(error), code: 1 };
}

const [command, ...args] = process.argv.slice(2);
// Whoever read the output has read enough (`… | head`); a service goes on without its reader.
process.stdout.on('error', () => command === 'serve' || process.exit(0));
try {
  process.exitCode = await run(command, args);
} catch (error) {
  const { text, code } = describe(error);
  process.stderr.write(`${text}\n`);
  process.exitCode = code;
}
// Threads and sockets that are still there have nothing to tell any more; what was printed has.
for (const stream of [process.stdout, process.stderr])
  await new Promise<void>((resolve) => stream.write('', () => resolve()));
process.exit();
