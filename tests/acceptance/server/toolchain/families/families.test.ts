import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadCatalogue, VIRTUAL_BOARD } from '../../../../../server/boards/catalogue/index.ts';
import type { BoardDefinition } from '../../../../../server/boards/definition.ts';
import { runDoctor } from '../../../../../server/boards/doctor/index.ts';
import { neededByFamilies } from '../../../../../server/toolchain/engines/installed/tools.ts';
import { ice40 } from '../../../../../server/toolchain/families/ice40/ice40.ts';
import { FAMILIES, familyOf } from '../../../../../server/toolchain/families/index.ts';
import { temporaryFolder } from '../../../../support/temporary.ts';
import {
  example,
  freshToolchain,
  record,
  refusal,
  requestOf,
} from '../../../../support/toolchain/build/support.ts';

const virtual = loadCatalogue().get(VIRTUAL_BOARD)!;
const boardOf = (family: string): BoardDefinition => ({ ...virtual, fpga: { ...virtual.fpga, family } });

test('every board of the catalogue belongs to a supported family', () => {
  for (const board of loadCatalogue().boards) expect(familyOf(board).name, board.id).toBe(board.fpga.family);
});

test('rejects a board of an unknown family by name, before any tool runs', async () => {
  const { toolchain, dispose } = freshToolchain();
  const error = await refusal(
    toolchain.build({ ...requestOf(example('echo.v'), 'echo.v'), board: boardOf('orca') }, record()),
  );
  expect(error.code).toBe('tool_missing');
  expect(error.message).toContain('orca');
  expect(error.remedy).toContain('ice40, ecp5, gowin');
  await dispose();
});

/** A new family is one record: nothing else in the program has its name. */
const LAB = {
  ...ice40,
  name: 'lab40',
  title: 'LAB40',
  // For the doctor: what is embedded needs none.
  installed: [{ name: 'lab40-place', package: 'lab40-tools', versionArgument: '--version' }],
};

beforeAll(() => FAMILIES.set(LAB.name, LAB));
afterAll(() => FAMILIES.delete(LAB.name));

test('an added family builds, and the doctor reports its missing tools', async () => {
  const { toolchain, dispose } = freshToolchain();
  const request = { ...requestOf(example('echo.v'), 'echo.v'), board: boardOf(LAB.name) };
  const missing = await refusal(toolchain.build(request, record()));
  expect(missing).toMatchObject({ code: 'tool_missing', remedy: expect.stringContaining('lab40-tools') });

  FAMILIES.set(LAB.name, { ...LAB, installed: [] });
  const { report, bitstream } = await toolchain.build(request, record());
  expect(report.design.module).toBe('echo');
  expect(bitstream.length).toBeGreaterThan(100_000);
  FAMILIES.set(LAB.name, LAB);

  const findings = await runDoctor({
    dataDir: temporaryFolder('family'),
    families: neededByFamilies(),
    system: { searchPath: '' },
  });
  expect(findings.find(({ title }) => title === 'Native LAB40 tools')).toMatchObject({ status: 'skipped' });
  await dispose();
});
