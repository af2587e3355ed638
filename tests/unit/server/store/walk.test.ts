import { expect, test } from 'vitest';
import { walk } from '../../../support/store/walk.ts';

test('any one or two failing disk steps lose no acknowledged data', async () => {
  const { steps, walks, failures } = await walk(0.005, 1);
  expect(failures).toEqual([]);
  expect(steps).toBeGreaterThan(80);
  expect(walks).toBeGreaterThan(1000);
});
