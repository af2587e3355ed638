import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fieldsFromText, fieldsToText } from '../../../renderer/src/screens/node/registers/map/field-text.ts';
import {
  ACCESSES,
  type BitField,
  fieldOf,
  inOrder,
  isRegisterMap,
  mapToJson,
  maskOf,
  type RegisterMap,
  widthOf,
  withField,
} from '../../../renderer/src/screens/node/registers/map/register-map.ts';
import { csvCell, readTable } from '../../../server/contract/csv.ts';

const name = fc.stringMatching(/^[A-Za-z_]\w{0,12}$/);
const word = fc.integer({ min: 0, max: 0xffff_ffff });
/**
 * A text that a person could type: on one line, with all characters that have a meaning in a table or a list of fields.
 */
const sentence = fc
  .string({ maxLength: 30, unit: fc.constantFrom(...'ab 0=1|",;#:[]é\'') })
  .map((value) => value.replace(/\s+/g, ' ').trim());
const valueName = fc.stringMatching(/^[a-z0-9][a-z0-9 ,;-]{0,8}[a-z0-9]$/);

/** Fields that do not overlap: the bits between a few cuts. */
const fields: fc.Arbitrary<BitField[]> = fc
  .tuple(
    fc.uniqueArray(fc.integer({ min: 0, max: 32 }), { maxLength: 6 }),
    fc.uniqueArray(name, { minLength: 6, maxLength: 6, selector: (one) => one.toLowerCase() }),
    fc.array(fc.tuple(sentence, fc.dictionary(fc.constantFrom('0', '1'), valueName, { maxKeys: 2 })), {
      minLength: 6,
      maxLength: 6,
    }),
  )
  .map(([cuts, names, texts]) =>
    cuts
      .sort((a, b) => b - a)
      .slice(0, -1)
      .map((cut, index) => {
        const [description = '', values = {}] = texts[index] ?? [];
        return {
          name: names[index] ?? 'F',
          msb: cut - 1,
          lsb: cuts[index + 1] ?? 0,
          ...(description && { description }),
          ...(Object.keys(values).length > 0 && { values }),
        };
      }),
  );

const map: fc.Arbitrary<RegisterMap> = fc
  .uniqueArray(fc.tuple(name, word, fc.constantFrom(...ACCESSES), sentence, fields), {
    maxLength: 8,
    selector: ([one]) => one.toLowerCase(),
  })
  .map((registers) => {
    const addresses = new Set<number>();
    return inOrder({
      name: 'A map',
      registers: registers.flatMap(([register, place, access, description, bits]) => {
        const address = place - (place % 4);
        if (addresses.has(address)) return [];
        addresses.add(address);
        return [{ name: register, address, access, ...(description && { description }), fields: bits }];
      }),
    });
  });

describe('a register map', () => {
  test('is known again when it was stored, and a damaged one is not', () => {
    fc.assert(
      fc.property(map, (one) => {
        const stored: unknown = JSON.parse(mapToJson(one));
        expect(isRegisterMap(stored)).toBe(true);
        expect(stored).toEqual(one);
      }),
      { numRuns: 150 },
    );
    fc.assert(fc.property(fc.jsonValue(), (value) => void isRegisterMap(value)));
    const field = { name: 'F', msb: 3, lsb: 0 };
    const register = { name: 'A', address: 0, access: 'rw', fields: [field] };
    const damaged = [
      ...[null, [], {}, { name: 'm' }, { name: '', registers: [] }, { name: 'm', registers: [null] }],
      ...[{ name: '1' }, { address: '0x0' }, { address: 2 }, { access: 'r' }, { fields: {} }].map(
        (change) => ({
          name: 'm',
          registers: [{ ...register, ...change }],
        }),
      ),
      ...[
        { name: 3 },
        { msb: '3' },
        { msb: 32 },
        { values: [] },
        { values: { 1: 1 } },
        { values: { 16: 'x' } },
      ].map((change) => ({ name: 'm', registers: [{ ...register, fields: [{ ...field, ...change }] }] })),
    ];
    expect(damaged.filter(isRegisterMap)).toEqual([]);
    expect(isRegisterMap({ name: 'm', registers: [register] })).toBe(true);
  });

  test('fields come back from the text of the dialog', () => {
    fc.assert(
      fc.property(fields, (list) => {
        expect(fieldsFromText(fieldsToText(list))).toEqual({ fields: list });
      }),
    );
    for (const description of [':1', ': 0 is off', '1=on'])
      expect(fieldsFromText(fieldsToText([{ name: 'EN', msb: 0, lsb: 0, description }]))).toEqual({
        fields: [{ name: 'EN', msb: 0, lsb: 0, description }],
      });
    expect(fieldsFromText('EN 0\n\nMODE')).toEqual({ line: 3 });
  });

  test('replacing a field changes only its bits', () => {
    fc.assert(
      fc.property(
        word,
        word,
        fc.integer({ min: 0, max: 31 }),
        fc.integer({ min: 0, max: 31 }),
        (old, value, a, b) => {
          const bits = { msb: Math.max(a, b), lsb: Math.min(a, b) };
          const next = withField(old, bits, value);
          expect(fieldOf(next, bits)).toBe(value % 2 ** widthOf(bits));
          expect((next & ~maskOf(bits)) >>> 0).toBe((old & ~maskOf(bits)) >>> 0);
        },
      ),
    );
  });
});

test('table cells with any content survive a round trip', () => {
  fc.assert(
    fc.property(fc.array(fc.array(fc.string(), { minLength: 2, maxLength: 4 }), { minLength: 1 }), (rows) => {
      const kept = rows.map((row) => ['k', ...row]);
      const text = kept.map((row) => row.map(csvCell).join(',')).join('\r\n');
      const read = readTable(text);
      expect('rows' in read && read.rows.map(({ cells }) => cells)).toEqual(kept);
    }),
  );
});
