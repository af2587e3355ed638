import { expect, test } from 'vitest';
import { toolsOf } from '../../../../server/contract/bench/worker-tools.ts';
import type { Job } from '../../../../server/contract/jobs/jobs.ts';
import { overallFraction } from '../../../../server/contract/jobs/progress.ts';
import { job } from '../../../support/renderer/fixtures.ts';

test.each<[what: string, change: Partial<Job>, fraction: number | undefined]>([
  ['that is queued', { status: 'queued' }, 0],
  ['without a stage yet', { status: 'running' }, undefined],
  ['that waits for a worker', { status: 'running', stage: 'queue' }, 0],
  ['that begins', { status: 'running', stage: 'scan' }, 0],
  ['amid synthesis', { status: 'running', stage: 'synthesis', fraction: 0.5 }, 0.3],
  ['in a stage of another type of job', { status: 'running', stage: 'transfer', fraction: 0.2 }, 0.2],
  ['that failed', { status: 'failed', stage: 'synthesis' }, 1],
])('the progress of a build %s', (_what, change, fraction) => {
  const found = overallFraction(job(change));
  if (fraction === undefined) expect(found).toBeUndefined();
  else expect(found).toBeCloseTo(fraction);
});

test('the tools of a worker are named once, with their versions', () => {
  const versions = { yosys: 'Yosys 0.70', nextpnr: '0.8' };
  const build = { family: 'ice40', engine: 'native', versions };
  const worker = { version: '0.1.0', builds: [build, build] } as unknown as Parameters<typeof toolsOf>[0];
  expect(toolsOf(worker)).toBe('Wishbench 0.1.0, Yosys 0.70, nextpnr 0.8');
});
