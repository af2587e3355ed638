import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { linesOf, stepsOf } from '../../../renderer/src/screens/node/registers/script/script-lines.ts';
import type { Script } from '../../../server/contract/jobs/scripts.ts';
import { resourcePath } from '../../../server/paths.ts';

const back = (script: Pick<Script, 'steps'>) => stepsOf(linesOf(script).map(({ text }) => text));

test('every step of every example survives a round trip through its line', () => {
  const examples = JSON.parse(readFileSync(resourcePath('examples', 'index.json'), 'utf8')) as {
    file: string;
    script: Pick<Script, 'steps'>;
  }[];
  expect(examples.length).toBeGreaterThan(10);
  // A count that the expectations imply is left out.
  const plain = (step: unknown): unknown =>
    JSON.parse(
      JSON.stringify(step, (_, value) =>
        value?.op === 'read' && value.count === (value.expect?.length ?? 1)
          ? { ...value, count: undefined }
          : value,
      ),
    );
  for (const { script } of examples) expect(plain(back(script))).toEqual(plain({ steps: script.steps }));
});

test('every property of a step can be typed', () => {
  const steps: Script['steps'] = [
    { op: 'write', says: 'Two words', address: 16, data: [1, { saved: 'a' }], fixed_address: true },
    { op: 'write', address: 0x8000_0000, data: [0xffff_ffff], fails: true },
    {
      op: 'read',
      address: 0,
      count: 8,
      expect: [5, null, { mask: 255, value: 2 }, { min: 1, max: 15 }, { save_as: 'a' }, { saved: 'b' }],
      fixed_address: true,
      fails: true,
    },
    { op: 'wait', address: 4, mask: 1, value: 0, timeout_ms: 100, every_ms: 5 },
    { op: 'delay', ms: 20 },
    { op: 'comment', says: 'Twice two times' },
    { op: 'repeat', times: 2, steps: [{ op: 'repeat', times: 3, steps: [{ op: 'read', address: 8 }] }] },
  ];
  expect(back({ steps })).toEqual({ steps });
  expect(linesOf({ steps }).map(({ depth, path }) => `${depth} ${path}`)).toEqual([
    ...['0 0', '0 1', '0 2', '0 3', '0 4', '0 5', '0 6', '1 6,0', '2 6,0,0', '1 6,0', '0 6'],
  ]);
});

test.each([
  ['poke 0x10 = 1', 'step'],
  ['write 0x11 = 1', 'address'],
  ['write 0x10 =', 'words'],
  ['read 0x10 = many', 'expectation'],
  ['delay soon', 'number'],
  ['repeat x', 'number'],
  ['end', 'end'],
  ['repeat 3', 'open'],
])('“%s” is an invalid step, and its line is reported', (line, problem) => {
  expect(stepsOf(['# first', '', line])).toEqual({ line: 2, problem });
});
