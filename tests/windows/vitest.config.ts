import { defineConfig } from 'vitest/config';
import { appRoot } from '../../server/paths.ts';

/** `npm run test:windows`: one scenario after the other, with how long each took. */
export default defineConfig({
  root: appRoot,
  test: {
    include: ['tests/windows/**/*.wine.ts'],
    environment: 'node',
    pool: 'forks',
    maxWorkers: 1,
    // The tests under Wine are one of these, and the first run fetches packages.
    testTimeout: 3_600_000,
    hookTimeout: 3_600_000,
    reporters: ['verbose'],
  },
});
