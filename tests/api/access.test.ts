import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { withAccessTable } from '../../server/api/access-page.ts';
import { ACCESS_ROWS, ROLES } from '../../server/contract/access.ts';
import { FPGA_STATES } from '../../server/contract/nodes.ts';
import { appRoot } from '../../server/paths.ts';
import { walkAccess } from '../soak/access.ts';

test('the table of docs/security.md is made from the contract', () => {
  const page = readFileSync(path.join(appRoot, 'docs', 'security.md'), 'utf8');
  expect(withAccessTable(page)).toBe(page);
});

test('every route tells every caller in every state of a node what the table says', async () => {
  const { cells, wrong } = await walkAccess(false);
  expect(wrong).toEqual([]);
  expect(cells).toBeGreaterThan(ACCESS_ROWS.length * ROLES.length * FPGA_STATES.length);
});
