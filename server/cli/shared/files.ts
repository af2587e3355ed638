import { readFile, writeFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { printJson, printNotice } from '../output.ts';
import { CommandError } from '../usage.ts';

/** Writes bytes to a file, or to standard output for `-`. Prints the file's name; as JSON also its size. */
export async function writeOutput(file: string, bytes: Uint8Array, json = false): Promise<void> {
  if (file === '-') {
    process.stdout.write(bytes);
    return;
  }
  await writeFile(file, bytes).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(`${file} cannot be written (${error.code}).`, { cause: error });
  });
  if (json) printJson({ file, bytes: bytes.length });
  else printNotice(`${file}: ${bytes.length} bytes`);
}

/** Reads a file, or standard input for `-`. */
export async function readInput(file: string): Promise<Buffer> {
  if (file === '-') return await buffer(process.stdin);
  return await readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(`The file ${file} cannot be read (${error.code}).`, { cause: error });
  });
}
