import { expect, test } from 'vitest';
import { walk } from '../../../support/store/walk.ts';

test('whatever step of the disk goes wrong, alone or with another, what was promised is there', async () => {
  const { steps, walks, failures } = await walk(0.005, 1);
  expect(failures).toEqual([]);
  expect(steps).toBeGreaterThan(80);
  expect(walks).toBeGreaterThan(1000);
});
