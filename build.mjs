// Builds dist/ with Vite: the service with its worker threads, the Electron main process, the preload script
// and the GUI. Packages stay external to the Node bundles, so native modules and WebAssembly load from their
// own folders; the GUI is bundled whole.
import { spawn } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { builtinModules } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { build } from 'vite';
import { buildClientPackage } from './resources/clients/typescript/build-package.mjs';
import { bundledPackages } from './resources/licences/bundled-packages.mjs';
import { withOlderExceptions } from './resources/yosys/older-exceptions.mjs';

const root = path.dirname(fileURLToPath(import.meta.url));
// Overrides the shell: React for development is two thirds larger, and slower.
process.env['NODE_ENV'] = 'production';
/** `--clean` removes the files of earlier builds, which a service that runs from dist/ still needs. */
const clean = process.argv.includes('--clean');
/** `--prepare` compiles the embedded tools for this computer, once. */
const prepares = process.argv.includes('--prepare');
const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
const external = [
  /^electron(\/.*)?$/,
  /^node:/,
  ...builtinModules,
  ...Object.keys(manifest.dependencies).flatMap((name) => [name, new RegExp(`^${name}/`)]),
];

/** Entries of the Node bundles: output name → source. */
const commandEntries = { cli: 'server/cli.ts' };
/** Worker threads and the tools' process have their own bundle, without the code of the commands. */
const threadEntries = {
  'tools-process': 'server/toolchain/engines/embedded/tools-process.ts',
  'build-worker': 'server/toolchain/engines/embedded/build-worker.ts',
  'pack-worker': 'server/toolchain/build/pack/pack-worker.ts',
  'symbols-worker': 'server/symbols/symbols-worker.ts',
  'fabric-worker': 'server/boards/virtual/fabric-worker.ts',
  'words-worker': 'server/boards/virtual/words-worker.ts',
};

/** All commands are in one file, because each file takes a millisecond to load. */
const COMMAND = {
  name: 'command',
  test: /[\\/]server[\\/](?:version\.ts|cli[\\/](?!log-destination|readable-log|trust))/,
};

/** Packages whose code is in the bundles, which must carry their licences: see resources/licences/. */
const bundled = bundledPackages(root);

/** Bundles entries, output name → source, for Node. */
async function buildNode(input, outDir, format, { groups = [], empty = clean } = {}) {
  const extension = format === 'cjs' ? 'cjs' : 'js';
  await build({
    configFile: false,
    root,
    logLevel: 'warn',
    publicDir: false,
    plugins: [bundled.plugin(outDir)],
    // Bundled, because they are loaded at every start and in every thread: typebox has hundreds of files.
    ssr: { noExternal: ['commander', 'typebox'] },
    build: {
      ssr: true,
      outDir,
      emptyOutDir: empty,
      target: 'node20',
      minify: false,
      sourcemap: true,
      rolldownOptions: {
        input,
        external,
        output: {
          format,
          entryFileNames: `[name].${extension}`,
          chunkFileNames: `chunks/[name]-[hash].${extension}`,
          ...(groups.length > 0 ? { codeSplitting: { groups } } : {}),
        },
      },
    },
  });
}

/**
 * The GUI's files: one for the first page, three for what the other screens share (their state, their components, and the
 * parts of a node's tabs), since on a slow link the headers of many small files cost more than their text. Each screen has
 * its own texts; the code that unpacks archives is separate.
 */
const CHUNKS = [
  {
    name: 'first',
    tags: ['$initial'],
    test: /^(?!.*[\\/]text[\\/]en(?:\.ts|[\\/](?!acts|common|shell|bench|watching)))/,
    priority: 1,
  },
  {
    name: 'work',
    test: /[\\/]renderer[\\/]src[\\/](?:state[\\/](?!files[\\/]project-archive)|text[\\/]en[\\/]node)|[\\/]contract[\\/]client[\\/]stream/,
  },
  {
    name: 'shared',
    minShareCount: 2,
    test: /[\\/]renderer[\\/]src[\\/]components[\\/](?!QrCode)/,
  },
  {
    name: 'node',
    minShareCount: 2,
    test: /[\\/]renderer[\\/]src[\\/](?:screens[\\/]node|text[\\/]en[\\/](?:log|registers))/,
  },
];

