import { rm } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { cutRounds, killRounds } from '../../../support/jobs/crashes.ts';
import { seeded } from '../../../support/seeded.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

/** How often it is killed; `npm run soak` does it for an hour, in tests/soak/crash.soak.ts. */
const KILLS = 2;

const nothing = { lost: [], wrong: [], stuck: [], shorter: [] };

test('killed at random moments, the service loses nothing that it has acknowledged and does nothing twice', async () => {
  const folder = temporaryFolder('jobs');
  const survival = await killRounds(folder, KILLS);
  expect(survival).toMatchObject(nothing);
  expect(survival.acknowledged).toBeGreaterThan(20 * KILLS);
  await rm(folder, { recursive: true, force: true });
});

test('power cuts at random moments lose nothing acknowledged, and shorten no displayed log', async () => {
  const survival = await cutRounds(12, seeded(7));
  expect(survival).toMatchObject(nothing);
  expect(survival.acknowledged).toBeGreaterThan(100);
});
