// Runs the default export of a TypeScript module in a process of its own:
// node tests/support/run-typescript.mjs FILE ARGS… (FILE relative to the project).
// It becomes one file first, in the project, where packages and resources are found: quicker than one module at a time. In a
// run of the tests that happens once for each module: the folder that WISHBENCH_TEST_PROGRAMS names keeps the files.
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const [file, ...args] = process.argv.slice(2);
const programs = process.env['WISHBENCH_TEST_PROGRAMS'];
const kept = programs && path.join(programs, `${file.replaceAll(/[\\/]/g, '-')}.mjs`);

/** Makes one file of the module, in `folder`. Returns its name. */
async function bundle(folder) {
  const { build } = await import('vite');
  await build({
    configFile: false,
    root,
    logLevel: 'error',
    publicDir: false,
    // Many small modules: most of the start time.
    ssr: { noExternal: ['typebox', 'ioredis'] },
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
  return path.join(folder, 'module.mjs');
}

async function load() {
  if (kept && existsSync(kept)) return await import(pathToFileURL(kept).href);
  const cache = path.join(root, 'node_modules', '.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(path.join(cache, 'wishbench-'));
  try {
    const made = await bundle(folder);
    if (kept) renameSync(made, kept);
    return await import(pathToFileURL(kept || made).href);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const module = await load();
await module.default(args);
