// Entry of the command `wishbench`.
import { runCommand } from './cli/run.ts';

const args = process.argv.slice(2);
// The reader of the output has closed it (`… | head`); the service goes on without a reader.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', () => args[0] === 'serve' || args[0] === 'worker' || process.exit(0));
process.exitCode = await runCommand(args);
// Remaining threads and sockets have no output; flush what was printed.
for (const stream of [process.stdout, process.stderr])
  await new Promise<void>((resolve) => stream.write('', () => resolve()));
process.exit();
