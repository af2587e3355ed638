import { expect, test } from 'vitest';
import { parseBuildReport } from '../../../../server/jobs/rebuild.ts';
import { FakeBoard } from '../../../support/fake-board.ts';
import { FakeToolchain } from '../../../support/fake-toolchain.ts';

/** A report as the toolchain makes it. */
async function report() {
  const { definition: board } = new FakeBoard(0);
  const request = { source: Buffer.from('module echo;'), filename: 'echo.v', board, options: {} };
  const built = await new FakeToolchain().build(request, { async started() {}, log() {}, progress() {} });
  return built.report;
}

test('a stored report is parsed unchanged', async () => {
  const whole = await report();
  expect(parseBuildReport(JSON.stringify(whole))).toEqual(whole);
});

test('a report is read with and without the split between design and bench', async () => {
  const { utilisation, timing, ...rest } = await report();
  const design = { fmax_mhz: 70, critical_path: [{ from: 'a', to: 'b', delay_ns: 1, type: 'logic' }] };
  const split = {
    ...rest,
    utilisation: utilisation.map((row) => ({ ...row, design: 1 })),
    timing: { ...timing, design },
  };
  expect(parseBuildReport(JSON.stringify(split))).toEqual(split);
  const earlier = parseBuildReport(JSON.stringify({ ...rest, utilisation, timing }));
  expect(earlier?.utilisation.every((row) => row.design === undefined)).toBe(true);
  expect(earlier?.timing.design).toBeUndefined();
});

test.each(['', '{', '[]', 'null', '7', '{"build_id":1}'])('invalid text (%s) is no report', (text) => {
  expect(parseBuildReport(text)).toBeNull();
});
