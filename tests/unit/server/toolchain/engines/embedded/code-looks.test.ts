import { expect, test } from 'vitest';
import { CodeLooks } from '../../../../../../server/toolchain/engines/embedded/code-looks.ts';

test('a tool that has hardly run has no code worth being kept', () => {
  const looks = new CodeLooks();
  expect(looks.due).toBe(false);
  looks.ran(0.05);
  expect(looks.due).toBe(false);
  looks.ran(0.05);
  expect(looks.due).toBe(true);
});

test('a look that found nothing new is made again when the tool has run for ten times as long', () => {
  const looks = new CodeLooks();
  looks.ran(5);
  looks.looked(false);
  looks.ran(44);
  expect(looks.due).toBe(false);
  looks.ran(1);
  expect(looks.due).toBe(true);
});

test('while there is more each time, each rest has a look, and six at the most', () => {
  const looks = new CodeLooks();
  let made = 0;
  for (let rest = 0; rest < 20; rest++) {
    looks.ran(1);
    if (!looks.due) continue;
    looks.looked(true);
    made += 1;
  }
  expect(made).toBe(6);
});
