// Runs the default export of a TypeScript module in a process of its own:
// node tests/support/run-typescript.mjs FILE ARGS… (FILE relative to the project).
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const [file, ...args] = process.argv.slice(2);
const { module } = await runnerImport(path.join(root, file), { root, configFile: false, logLevel: 'error' });
await module.default(args);
