// The entry of every command in package.json: installs packages and builds dist/ where needed, then runs the command.
// It imports nothing but Node's own modules until the packages are installed, so it works in a fresh clone.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build as buildDist, digest, stamp, stamped } from './dist.mjs';
import { passSignals } from './signals.mjs';

const root = path.dirname(fileURLToPath(import.meta.url));
const at = (...parts) => path.join(root, ...parts);
const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';

const [command = 'help', ...rest] = process.argv.slice(2);

function fail(sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
}

/** Runs a program to its end with the output of this process; exits where it fails. */
function must(program, args, options = {}) {
  const { status, error } = spawnSync(program, args, { cwd: root, stdio: 'inherit', ...options });
  if (error) fail(`${program} could not be started: ${error.message}`);
  if (status !== 0) process.exit(status ?? 1);
}

/** Runs a program until it ends, passing signals on, and takes over its exit code. */
function become(program, args, options = {}) {
  const child = spawn(program, args, { cwd: root, stdio: 'inherit', ...options });
  passSignals(child);
  child.on('error', (error) => fail(`${program} could not be started: ${error.message}`));
  child.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)));
}

/** Installs what package-lock.json names, once per lock file. Progress goes to stderr. */
function install() {
  const wanted = digest(['package.json', 'package-lock.json']);
  if (existsSync(at('node_modules/vite')) && stamped('node_modules/.wishbench', wanted)) return;
  process.stderr.write('Installing packages…\n');
  // `npm ci` for a fresh clone; where packages are there already, `npm install` changes only what differs.
  const how = existsSync(at('node_modules')) ? 'install' : 'ci';
  const options = { stdio: ['ignore', 2, 2], shell: process.platform === 'win32' };
  must(npm, [how, '--no-audit', '--no-fund', '--loglevel=error'], options);
  stamp('node_modules/.wishbench', digest(['package.json', 'package-lock.json']));
}

function build(options) {
  try {
    buildDist(options);
  } catch (error) {
    fail(error.message);
  }
}

const cli = (...args) => become(process.execPath, [at('dist/server/cli.js'), ...args]);

/**
 * V8's flags for the service, each measured with `npm run bench`:
 * - a young generation of 4 MiB instead of 16: 104 instead of 123 MiB when it listens;
 * - an old generation that may double before a collection: one in 1,900 runs instead of 300 to 600, for 15 MiB more;
 * - baseline code on the first call: a sixth less CPU time for the first hundreds of requests;
 * - a fifth of the usual inlining: less optimisation beside requests on two cores, and p99 of 1,600 runs a fifth lower.
 */
const SERVICE_FLAGS = [
  '--max-semi-space-size=4',
  '--heap-growing-percent=100',
  '--always-sparkplug',
  '--max-inlined-bytecode-size-cumulative=200',
];
/**
 * V8's flags for the benchmarks. Some areas measure parts of the service in this process, so it has the service's young
 * generation; a larger one adds pauses of 5 to 8 ms of the client to what is measured.
 */
const BENCH_FLAGS = ['--max-semi-space-size=4'];
/** One memory pool of glibc for all threads: 290 instead of 430 MiB are resident after three builds. */
const service = (...args) =>
  become(process.execPath, [...SERVICE_FLAGS, at('dist/server/cli.js'), ...args], {
    env: { MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: '131072', ...process.env },
  });

/** Runs Vitest, which builds dist/ first for the levels that run from it. */
const vitest = (...args) => {
  install();
  become(process.execPath, [at('node_modules/vitest/vitest.mjs'), ...args]);
};

/** The Electron executable where its runtime has been fetched; never starts the download of it. */
function electronRuntime() {
  const folder = path.dirname(createRequire(import.meta.url).resolve('electron/package.json'));
  const name =
    { darwin: 'Electron.app/Contents/MacOS/Electron', win32: 'electron.exe' }[process.platform] ?? 'electron';
  const file = path.join(process.env.ELECTRON_OVERRIDE_DIST_PATH ?? path.join(folder, 'dist'), name);
  return existsSync(file) && statSync(file).isFile() ? file : null;
}

