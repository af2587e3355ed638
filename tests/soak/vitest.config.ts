import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Some ordinary tests have a long form: every example for every board, more random cases. */
const FILES = [
  'tests/soak/**/*.soak.ts',
  'tests/acceptance/renderer/**/*.test.ts',
  'tests/acceptance/server/boards/builds.test.ts',
  'tests/integration/server/api/any-node.test.ts',
  'tests/integration/server/boards/faults.test.ts',
  'tests/unit/server/boards/programming.test.ts',
  'tests/unit/server/boards/virtual/cases.test.ts',
  'tests/acceptance/server/boards/virtual/ram-startup.test.ts',
  'tests/integration/server/boards/virtual/pins.test.ts',
  'tests/integration/server/boards/virtual/fabric.test.ts',
  'tests/acceptance/server/boards/virtual/differential.test.ts',
  'tests/acceptance/server/boards/virtual/busy.test.ts',
  'tests/unit/server/boards/virtual/lazy.test.ts',
  'tests/unit/server/boards/virtual/plan-store.test.ts',
  'tests/unit/server/boards/virtual/products.test.ts',
  'tests/unit/server/boards/virtual/shifts.test.ts',
  'tests/unit/server/boards/virtual/words.test.ts',
  'tests/acceptance/server/board-check/design.test.ts',
  'tests/acceptance/gateware/base.test.ts',
  'tests/acceptance/gateware/gateware.test.ts',
  'tests/acceptance/gateware/top.test.ts',
  'tests/integration/server/jobs/chaos.test.ts',
  'tests/integration/server/jobs/placement.test.ts',
  'tests/acceptance/server/toolchain/engines/embedded/embedded.test.ts',
  'tests/acceptance/server/toolchain/build/wrap/wrap.test.ts',
  'tests/acceptance/server/toolchain/build/pack/pack.test.ts',
  'tests/acceptance/server/toolchain/expressions/expressions.test.ts',
  'tests/acceptance/server/toolchain/expressions/processes.test.ts',
  'tests/acceptance/server/toolchain/frontends/vhdl/vhdl-operators.test.ts',
  'tests/acceptance/server/toolchain/hostile/hostile-designs.test.ts',
  'tests/acceptance/server/toolchain/farm/empty-redis.test.ts',
  'tests/acceptance/flow/examples.test.ts',
  'tests/acceptance/server/toolchain/frontends/scan.test.ts',
  'tests/acceptance/server/toolchain/frontends/verilog/limits.test.ts',
  'tests/acceptance/server/toolchain/frontends/verilog/mistakes.test.ts',
  'tests/acceptance/server/toolchain/frontends/verilog/mutated-text.test.ts',
  'tests/acceptance/server/toolchain/frontends/verilog/top-given.test.ts',
  'tests/acceptance/server/toolchain/frontends/verilog/values.test.ts',
  'tests/acceptance/server/toolchain/slave/address-use.test.ts',
  'tests/acceptance/server/toolchain/slave/registered-reads.test.ts',
  'tests/unit/server/toolchain/languages/readers.test.ts',
  'tests/integration/server/toolchain/languages/vhdl-lexis.test.ts',
];

for (const file of FILES)
  if (!file.includes('*') && !existsSync(path.join(root, file))) throw new Error(`There is no ${file}.`);

/** `npm run soak`: the harnesses at their full length. Each ends by itself and prints its figures. */
export default defineConfig({
  test: {
    root,
    include: FILES,
    env: {
      WISHBENCH_SOAK: '1',
      WISHBENCH_FUZZ: '200',
      WISHBENCH_CHAOS_RUNS: '400',
      WISHBENCH_EXPRESSIONS: '20000',
    },
    environment: 'node',
    pool: 'forks',
    setupFiles: 'tests/support/after-file.ts',
    // One by one: their figures need an idle machine.
    fileParallelism: false,
    globalSetup: 'tests/support/global-setup.ts',
    testTimeout: 24 * 3_600_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
    reporters: ['default'],
  },
});
