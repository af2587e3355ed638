import { expect, test } from 'vitest';
import { ACCESS_ROWS, ROLES } from '../../../../server/contract/access.ts';
import { FPGA_STATES } from '../../../../server/contract/nodes/nodes.ts';
import { walkAccess } from '../../../soak/access.ts';

// Every cell of the table is in tests/soak/access.soak.ts.
test('every route answers every caller, and in every node state, as the table states', async () => {
  const { cells, wrong } = await walkAccess(false);
  expect(wrong).toEqual([]);
  expect(cells).toBeGreaterThan(2 * ACCESS_ROWS.length * (ROLES.length + FPGA_STATES.length));
});
