import path from 'node:path';
import { defineConfig } from 'vitest/config';
import { appRoot } from '../../server/paths.ts';
import { RECORD } from '../support/evidence-reporter.ts';

/** `npm run test:usb`: one guest at a time, and every scenario with how long it took. */
export default defineConfig({
  root: appRoot,
  test: {
    include: [path.join('tests/usb-vm/**/*.vm.ts')],
    environment: 'node',
    pool: 'forks',
    maxWorkers: 1,
    // Emulated processors are slow; hangs in the guest have shorter deadlines.
    testTimeout: 1_800_000,
    hookTimeout: 1_800_000,
    // Record only: no run has proven everything yet, and a new proof is no failure.
    reporters: ['verbose', ...(process.env[RECORD] ? ['tests/support/evidence-reporter.ts'] : [])],
  },
});
