import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Reporter, TestModule, Vitest } from 'vitest/node';
import { EVIDENCE_FILE, judgeEvidence, readEvidence, renewEvidence, type Witness } from './evidence.ts';

/** Set while what the tests prove is written down; see record-evidence.ts. */
export const RECORD = 'WISHBENCH_RECORD_EVIDENCE';

/**
 * Compares what a test run has proven of boards with resources/capabilities/evidence.json, and fails if they disagree,
 * so that nobody edits that file by hand; only on Linux.
 */
export default class EvidenceReporter implements Reporter {
  #root = process.cwd();

  onInit(vitest: Vitest): void {
    this.#root = vitest.config.root;
  }

  onTestRunEnd(modules: ReadonlyArray<TestModule>): void {
    const witnesses: Witness[] = [];
    for (const module of modules) {
      const file = path.relative(this.#root, module.moduleId).split(path.sep).join('/');
      for (const test of module.children.allTests())
        witnesses.push({
          test: `${file} > ${test.fullName}`,
          passed: test.result().state === 'passed',
          proves: test.meta().proves ?? [],
        });
    }
    const recorded = readEvidence();
    if (process.env[RECORD]) {
      const renewed = renewEvidence(recorded, witnesses, process.platform);
      writeFileSync(EVIDENCE_FILE, `${JSON.stringify(renewed, null, 2)}\n`);
      return;
    }
    if (process.platform !== 'linux') return;
    const problems = judgeEvidence(recorded, witnesses, process.platform);
    if (problems.length === 0) return;
    process.exitCode = 1;
    const remedy = 'Run `node run.mjs script tests/support/record-evidence.ts` and look at what has changed.';
    process.on('exit', () => process.stdout.write(`\n${[...problems, remedy].join('\n')}\n`));
  }
}
