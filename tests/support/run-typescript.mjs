// Runs the default export of a TypeScript module in a process of its own:
// node tests/support/run-typescript.mjs FILE ARGS… (FILE relative to the project).
// It becomes one file first, in the project, where packages and resources are found: quicker than one module at a time.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'vite';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const [file, ...args] = process.argv.slice(2);
const cache = path.join(root, 'node_modules', '.cache');
mkdirSync(cache, { recursive: true });
const folder = mkdtempSync(path.join(cache, 'wishbench-'));
let module;
try {
  await build({
    configFile: false,
    root,
    logLevel: 'error',
    publicDir: false,
    build: {
      ssr: path.join(root, file),
      outDir: folder,
      emptyOutDir: false,
      minify: false,
      target: 'node20',
      rolldownOptions: {
        output: { format: 'es', entryFileNames: 'module.mjs', codeSplitting: false },
      },
    },
  });
  module = await import(pathToFileURL(path.join(folder, 'module.mjs')).href);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
await module.default(args);
