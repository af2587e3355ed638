import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  assign,
  assignmentsOf,
  nameOfValue,
  placeOf,
  RegisterNameError,
  valueAt,
} from '../../../../server/contract/client/register-names.ts';
import type { BitField, RegisterMap } from '../../../../server/contract/designs/register-map.ts';
import { maps } from '../../../support/registermap/maps.ts';

const field = (name: string, msb: number, lsb: number, more: Partial<BitField> = {}): BitField => ({
  name,
  msb,
  lsb,
  ...more,
});
const MAP: RegisterMap = {
  name: 'm',
  registers: [
    {
      name: 'CTRL',
      address: 0,
      access: 'rw',
      fields: [
        field('MODE', 5, 4, { values: { 0: 'off', 2: 'Once' } }),
        field('EN', 0, 0),
        field('BUSY', 31, 31, { access: 'ro' }),
      ],
    },
    { name: 'SET', address: 4, access: 'wo', width: 8, fields: [field('LOW', 3, 0)] },
    { name: 'STATE', address: 8, access: 'ro', fields: [] },
    { name: 'RAM', address: 16, words: 4, access: 'rw', fields: [field('TOP', 31, 24)] },
    { name: 'CH[0]', address: 32, access: 'rw', fields: [] },
  ],
};

test.each([
  ['ctrl', 0, undefined],
  ['CTRL.mode', 0, 'MODE'],
  ['ram', 16, undefined],
  ['RAM[0]', 16, undefined],
  ['RAM[3].TOP', 28, 'TOP'],
  // A register may have such a name of its own.
  ['CH[0]', 32, undefined],
])('%s is at %i', (name, address, named) => {
  const place = placeOf(MAP, name);
  expect([place.register.address, place.field?.name]).toEqual([address, named]);
});

const HAS = 'it has CTRL, SET, STATE, RAM, CH[0].';
test.each([
  ['CTRL2', `The map has no register CTRL2; ${HAS}`],
  ['RAM[4]', `The map has no register RAM[4]; ${HAS}`],
  ['CTRL[0]', `The map has no register CTRL[0]; ${HAS}`],
  ['NO[0]', `The map has no register NO[0]; ${HAS}`],
  ['CTRL.NO', 'The register CTRL has no field NO; it has MODE, EN, BUSY.'],
  ['STATE.NO', 'The register STATE has no field NO; it has none.'],
])('%s is no name: %s', (name, message) => {
  expect(() => placeOf(MAP, name)).toThrow(new RegisterNameError(message));
});

test('of many names twelve are listed', () => {
  const registers = Array.from({ length: 14 }, (_, at) => ({
    name: `R${at}`,
    address: 4 * at,
    access: 'rw' as const,
    fields: [],
  }));
  expect(() => placeOf({ name: 'm', registers }, 'X')).toThrow('R10, R11 and 2 more.');
});

test.each([
  ['CTRL.EN', 2, 'CTRL.EN has 1 bit; 2 does not fit.'],
  ['CTRL.MODE', 'twice', 'CTRL.MODE has 2 bits and the values off, Once; twice does not fit.'],
  ['SET', 256, 'SET has 8 bits; 256 does not fit.'],
  ['CTRL', -1, 'CTRL has 32 bits; -1 does not fit.'],
  ['CTRL', 1.5, 'CTRL has 32 bits; 1.5 does not fit.'],
  ['CTRL', '', 'CTRL has 32 bits;  does not fit.'],
  ['STATE', 0, 'STATE is read-only.'],
  ['CTRL.BUSY', 0, 'CTRL.BUSY is read-only.'],
])('%s takes no %s', (name, value, message) => {
  expect(() => assignmentsOf(MAP, [[name, value]])).toThrow(new RegisterNameError(message));
});

test('fields of one register are one write, which keeps its other bits where it can read them', async () => {
  const memory = new Map([
    [0, 0xf0f0_f0f0],
    [4, 0xff],
  ]);
  const written: number[] = [];
  const write = async (values: readonly (readonly [string, number | string])[]) =>
    assign(
      assignmentsOf(MAP, values),
      async (address) => memory.get(address) ?? 0,
      async (address, word) => {
        written.push(address);
        memory.set(address, word);
      },
    );
  await write([
    ['CTRL.MODE', 'once'],
    ['CTRL.EN', '0b1'],
    ['SET.LOW', '0x3'],
    ['CTRL', '1_000'],
    ['CTRL.MODE', 'OFF'],
  ]);
  // A whole word in between stays one of its own.
  expect(written).toEqual([0, 4, 0, 0]);
  expect(memory.get(0)).toBe(1000 & ~0x30);
  expect(memory.get(4)).toBe(3);
});

test('what is written by name is read by name, and no other bit changes', async () => {
  await fc.assert(
    fc.asyncProperty(maps(), fc.infiniteStream(fc.nat({ max: 0xffff_ffff })), async (map, random) => {
      const next = () => random.next().value ?? 0;
      for (const register of map.registers)
        for (const one of register.fields) {
          const before = next();
          const value = next() % 2 ** (one.msb - one.lsb + 1);
          const name = `${register.name}.${one.name}`;
          const rw: RegisterMap = {
            ...map,
            registers: [
              { ...register, access: 'rw', fields: register.fields.map(({ access: _, ...rest }) => rest) },
            ],
          };
          let word = before;
          await assign(
            assignmentsOf(rw, [[name, value]]),
            async () => word,
            async (_address, written) => {
              word = written;
            },
          );
          const place = placeOf(rw, name);
          expect(valueAt(place, word)).toBe(value);
          expect(nameOfValue(place, value)).toBe(one.values?.[String(value)]);
          const mask = ((1n << BigInt(one.msb + 1)) - (1n << BigInt(one.lsb))) & 0xffff_ffffn;
          expect(BigInt(word) & ~mask).toBe(BigInt(before) & ~mask);
        }
    }),
  );
});
