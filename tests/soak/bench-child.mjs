// Runs bench-child.ts in a process of its own. Other than tests/support/run-typescript.mjs its loader stays open while
// the module runs, for the service loads parts of itself on the way.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { createServer } from 'vite';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const vite = await createServer({
  root,
  configFile: false,
  logLevel: 'error',
  appType: 'custom',
  server: { middlewareMode: true, hmr: false, ws: false, watch: null },
  optimizeDeps: { noDiscovery: true },
});
const { default: run } = await vite.ssrLoadModule('/tests/soak/bench-child.ts');
await run(process.argv.slice(2), () => vite.close());
