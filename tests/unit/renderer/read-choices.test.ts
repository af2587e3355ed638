import { expect, test } from 'vitest';
import { choiceOf, readChoices } from '../../../renderer/src/screens/node/registers/script/read-choices.ts';

const word = { reads: 3, min: 16, max: 48, stable: 0xffff_ff8f };

test('a recorded read can expect its value, a range, its stable bits or any value', () => {
  const choices = readChoices({
    script: { steps: [{ op: 'repeat', times: 3, steps: [{ op: 'read', address: 0xc, expect: [null] }] }] },
    reads: [{ step: [0, 0], words: [{ ...word, value: 32, proposal: 'ignored' }] }],
  });
  expect(choices[0]?.lines).toEqual({
    expected: 'read 0xC = 0x20',
    range: 'read 0xC = 0x0..0x40',
    mask: 'read 0xC = &0xFFFFFF8F=0x0',
    ignored: 'read 0xC = *',
  });
  expect(choiceOf(choices, 'read 0xC = 0x0..0x40')).toBe(choices[0]);
  expect(choiceOf(choices, 'read 0xC = 0x1')).toBeUndefined();
});

test('words with different proposals add a combined choice', () => {
  const [choice] = readChoices({
    script: { steps: [{ op: 'read', address: 0, expect: [5, null] }] },
    reads: [
      {
        step: [0],
        words: [
          { value: 5, reads: 3, min: 5, max: 5, stable: 0xffff_ffff, proposal: 'expected' },
          { ...word, value: 32, proposal: 'ignored' },
        ],
      },
    ],
  });
  expect(choice?.proposed).toBe('read 0x0 = 0x5, *');
  expect(Object.values(choice?.lines ?? {})).not.toContain(choice?.proposed);
});
