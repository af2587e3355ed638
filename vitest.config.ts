import os from 'node:os';
import { defineConfig } from 'vitest/config';

/** Tests run the TypeScript sources; worker threads and the GUI come from dist/, which run.mjs builds first. */
export default defineConfig({
  test: {
    include: ['tests/**/*.test.{ts,tsx}'],
    environment: 'node',
    pool: 'forks',
    // All cores: the tests wait for processes and disks more than they compute.
    maxWorkers: os.availableParallelism(),
    globalSetup: 'tests/support/global-setup.ts',
    testTimeout: 120_000,
    // Some begin behind builds, which wait for those of other tests.
    hookTimeout: 180_000,
    // What a page shows comes when it comes.
    expect: { poll: { timeout: 60_000 } },
    reporters: ['default', './tests/support/evidence-reporter.ts', './tests/support/summary-reporter.ts'],
  },
});
