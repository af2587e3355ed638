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
import { build } from 'vite';
import { buildClientPackage } from './resources/clients/typescript/build-package.mjs';
import { bundledPackages } from './resources/licences/bundled-packages.mjs';
import { withOlderExceptions } from './resources/yosys/older-exceptions.mjs';

const root = path.dirname(fileURLToPath(import.meta.url));
// Whatever the caller's shell says: React for development is two thirds larger, and slower.
process.env['NODE_ENV'] = 'production';
/** `--clean` removes what earlier builds left; without it, a service that runs from dist/ keeps its files. */
const clean = process.argv.includes('--clean');
/** `--prepare` has the embedded tools compiled for this computer meanwhile, where that was not done before. */
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
/** Worker threads and the process that the tools run in: a bundle of their own, so that none of them loads what only the command needs. */
const threadEntries = {
  'tools-process': 'server/toolchain/engines/embedded/tools-process.ts',
  'build-worker': 'server/toolchain/engines/embedded/build-worker.ts',
  'pack-worker': 'server/toolchain/build/pack/pack-worker.ts',
  'symbols-worker': 'server/symbols/symbols-worker.ts',
  'fabric-worker': 'server/boards/virtual/fabric-worker.ts',
  'words-worker': 'server/boards/virtual/words-worker.ts',
};

/** All commands are one file: each more takes a millisecond to be found, opened and linked. Parts of the service are others. */
const COMMAND = {
  name: 'command',
  test: /[\\/]server[\\/](?:version\.ts|cli[\\/](?!log-destination|readable-log|trust))/,
};

/** Packages whose code is in the bundles: their licences have to go with them, see resources/licences/. */
const bundled = bundledPackages(root);

const present = (entries) =>
  Object.fromEntries(Object.entries(entries).filter(([, file]) => existsSync(path.join(root, file))));

async function buildNode(entries, outDir, format, { groups = [], empty = clean } = {}) {
  const input = present(entries);
  if (Object.keys(input).length === 0) return;
  const extension = format === 'cjs' ? 'cjs' : 'js';
  await build({
    configFile: false,
    root,
    logLevel: 'warn',
    publicDir: false,
    plugins: [bundled.plugin(outDir)],
    // No packages of the archive: in the bundle they are there at once, and nothing has to be looked for. Of typebox that
    // would be hundreds of files, at every start and in every thread.
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
 * What the first page needs is one file, and what the screens behind it share is another: small ones cost a slow link more
 * in headers than in text. The sentences of a screen are with it, and what unpacks an archive is by itself.
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
];

/** Text that a browser loads; pictures and fonts are compressed already. */
const COMPRESSIBLE = /\.(?:js|css|html|svg|txt|json)$/;
/** Below this it fits a packet or two as it is, bytes. */
const SMALLEST = 1024;

/** Writes `.br` and `.gz` beside every file that gains by it, once and as small as they get: the service sends them. */
async function compressFiles(folder) {
  if (!existsSync(folder)) return;
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && COMPRESSIBLE.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name));
  const codings = { '.br': promisify(brotliCompress), '.gz': (text) => promisify(gzip)(text, { level: 9 }) };
  await Promise.all(
    files.flatMap((file) => {
      const text = readFileSync(file);
      return Object.entries(codings).map(async ([ending, compress]) => {
        // A name in assets/ has a hash of the contents: what is there already is the same.
        if (file.includes(`${path.sep}assets${path.sep}`) && existsSync(file + ending)) return;
        // One of an earlier build would be sent in place of the file that is there now.
        if (text.length < SMALLEST) rmSync(file + ending, { force: true });
        else writeFileSync(file + ending, await compress(text));
      });
    }),
  );
}

/** Yosys as every Node that the service supports can load it: takes a second, once. */
function writeYosys() {
  const module = path.join(root, 'node_modules/@yowasp/yosys/gen/yosys.core.wasm');
  const made = path.join(root, 'dist/server/yosys.wasm');
  const writer = path.join(root, 'resources/yosys/older-exceptions.mjs');
  const changed = (file) => statSync(file).mtimeMs;
  if (existsSync(made) && changed(made) > Math.max(changed(module), changed(writer))) return;
  // A service that runs has the file open that was there before.
  writeFileSync(`${made}.new`, withOlderExceptions(readFileSync(module)));
  renameSync(`${made}.new`, made);
}

/** Without it the first build compiles them itself: that it fails is no failure of the build. */
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
// The desktop hosts the service; there is nothing to build before that exists.
if (existsSync(path.join(root, 'server/bench.ts')))
  await buildNode({ index: 'main/index.ts' }, 'dist/main', 'es');
await buildNode({ index: 'preload/index.ts' }, 'dist/preload', 'cjs');
if (existsSync(path.join(root, 'renderer/index.html'))) {
  const { default: react } = await import('@vitejs/plugin-react');
  await build({
    configFile: false,
    root: path.join(root, 'renderer'),
    // Relative: a reverse proxy may have the page below a path.
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
  // Whoever gets the GUI from the service gets the licences of what is in it from there too.
  if (existsSync(path.join(root, 'THIRD-PARTY-NOTICES.txt')))
    copyFileSync(
      path.join(root, 'THIRD-PARTY-NOTICES.txt'),
      path.join(root, 'dist/renderer/third-party-notices.txt'),
    );
}
await compressFiles(path.join(root, 'dist/renderer'));
await buildClientPackage(root, manifest, bundled);
writeFileSync(path.join(root, 'dist/bundled-packages.json'), `${JSON.stringify(bundled.found(), null, 2)}\n`);
await prepared;
