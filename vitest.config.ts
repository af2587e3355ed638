import os from 'node:os';
import path from 'node:path';
import type { Plugin } from 'vite';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { compiledServer } from './tests/support/compiled-server.ts';
import LongestFirst from './tests/support/longest-first.ts';
import { filesInOtherCompany } from './tests/support/own-process.ts';

// What is compiled of the tools is kept from run to run: not where the person who runs the tests keeps things.
process.env['WISHBENCH_CACHE'] ??= path.join(import.meta.dirname, 'node_modules', '.cache', 'wishbench');

const TESTS = 'tests/**/*.test.{ts,tsx}';
const AFTER_FILE = 'tests/support/after-file.ts';
const { pages, alone } = filesInOtherCompany();
/** Tests make much that is soon gone: with room for it, collecting garbage takes a fourteenth less of the processor in all. */
const COLLECTS_RARELY = ['--max-semi-space-size=32', '--single-threaded-gc'];
/**
 * Most of what tests call they do not call for long: it is compiled simply at its first call, and well, with a fifth of the usual
 * inlining, after three times as many as by default. That takes an eighth less of the processor.
 */
const COMPILES_SIMPLY = [
  '--always-sparkplug',
  '--interrupt-budget=200000',
  '--max-inlined-bytecode-size-cumulative=200',
];
/** One for all projects: it compiles once. */
const compiled = compiledServer();

const project = (
  name: string,
  test: Pick<
    NonNullable<TestProjectInlineConfiguration['test']>,
    'include' | 'exclude' | 'isolate' | 'setupFiles'
  >,
  plugins: Plugin[] = [],
): TestProjectInlineConfiguration => ({
  plugins,
  test: {
    name,
    environment: 'node',
    pool: 'forks',
    execArgv: [...COLLECTS_RARELY, ...COMPILES_SIMPLY],
    setupFiles: [AFTER_FILE],
    // Against what hangs, on any machine: nothing is timed.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // On the loaded machine of a CI pages, services and toolchains wait for each other in ways that no test can order: what
    // fails there is tried once more, and named at the end of the run.
    retry: process.env['CI'] ? 1 : 0,
    // What a page shows comes when it comes.
    expect: { poll: { timeout: 60_000 } },
    ...test,
  },
});

/** Tests run the TypeScript sources; worker threads and the GUI come from dist/, which is built first where it is stale. */
export default defineConfig({
  // For what runs before the tests; each project has its own.
  plugins: [compiled],
  test: {
    // More than cores: the tests wait for processes, disks and each other as much as they compute. Five on two cores took as
    // long as four.
    maxWorkers: 2 * os.availableParallelism(),
    globalSetup: 'tests/support/global-setup.ts',
    reporters: ['default', './tests/support/evidence-reporter.ts', './tests/support/summary-reporter.ts'],
    sequence: { sequencer: LongestFirst },
    projects: [
      // One process for many files: modules are loaded once, and the tools of the toolchain compiled once.
      project(
        'shared',
        {
          include: [TESTS],
          exclude: ['**/node_modules/**', ...pages, ...alone],
          isolate: false,
        },
        [compiled],
      ),
      // The same with a document, which takes longer to set up than most of these tests.
      project('pages', {
        include: pages,
        isolate: false,
        setupFiles: [AFTER_FILE, 'tests/renderer/support/after-page.ts'],
      }),
      // A process for each file.
      project('alone', { include: alone, isolate: true }, [compiled]),
    ],
  },
});
