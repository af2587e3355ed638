import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fieldsFromText, fieldsToText } from '../../../renderer/src/screens/node/registers/map/field-text.ts';
import { sentenceOf } from '../../../renderer/src/screens/node/registers/map/MapBar.tsx';
import { mapFromCsv, mapToCsv } from '../../../renderer/src/screens/node/registers/map/map-csv.ts';
import {
  type MapFile,
  mapFromJson,
  mapToJson,
} from '../../../renderer/src/screens/node/registers/map/map-json.ts';
import {
  ACCESSES,
  type BitField,
  fieldOf,
  inOrder,
  maskOf,
  type Register,
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

/** The result of reading a file, with its problems as displayed sentences. */
const told = (file: MapFile): unknown => ('map' in file ? file.map : file.problems.map(sentenceOf));

describe('a register map', () => {
  test('comes back from JSON and from CSV as it was', () => {
    fc.assert(
      fc.property(map, (one) => {
        expect(told(mapFromJson(mapToJson(one)))).toEqual(one);
        expect(told(mapFromCsv(mapToCsv(one), one.name))).toEqual(one);
      }),
      { numRuns: 150 },
    );
  });

  test('every register property is exported and imported unchanged', () => {
    const whole: RegisterMap = {
      name: 'whole',
      dismissed: [32],
      registers: [
        {
          ...{ name: 'TABLE', address: 16, words: 4, width: 8, access: 'rw', reset: 5, proposed: true },
          source: { file: 'a.v', line: 3 },
          fields: [{ name: 'LOW', msb: 3, lsb: 0, access: 'ro', values: { 1: 'on' } }],
        },
      ],
    };
    expect(told(mapFromJson(mapToJson(whole)))).toEqual(whole);
    const { source: _source, proposed: _proposed, ...spoken } = whole.registers[0] as Register;
    expect(told(mapFromCsv(mapToCsv(whole), 'whole'))).toEqual({ name: 'whole', registers: [spoken] });
    expect(told(mapFromCsv('register,address,words\nA,0,0\n', 'm'))).toEqual([
      'Line 2: The value of “words” is missing or cannot be used.',
    ]);
    for (const part of [{ words: 0 }, { width: 33 }, { reset: -1 }, { source: { file: 'a.v' } }])
      expect(
        told(mapFromJson(JSON.stringify({ name: 'm', registers: [{ name: 'A', address: 0, ...part }] }))),
      ).toEqual([expect.stringMatching(/^registers\[0\]\.\w+: The value of “\w+” is missing/)]);
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

  test('any file yields a map or error sentences', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        for (const file of [mapFromJson(text), mapFromCsv(text, 'x')])
          if ('problems' in file)
            for (const problem of file.problems) expect(sentenceOf(problem)).toMatch(/\S/);
      }),
    );
  });

  test.each([
    ['{', [/^This is not JSON: /]],
    ['[]', [/^This is not a register map/]],
    ['{"registers":[]}', [/^The map needs a name/]],
    [
      '{"name":"m","registers":[{"name":"A","address":"0x2"},{"name":"a","address":4,"access":"r"}]}',
      [
        /^registers\[0\]: The address 0x2 is not/,
        /^registers\[1\]: Another/,
        /^registers\[1\]: The access must be/,
      ],
    ],
    [
      '{"name":"m","registers":[{"name":"A","address":0,"fields":[{"name":"F","bits":"32"}]}]}',
      [/^registers\[0\]\.fields\[0\]\.bits: “32” is not a bit range/],
    ],
    [
      '{"name":"m","registers":[{"name":"A","address":0,"fields":[{"name":"F","bits":"1:0","values":{"4":"x"}}]}]}',
      [/^registers\[0\]\.fields\[0\]: “4=x” is not a named value/],
    ],
  ])('JSON %s is refused with the error and its location', (text, sentences) => {
    const problems = told(mapFromJson(text)) as string[];
    expect(problems).toHaveLength(sentences.length);
    sentences.forEach((wanted, index) => {
      expect(problems[index]).toMatch(wanted);
    });
  });

  test.each([
    ['', 'The table has no registers.'],
    ['name,place\n', 'Line 1: The first line has no column “register”.'],
    ['register,address\nA,ten\n', 'Line 2: “ten” is not a byte address such as 0x10.'],
    ['register,address\n\n# a note\nA,0\nB,0\n', 'Line 5: Another register is at 0x0.'],
    ['register,address\n"A,0\n', 'Line 2: A quotation mark is not closed.'],
    [
      'register,address,field,bits\nA,0,,\nC,,F,0\n',
      'Line 3: The field belongs to “C”, but no earlier line names it.',
    ],
    [
      'register,address,field,bits\nA,0,,\nA,,F,3:0\nA,,G,3\n',
      'Line 4: The bits of “G” overlap those of another field.',
    ],
  ])('CSV %j is refused with the error and its location', (text, sentence) => {
    expect((told(mapFromCsv(text, 'm')) as string[])[0]).toBe(sentence);
  });

  test('semicolon-separated spreadsheets are parsed', () => {
    expect(told(mapFromCsv('\uFEFFregister;address;access\r\nCTRL;0x10;RO\r\n', 'm'))).toEqual({
      name: 'm',
      registers: [{ name: 'CTRL', address: 16, access: 'ro', fields: [] }],
    });
  });

  test('the csr.csv of a LiteX SoC is a map', () => {
    const csv =
      'csr_base,ctrl,0xf0000000,,\ncsr_register,ctrl_reset,0xf0000000,1,rw\n' +
      'csr_register,timer_uptime,0xf0000010,2,ro\nconstant,config_clock_frequency,50000000,,\n';
    expect(told(mapFromCsv(csv, 'soc'))).toEqual({
      name: 'soc',
      registers: [
        { name: 'ctrl_reset', address: 0xf000_0000, access: 'rw', fields: [] },
        { name: 'timer_uptime', address: 0xf000_0010, words: 2, access: 'ro', fields: [] },
      ],
    });
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
