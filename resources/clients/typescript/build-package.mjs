// Builds dist/client/: the client as a package with its types and without dependencies.
import { spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build, createServer } from 'vite';

const FOLDER = 'resources/clients/typescript';
/** Folders with the client's own declarations, from tsc. All other types are the contract's. */
const OWN = ['server/contract/client', FOLDER];

/** Rewrites imports of a declaration file for one flat folder. */
function flat(text, left) {
  return text.replace(/(from |import\()(['"])(\.[^'"]+)\.ts\2/g, (_all, before, quote, from) => {
    const name = path.posix.basename(from);
    const own = (/^\.\/[^/]+$/.test(from) || from.includes('/contract/client/')) && !left.has(name);
    return `${before}${quote}./${own ? name : 'contract'}.js${quote}`;
  });
}

function writeTypes(root, target, contractTypes) {
  const emitted = path.join(root, 'dist/client-types');
  const tsc = path.join(root, 'node_modules/typescript/bin/tsc');
  const args = [tsc, '-p', path.join(root, FOLDER)];
  const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`The types of the client could not be made:\n${stdout}`);
  const left = new Set(['client', 'work', 'surroundings', 'transaction-line']);
  const files = OWN.flatMap((folder) =>
    readdirSync(path.join(emitted, folder))
      .filter((file) => file.endsWith('.d.ts'))
      .map((file) => ({ name: file.slice(0, -'.d.ts'.length), file: path.join(emitted, folder, file) })),
  ).filter(({ name }) => !left.has(name));
  for (const { name, file } of files) {
    const disposable = name === 'node' ? '/// <reference lib="esnext.disposable" />\n' : '';
    writeFileSync(path.join(target, `${name}.d.ts`), disposable + flat(readFileSync(file, 'utf8'), left));
  }
  // The package also exports every named type of the contract.
  appendFileSync(path.join(target, 'index.d.ts'), "export type * from './contract.js';\n");
  writeFileSync(path.join(target, 'contract.d.ts'), contractTypes);
  rmSync(emitted, { recursive: true });
}

/** The package's manifest, from the project's. */
const manifestOf = ({ version, author, license }) => ({
  name: 'wishbench-client',
  version,
  description: 'The client of a Wishbench: FPGA nodes behind a REST service, for Node and browsers.',
  author,
  license,
  type: 'module',
  exports: { '.': { types: './index.d.ts', default: './index.js' } },
  types: './index.d.ts',
  engines: { node: '>=20.19' },
});

/** `bundled` notes the packages in the bundle: see resources/licences/. */
export async function buildClientPackage(root, manifest, bundled) {
  const target = path.join(root, 'dist/client');
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  await build({
    configFile: false,
    root,
    logLevel: 'warn',
    publicDir: false,
    plugins: [bundled.plugin('dist/client')],
    ssr: { noExternal: true },
    build: {
      ssr: true,
      outDir: target,
      emptyOutDir: false,
      // For Node 20 and browsers of its time.
      target: 'es2022',
      minify: false,
      rolldownOptions: {
        input: { index: path.join(root, FOLDER, 'index.ts') },
        output: { format: 'es', entryFileNames: '[name].js', codeSplitting: false },
      },
    },
  });
  const vite = await createServer({
    root,
    configFile: false,
    logLevel: 'error',
    appType: 'custom',
    server: { middlewareMode: true, hmr: false, ws: false, watch: null },
    optimizeDeps: { noDiscovery: true },
  });
  try {
    const { contractTypes } = await vite.ssrLoadModule(path.join(root, FOLDER, 'contract-types.ts'));
    writeTypes(root, target, contractTypes());
  } finally {
    await vite.close();
  }
  writeFileSync(path.join(target, 'package.json'), `${JSON.stringify(manifestOf(manifest), null, 2)}\n`);
  cpSync(path.join(root, 'LICENSE'), path.join(target, 'LICENSE'));
  cpSync(path.join(root, FOLDER, 'README.md'), path.join(target, 'README.md'));
  // The licences of bundled packages belong to the package.
  const licences = (bundled.found()['dist/client'] ?? []).flatMap((folder) =>
    readdirSync(path.join(root, folder))
      .filter((file) => /^licen[cs]e/i.test(file))
      .map((file) => `${path.basename(folder)}\n\n${readFileSync(path.join(root, folder, file), 'utf8')}`),
  );
  writeFileSync(path.join(target, 'THIRD-PARTY-NOTICES.txt'), licences.join('\n\n'));
}
