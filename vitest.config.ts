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
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: ['default', './tests/support/summary-reporter.ts'],
  },
});
