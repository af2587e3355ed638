import { builtinModules } from 'node:module';
import path from 'node:path';
import { build } from 'vite';
import { appRoot } from '../../server/paths.ts';

const OUT = path.join(appRoot, 'node_modules/.cache/usb-vm/guest');

/** Bundles what runs in the guest, where there is Node and nothing that reads TypeScript; gives the file. */
export async function boardTool(): Promise<string> {
  await build({
    configFile: false,
    root: appRoot,
    logLevel: 'error',
    publicDir: false,
    build: {
      ssr: true,
      outDir: OUT,
      emptyOutDir: true,
      target: 'node20',
      minify: false,
      rolldownOptions: {
        input: path.join(appRoot, 'tests/usb-vm/guest/board-tool.ts'),
        external: [/^node:/, ...builtinModules, 'usb', 'serialport', 'pino', /^typebox/],
        output: { format: 'es', entryFileNames: 'board-tool.mjs' },
      },
    },
  });
  return path.join(OUT, 'board-tool.mjs');
}