/** Loads a TypeScript module through Vite and runs its default export with the remaining arguments. */
async function script(file, args) {
  const { createServer } = await import('vite');
  // Open while the script runs: its dynamic imports go through the same server.
  const vite = await createServer({
    root,
    configFile: false,
    logLevel: 'error',
    appType: 'custom',
    server: { middlewareMode: true, hmr: false, ws: false, watch: null },
    optimizeDeps: { noDiscovery: true },
  });
  try {
    const module = await vite.ssrLoadModule(at(file));
    process.exitCode = (await module.default(args)) ?? 0;
  } finally {
    await vite.close();
  }
}

const commands = {
  install: () => install(),
  build() {
    install();
    build({ force: true });
  },
  start() {
    install();
    const electron = electronRuntime();
    build({ prepares: electron === null });
    if (electron && existsSync(at('dist/main/index.js'))) return become(electron, [root, ...rest]);
    process.stderr.write(
      'The Electron runtime is not installed, so the bench runs without its window: open the address below in a browser. (`npx install-electron` fetches the runtime.)\n',
    );
    return service('serve', ...rest);
  },
  test() {
    vitest('run', ...rest);
  },
  /** The unit level: no process, no network, no build. */
  'test:unit'() {
    vitest('run', '--project', 'unit', '--project', 'unit-renderer', ...rest);
  },
  /** The tests that import a file changed since the last commit, or since COMMIT: `test:changed -- COMMIT`. */
  'test:changed'() {
    vitest('run', rest[0] ? `--changed=${rest[0]}` : '--changed', ...rest.slice(1));
  },
  'test:usb'() {
    install();
    build();
    vitest('run', '--config', 'tests/usb-vm/vitest.config.ts', ...rest);
  },
  /** The tests on Node for Windows under Wine, from a dist/ of their own. */
  'test:windows'() {
    install();
    const config = ['--config', 'tests/windows/vitest.config.ts'];
    become(process.execPath, [at('node_modules/vitest/vitest.mjs'), 'run', ...config, ...rest]);
  },
  /** The tests that take too long for `npm test`. */
  soak() {
    vitest('run', '--config', 'tests/soak/vitest.config.ts', ...rest);
  },
  serve() {
    install();
    build({ prepares: true });
    service('serve', ...rest);
  },
  worker() {
    install();
    build({ prepares: true });
    service('worker', ...rest);
  },
  demo() {
    install();
    build({ prepares: true });
    cli('demo', ...rest);
  },
  doctor() {
    install();
    build();
    cli('doctor', ...rest);
  },
  async check() {
    install();
    const { check, RULES } = await import('./check.mjs');
    const unknown = rest.filter((rule) => !(rule in RULES));
    if (unknown.length > 0)
      fail(`No such rule: ${unknown.join(', ')}. Rules: ${Object.keys(RULES).join(', ')}.`);
    const chosen = Object.entries(RULES).filter(([rule]) => rest.length === 0 || rest.includes(rule));
    process.exitCode = check(Object.fromEntries(chosen), (text) => process.stdout.write(text));
  },
  async generate() {
    install();
    build();
    await script('generate.ts', rest);
  },
  async bench() {
    install();
    build({ prepares: true });
    become(process.execPath, [...BENCH_FLAGS, at('run.mjs'), 'script', 'tests/bench/bench.ts', ...rest]);
  },
  async screenshots() {
    install();
    build();
    await script('tests/support/browser/screenshots.ts', rest);
  },
  async 'package:dir'() {
    install();
    build({ force: true });
    await script('tests/support/main/package-dir.ts', rest);
  },
  package() {
    install();
    build({ force: true });
    become(process.execPath, [at('node_modules/electron-builder/cli.js'), '--publish', 'never', ...rest]);
  },
  async smoke() {
    install();
    build();
    await script('tests/support/main/smoke.ts', rest);
  },
  async script() {
    install();
    await script(rest[0], rest.slice(1));
  },
};

const chosen = commands[command];
if (!chosen) fail(`Usage: node run.mjs ${Object.keys(commands).join(' | ')}`);
await chosen();
