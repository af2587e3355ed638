import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isFromThread } from '../../../../../server/boards/virtual/protocol.ts';

const refusal = { code: 'fabric_crc', message: 'The CRC is wrong.' };

test('accepts every message that a thread sends', () => {
  for (const message of [
    { kind: 'answer', request: 1, status: null },
    { kind: 'answer', request: 1, status: { cdone: true, refusal: null } },
    { kind: 'answer', request: 1, status: { cdone: false, refusal } },
    { kind: 'failure', request: 1, message: 'there is no fabric 7' },
    { kind: 'data', fabric: 1, bytes: new Uint8Array(3), answered: [] },
    { kind: 'data', fabric: 1, bytes: new Uint8Array(0), answered: [7, 8] },
    { kind: 'stopped', fabric: 1, refusal },
    { kind: 'wake' },
  ])
    expect(isFromThread(structuredClone(message))).toBe(true);
});

test('rejects everything else', () => {
  for (const message of [
    { kind: 'answer', request: 1 },
    { kind: 'answer', request: '1', status: null },
    { kind: 'answer', request: 1, status: { cdone: 1, refusal: null } },
    { kind: 'failure', request: 1 },
    { kind: 'data', fabric: 1, bytes: [1, 2, 3], answered: [] },
    { kind: 'data', fabric: 1, bytes: new Uint8Array(3) },
    { kind: 'data', fabric: 1, bytes: new Uint8Array(3), answered: ['7'] },
    // A code that the error catalogue does not have, one of another area, and a name of every object.
    { kind: 'stopped', fabric: 1, refusal: { ...refusal, code: 'fabric_unheard_of' } },
    { kind: 'stopped', fabric: 1, refusal: { ...refusal, code: 'board_absent' } },
    { kind: 'stopped', fabric: 1, refusal: { ...refusal, code: 'toString' } },
    { kind: 'stopped', fabric: 1, refusal: { code: 'fabric_crc' } },
    { kind: 'open', fabric: 1 },
  ])
    expect(isFromThread(message)).toBe(false);
  fc.assert(fc.property(fc.anything(), (value) => !isFromThread(value)));
});
