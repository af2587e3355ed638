import { readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import path from 'node:path';
import { build } from 'vite';
import { appRoot } from '../../server/paths.ts';

const OUT = path.join(appRoot, 'node_modules/.cache/usb-vm/guest');

/**
 * Bundles the programs for the guest, which has Node but no TypeScript; returns the file. Only packages that the guest
 * has stay outside: the product's own (see machine/preload.ts).
 */
export async function boardTool(): Promise<string> {
  const manifest: unknown = JSON.parse(readFileSync(path.join(appRoot, 'package.json'), 'utf8'));
  const packages = Object.keys((manifest as { dependencies: Record<string, string> }).dependencies);
  await build({
    configFile: false,
    root: appRoot,
    logLevel: 'error',
    publicDir: false,
    // Otherwise Vite leaves every package outside.
    ssr: { noExternal: true },
    build: {
      ssr: true,
      outDir: OUT,
      emptyOutDir: true,
      target: 'node20',
      minify: false,
      rolldownOptions: {
        input: path.join(appRoot, 'tests/usb-vm/guest/board-tool.ts'),
        external: [
          /^node:/,
          ...builtinModules,
          ...packages.flatMap((name) => [name, new RegExp(`^${name}/`)]),
        ],
        output: { format: 'es', entryFileNames: 'board-tool.mjs' },
      },
    },
  });
  return path.join(OUT, 'board-tool.mjs');
}
