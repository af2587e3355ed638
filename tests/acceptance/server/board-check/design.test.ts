import { afterAll, expect, test } from 'vitest';
import { CHECK_DESIGN, readCheckDesign } from '../../../../server/board-check/check-design.ts';
import { loadCatalogue } from '../../../../server/boards/catalogue/index.ts';
import { silentLogger } from '../../../../server/log.ts';
import { createToolchain } from '../../../../server/toolchain/index.ts';
import { SOAK } from '../../../support/soak.ts';
import { temporaryFolder } from '../../../support/temporary.ts';
import { forkWithStoredRuns } from '../../../support/toolchain/stored-runs.ts';

const toolchain = createToolchain({
  dataDir: temporaryFolder('check-design'),
  logger: silentLogger,
  forkTools: forkWithStoredRuns,
});
afterAll(() => toolchain.close());

const { boards } = loadCatalogue();
const smallest = 'icestick';
const ice40 = boards.filter(
  ({ id, programmer }) => programmer.kind === 'ice40-mpsse' && (SOAK || id === smallest),
);

// The smallest part, an HX1K, has 1,280 logic cells and 16 block RAMs; the Alchitry Cu's clock is the fastest.
test.each(ice40.map(({ id }) => id))('the check design fits %s and meets its clock', async (id) => {
  const board = ice40.find((one) => one.id === id)!;
  const { report } = await toolchain.build(
    { source: await readCheckDesign(), filename: CHECK_DESIGN, board, options: {} },
    { log() {}, progress() {}, async started() {} },
  );
  expect(report.timing).toMatchObject({ met: true });
});
