// Entry of the command `wishbench`.
import { describeError } from './cli/describe-error.ts';
import { createCommandLine } from './cli/program.ts';
import { VERSION } from './version.ts';

const args = process.argv.slice(2);
// The reader of the output has closed it (`… | head`); the service goes on without a reader.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', () => args[0] === 'serve' || args[0] === 'worker' || process.exit(0));
try {
  process.exitCode = await createCommandLine(VERSION).run(args);
} catch (error) {
  const { text, code } = describeError(error, args.includes('--json'));
  process.stderr.write(`${text}\n`);
  process.exitCode = code;
}
// Remaining threads and sockets have no output; flush what was printed.
for (const stream of [process.stdout, process.stderr])
  await new Promise<void>((resolve) => stream.write('', () => resolve()));
process.exit();
