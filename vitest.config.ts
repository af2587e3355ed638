import os from 'node:os';
import path from 'node:path';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { compiledServer } from './tests/support/compiled-server.ts';

// The compiled-code cache of the tools: kept between runs, apart from the one of the person who runs the tests.
process.env['WISHBENCH_CACHE'] ??= path.join(import.meta.dirname, 'node_modules', '.cache', 'wishbench');

/** One for all levels: it compiles once. */
const compiled = compiledServer();

/** The test files of one folder. Files share a process, so modules load once and the tools compile once. */
const level = (
  name: string,
  folder: string,
  test: TestProjectInlineConfiguration['test'] = {},
): TestProjectInlineConfiguration => ({
  plugins: [compiled],
  test: {
    name,
    include: [`${folder}/**/*.test.{ts,tsx}`],
    pool: 'forks',
    isolate: false,
    // A limit for what hangs, on any machine. No test measures time.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    ...test,
    setupFiles: ['tests/support/after-file.ts', ...(test.setupFiles ?? [])],
  },
});

const NO_PROCESS = 'tests/support/unit-only.ts';
/** Services, worker threads and pages run from dist/, which is built first where it is stale. */
const BUILT = { globalSetup: 'tests/support/global-setup.ts' };

export default defineConfig({
  plugins: [compiled],
  test: {
    // Tests of the upper levels wait for processes, disks and each other as much as they compute.
    maxWorkers: 2 * os.availableParallelism(),
    reporters: [
      'default',
      ...['evidence', 'platform', 'summary'].map((of) => `./tests/support/${of}-reporter.ts`),
    ],
    projects: [
      level('unit', 'tests/unit', { exclude: ['tests/unit/renderer/**'], setupFiles: [NO_PROCESS] }),
      {
        ...level('unit-renderer', 'tests/unit/renderer', {
          environment: 'happy-dom',
          setupFiles: [NO_PROCESS, 'tests/support/renderer/after-page.ts'],
        }),
        // Vitest loads all modules of a page itself, so that each file gets its own.
        plugins: [],
      },
      level('integration', 'tests/integration', BUILT),
      level('acceptance', 'tests/acceptance', BUILT),
    ],
  },
});
