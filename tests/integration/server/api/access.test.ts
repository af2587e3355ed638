import { expect, test } from 'vitest';
import { ACCESS_ROWS, ROLES } from '../../../../server/contract/access.ts';
import { FPGA_STATES } from '../../../../server/contract/nodes/nodes.ts';
import { walkAccess } from '../../../soak/access.ts';

test('every route tells every caller in every state of a node what the table says', async () => {
  const { cells, wrong } = await walkAccess(false);
  expect(wrong).toEqual([]);
  expect(cells).toBeGreaterThan(ACCESS_ROWS.length * ROLES.length * FPGA_STATES.length);
});
