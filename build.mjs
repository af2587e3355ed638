// Builds dist/ with Vite: the service with its worker threads, the Electron main process, the preload script
// and the GUI. Packages stay external to the Node bundles, so native modules and WebAssembly load from their
// own folders; the GUI is bundled whole.
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { bundledPackages } from './resources/licences/bundled-packages.mjs';

const root = path.dirname(fileURLToPath(import.meta.url));
/** `--clean` removes what earlier builds left; without it, a service that runs from dist/ keeps its files. */
const clean = process.argv.includes('--clean');
const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
const external = [
  /^electron(\/.*)?$/,
  /^node:/,
  ...builtinModules,
  ...Object.keys(manifest.dependencies).flatMap((name) => [name, new RegExp(`^${name}/`)]),
];

/** Entries of the Node bundles: output name → source. Worker threads are entries of their own. */
const serverEntries = {
  cli: 'server/cli.ts',
  'build-worker': 'server/toolchain/embedded/build-worker.ts',
  'fabric-worker': 'server/boards/virtual/fabric-worker.ts',
};

/** Packages whose code is in the bundles: their licences have to go with them, see resources/licences/. */
const bundled = bundledPackages(root);

const present = (entries) =>
  Object.fromEntries(Object.entries(entries).filter(([, file]) => existsSync(path.join(root, file))));

async function buildNode(entries, outDir, format) {
  const input = present(entries);
  if (Object.keys(input).length === 0) return;
  const extension = format === 'cjs' ? 'cjs' : 'js';
  await build({
    configFile: false,
    root,
    logLevel: 'warn',
    publicDir: false,
    plugins: [bundled.plugin(outDir)],
    build: {
      ssr: true,
      outDir,
      emptyOutDir: clean,
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
        },
      },
    },
  });
}

await buildNode(serverEntries, 'dist/server', 'es');
// The desktop hosts the service; there is nothing to build before that exists.
if (existsSync(path.join(root, 'server/bench.ts')))
  await buildNode({ index: 'main/index.ts' }, 'dist/main', 'es');
await buildNode({ index: 'preload/index.ts' }, 'dist/preload', 'cjs');
if (existsSync(path.join(root, 'renderer/index.html'))) {
  const { default: react } = await import('@vitejs/plugin-react');
  await build({
    configFile: false,
    root: path.join(root, 'renderer'),
    base: '/',
    logLevel: 'warn',
    plugins: [react(), bundled.plugin('dist/renderer')],
    build: {
      outDir: '../dist/renderer',
      emptyOutDir: clean,
      target: 'chrome130',
      chunkSizeWarningLimit: 1000,
    },
  });
  // Whoever gets the GUI from the service gets the licences of what is in it from there too.
  if (existsSync(path.join(root, 'THIRD-PARTY-NOTICES.txt')))
    copyFileSync(
      path.join(root, 'THIRD-PARTY-NOTICES.txt'),
      path.join(root, 'dist/renderer/third-party-notices.txt'),
    );
}
writeFileSync(path.join(root, 'dist/bundled-packages.json'), `${JSON.stringify(bundled.found(), null, 2)}\n`);
