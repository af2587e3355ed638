import { expect, test } from 'vitest';
import { CacheChecks } from '../../../../../../server/toolchain/engines/embedded/cache-checks.ts';

test('a tool that has hardly run is not checked', () => {
  const checks = new CacheChecks();
  expect(checks.isDue).toBe(false);
  checks.addRun(0.05);
  expect(checks.isDue).toBe(false);
  checks.addRun(0.05);
  expect(checks.isDue).toBe(true);
});

test('a check that found nothing new is repeated after ten times the running time', () => {
  const checks = new CacheChecks();
  checks.addRun(5);
  checks.noteCheck(false);
  checks.addRun(44);
  expect(checks.isDue).toBe(false);
  checks.addRun(1);
  expect(checks.isDue).toBe(true);
});

test('while checks find more, each pause has one, six at most', () => {
  const checks = new CacheChecks();
  let made = 0;
  for (let rest = 0; rest < 20; rest++) {
    checks.addRun(1);
    if (!checks.isDue) continue;
    checks.noteCheck(true);
    made += 1;
  }
  expect(made).toBe(6);
});
