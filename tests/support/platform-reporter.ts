import path from 'node:path';
import type { Reporter, TestModule, Vitest } from 'vitest/node';
import { RECORD_RUN, recordRun } from './platform-runs.ts';

const SYSTEMS: Partial<Record<NodeJS.Platform, string>> = {
  linux: 'Linux',
  win32: 'Windows',
  darwin: 'macOS',
};

/** The unit level is two projects. */
const levelOf = (project: string): string => (project === 'unit-renderer' ? 'unit' : project);

/** Records the levels that ran whole, where that is wanted. A part of a level says nothing of a system. */
export default class PlatformReporter implements Reporter {
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  async onTestRunEnd(modules: ReadonlyArray<TestModule>): Promise<void> {
    const vitest = this.#vitest;
    if (!process.env[RECORD_RUN] || vitest === undefined || vitest.config.testNamePattern) return;
    const specifications = await vitest.globTestSpecifications();
    for (const tests of new Set(modules.map(({ project }) => levelOf(project.name)))) {
      const ran = modules.filter(({ project }) => levelOf(project.name) === tests);
      const files = specifications.filter(({ project }) => levelOf(project.name) === tests);
      if (ran.length < files.length) continue;
      const outcomes = ran.flatMap((module) => {
        const file = path.relative(vitest.config.root, module.moduleId).split(path.sep).join('/');
        const own = [...module.children.allTests()].map((test) => ({
          name: `${file} > ${test.fullName}`,
          state: test.result().state,
        }));
        const failed = !module.ok() && own.every(({ state }) => state !== 'failed');
        return failed ? [...own, { name: file, state: 'failed' as const }] : own;
      });
      const count = (state: string) => outcomes.filter((one) => one.state === state);
      const failed = count('failed').map(({ name }) => name);
      const passed = count('passed').length;
      recordRun({
        ...{ system: SYSTEMS[process.platform] ?? process.platform, node: process.versions.node, tests },
        ...{ passed, failed, skipped: outcomes.length - passed - failed.length },
      });
    }
  }
}
