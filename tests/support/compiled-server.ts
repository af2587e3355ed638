import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import path from 'node:path';
import { build, type Plugin } from 'vite';
import { appRoot } from '../../server/paths.ts';

const SERVER = path.join(appRoot, 'server');
const CACHE = path.join(appRoot, 'node_modules', '.cache');
/** Prefix of the folders of compiled sources, before a digest of the sources. */
const PREFIX = 'wishbench-server-';
/** Longer than a run of the tests, milliseconds. */
const LASTS = 24 * 3600_000;

/** The TypeScript sources of the service. */
const sources = (): string[] =>
  readdirSync(SERVER, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort();

/** Removes compiled code of other sources, except if a run of the tests may still use it. */
function removeOld(now: number): void {
  for (const name of readdirSync(CACHE).filter((one) => one.startsWith(PREFIX))) {
    const folder = path.join(CACHE, name);
    if (now - statSync(folder).mtimeMs > LASTS) rmSync(folder, { recursive: true, force: true });
  }
}

/** Compiles them, module by module, into a folder that is named after what they contain. Returns that folder. */
async function compile(): Promise<string> {
  const input = sources();
  const digest = createHash('sha256').update(readFileSync(path.join(appRoot, 'package-lock.json')));
  for (const file of input) digest.update(file).update('\0').update(readFileSync(file)).update('\0');
  const folder = path.join(CACHE, PREFIX + digest.digest('hex').slice(0, 24));
  if (existsSync(folder)) return folder;
  mkdirSync(CACHE, { recursive: true });
  const fresh = mkdtempSync(path.join(CACHE, 'wishbench-compiling-'));
  try {
    await build({
      configFile: false,
      root: appRoot,
      logLevel: 'error',
      publicDir: false,
      build: {
        ssr: true,
        outDir: fresh,
        minify: false,
        sourcemap: 'inline',
        target: 'node20',
        rolldownOptions: {
          input,
          preserveEntrySignatures: 'strict',
          output: {
            format: 'es',
            preserveModules: true,
            preserveModulesRoot: SERVER,
            entryFileNames: '[name].mjs',
          },
        },
      },
    });
    removeOld(statSync(fresh).mtimeMs);
    renameSync(fresh, folder);
  } catch (error) {
    // Another run of the tests has just made the same.
    if (!existsSync(folder)) throw error;
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  return folder;
}

/**
 * Gives tests the modules of `server/` as Node itself runs them. In Vitest each import is a property with a getter,
 * which keeps V8 from inlining calls that the simulation makes millions of times, and each process transforms and
 * evaluates hundreds of modules. With this plugin, tests of the virtual boards take half of the processor time. It
 * rules out `vi.mock` of `server/`, which no test uses. In watch mode Vitest loads the modules itself and sees changes.
 */
export function compiledServer(): Plugin {
  let watches = false;
  let compiled: Promise<string> | undefined;
  return {
    name: 'compiled-server',
    enforce: 'pre',
    configureVitest({ vitest }) {
      watches = vitest.config.watch;
    },
    async resolveId(source, importer) {
      if (watches || importer === undefined || !source.startsWith('.') || !source.endsWith('.ts'))
        return null;
      const inServer = path.relative(SERVER, path.resolve(path.dirname(importer), source));
      if (inServer.startsWith('..') || path.isAbsolute(inServer)) return null;
      compiled ??= compile();
      return path.join(await compiled, inServer.replace(/\.ts$/, '.mjs'));
    },
  };
}
