import { readdirSync } from 'node:fs';
import path from 'node:path';

/** Folder of the designs. */
export const CORPUS_FOLDER = path.join(import.meta.dirname, 'designs');

/**
 * Designs in the styles of public ones, written for this: each convention of the bus and of its ports, and constructs of Verilog and
 * SystemVerilog that are in general use. The head of each has what the log says of its slave. A project is a folder, with `.zip`
 * after its name.
 */
export const corpusFiles = (): string[] =>
  readdirSync(CORPUS_FOLDER, { withFileTypes: true }).map((entry) =>
    entry.isDirectory() ? `${entry.name}.zip` : entry.name,
  );
