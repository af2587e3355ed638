import { expect, test } from 'vitest';
import { compareReports } from '../../../../server/contract/client/compare-reports.ts';
import type { BuildReport } from '../../../../server/contract/designs/uploads.ts';
import { FakeBoard } from '../../../support/fake-board.ts';
import { FakeToolchain } from '../../../support/fake-toolchain.ts';

async function report(change: Partial<BuildReport>): Promise<BuildReport> {
  const { definition: board } = new FakeBoard(0);
  const request = { source: Buffer.from('module echo;'), filename: 'echo.v', board, options: {} };
  const built = await new FakeToolchain().build(request, { async started() {}, log() {}, progress() {} });
  return { ...built.report, seconds: {}, utilisation: [], ...change };
}

const timing = (fmax: number | null, design?: number) => ({
  ...{ fmax_mhz: fmax, target_mhz: 12, met: true, critical_path: [] },
  ...(design !== undefined && { design: { fmax_mhz: design, critical_path: [] } }),
});

test('compares speed, resources and time, each with its difference as displayed', async () => {
  const before = await report({
    timing: timing(60.04, 80),
    utilisation: [{ resource: 'LUT', used: 100, available: 7680, design: 40 }],
    seconds: { synthesis: 4.004, place: 1 },
  });
  const now = await report({
    timing: timing(61.26, 79.5),
    utilisation: [{ resource: 'LUT', used: 90, available: 7680, design: 30 }],
    seconds: { synthesis: 4, place: 1.5 },
  });
  expect(compareReports(now, before)).toEqual([
    { group: 'timing', name: 'fmax', unit: 'MHz', before: 60.04, now: 61.26, difference: 1.3 },
    { group: 'timing', name: 'design', unit: 'MHz', before: 80, now: 79.5, difference: -0.5 },
    { group: 'resource', name: 'LUT', unit: '', before: 100, now: 90, difference: -10 },
    { group: 'design', name: 'LUT', unit: '', before: 40, now: 30, difference: -10 },
    { group: 'stage', name: 'synthesis', unit: 's', before: 4.004, now: 4, difference: 0 },
    { group: 'stage', name: 'place', unit: 's', before: 1, now: 1.5, difference: 0.5 },
  ]);
});

test('rows present in only one report have no difference', async () => {
  const earlier = await report({
    timing: timing(null),
    utilisation: [{ resource: 'BRAM', used: 4, available: 32 }],
  });
  const now = await report({
    timing: timing(50, 50),
    utilisation: [{ resource: 'DSP', used: 1, available: 8, design: 1 }],
    seconds: { route: 2 },
  });
  const figures = compareReports(now, earlier);
  expect(figures.map(({ name, before, now: after }) => [name, before, after])).toEqual([
    ['fmax', null, 50],
    ['design', null, 50],
    ['DSP', null, 1],
    ['DSP', null, 1],
    ['BRAM', 4, null],
    ['route', null, 2],
  ]);
  expect(figures.every(({ difference }) => difference === null)).toBe(true);
});
