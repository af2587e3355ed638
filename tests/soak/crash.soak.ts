import { rm } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { cutRounds, killRounds } from '../support/jobs/crashes.ts';
import type { Survival } from '../support/jobs/survival.ts';
import { seeded } from '../support/seeded.ts';
import { walk } from '../support/store/walk.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { deadline, portion, printFigures } from './budget.ts';

function report(harness: string, survival: Survival): void {
  const { rounds, acknowledged, lost, wrong, stuck, shorter } = survival;
  const figures = { lost: lost.length, wrong: wrong.length, stuck: stuck.length, shorter: shorter.length };
  printFigures(harness, { rounds, acknowledged, ...figures });
  expect(survival).toMatchObject({ lost: [], wrong: [], stuck: [], shorter: [] });
}

test('1,000 SIGKILLs', async () => {
  const folder = temporaryFolder('soak');
  const rounds = portion(1000);
  report('SIGKILL', await killRounds(folder, rounds, deadline()));
  await rm(folder, { recursive: true, force: true });
});

test('500 power cuts', async () => {
  const rounds = portion(500);
  report('power cut', await cutRounds(rounds, seeded(Date.now()), deadline()));
});

test('every step of the disk goes wrong, alone and in pairs', async () => {
  const { steps, walks, failures } = await walk(portion(1000) / 1000, Date.now(), deadline());
  printFigures('walk of the disk', { steps, walks, failures: failures.length });
  expect(failures).toEqual([]);
});