/** Files that gain by compression; pictures and fonts are compressed already. */
const COMPRESSIBLE = /\.(?:js|css|html|svg|txt|json)$/;
/** Files below this size fit into one or two packets, bytes. */
const SMALLEST = 1024;

/** Writes the compressed files that the service sends, `.br` and `.gz`, next to the originals. */
async function compressFiles(folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && COMPRESSIBLE.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name));
  const codings = { '.br': promisify(brotliCompress), '.gz': (text) => promisify(gzip)(text, { level: 9 }) };
  await Promise.all(
    files.flatMap((file) => {
      const text = readFileSync(file);
      return Object.entries(codings).map(async ([ending, compress]) => {
        // Names in assets/ have a hash of the contents, so an existing file is the same.
        if (file.includes(`${path.sep}assets${path.sep}`) && existsSync(file + ending)) return;
        // The service would send the compressed file of an earlier build.
        if (text.length < SMALLEST) rmSync(file + ending, { force: true });
        else writeFileSync(file + ending, await compress(text));
      });
    }),
  );
}

/** Writes Yosys in the form that Node 20 can load; takes a second, once. */
function writeYosys() {
  const module = path.join(root, 'node_modules/@yowasp/yosys/gen/yosys.core.wasm');
  const made = path.join(root, 'dist/server/yosys.wasm');
  const writer = path.join(root, 'resources/yosys/older-exceptions.mjs');
  const changed = (file) => statSync(file).mtimeMs;
  if (existsSync(made) && changed(made) > Math.max(changed(module), changed(writer))) return;
  // Renamed into place, because a running service has the old file open.
  writeFileSync(`${made}.new`, withOlderExceptions(readFileSync(module)));
  renameSync(`${made}.new`, made);
}

/** Compiles the embedded tools. A failure is ignored: the first build of a design compiles them. */
const prepareTools = () =>
  new Promise((resolve) => {
    const stdio = ['ignore', 'ignore', 'inherit'];
    spawn(process.execPath, [path.join(root, 'dist/server/cli.js'), 'prepare'], { stdio })
      .on('error', resolve)
      .on('exit', resolve);
  });

await buildNode(commandEntries, 'dist/server', 'es', { groups: [COMMAND] });
await buildNode(threadEntries, 'dist/server', 'es', { empty: false });
writeYosys();
const prepared = prepares ? prepareTools() : null;
await buildNode({ index: 'main/index.ts' }, 'dist/main', 'es');
await buildNode({ index: 'preload/index.ts' }, 'dist/preload', 'cjs');
await build({
  configFile: false,
  root: path.join(root, 'renderer'),
  // Relative, because a reverse proxy may serve the page below a path.
  base: './',
  logLevel: 'warn',
  plugins: [react(), bundled.plugin('dist/renderer')],
  build: {
    outDir: '../dist/renderer',
    emptyOutDir: clean,
    target: 'chrome130',
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1000,
    rolldownOptions: { output: { codeSplitting: { groups: CHUNKS } } },
  },
});
// The service sends the licences of the GUI's packages, as it sends the GUI.
copyFileSync(
  path.join(root, 'THIRD-PARTY-NOTICES.txt'),
  path.join(root, 'dist/renderer/third-party-notices.txt'),
);
await compressFiles(path.join(root, 'dist/renderer'));
await buildClientPackage(root, manifest, bundled);
writeFileSync(path.join(root, 'dist/bundled-packages.json'), `${JSON.stringify(bundled.found(), null, 2)}\n`);
await prepared;
