import { expect, test } from 'vitest';
import { parseUploadedMap } from '../../../../server/api/designs/uploaded-map.ts';
import { MAX_MAP_BYTES, type Register } from '../../../../server/contract/designs/register-map.ts';
import type { ReadMap } from '../../../../server/registermap/draft.ts';
import { readMap, readMapValue } from '../../../../server/registermap/formats.ts';
import { mapProblems } from '../../../../server/registermap/problems.ts';

const HEAD = 'register,address,words,width,access,reset,description,field,bits,values';
const table = (...rows: string[]) => readMap([HEAD, ...rows].join('\n'), 'csv', 'table');
const device = (registers: string) =>
  readMap(
    `<device><name>d</name><peripherals><peripheral><name>p</name><registers>${registers}</registers></peripheral></peripherals></device>`,
    'svd',
    'device',
  );
const file = (register: object) =>
  readMapValue({ format: 'wishbench-register-map', registers: [register] }, 'file');
const long = (length: number) => 'n'.repeat(length);
const many = <T>(count: number, row: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => row(at));
const field = (msb: number) =>
  `<register><name>A</name><addressOffset>0</addressOffset><fields><field><name>F</name><bitOffset>${msb}</bitOffset></field></fields></register>`;
const values = (count: number) => many(count, (at) => `${at}=v`).join('|');

// What a map takes at most, and the next one.
test.each<[string, (more: number) => ReadMap | null, string]>([
  [
    'registers',
    (more) => table(...many(4096 + more, (at) => `R${at},${4 * at}`)),
    'there are more than 4096 registers',
  ],
  ['words', (more) => table(`A,0,${65_536 + more}`), 'A has 65537 words; a register has 1 to 65536'],
  ['few words', (less) => table(`A,0,${1 - less}`), 'A has 0 words; a register has 1 to 65536'],
  ['width', (more) => table(`A,0,,${32 + more}`), 'A has 33 bits; a register has 1 to 32'],
  ['narrow', (less) => table(`A,0,,${1 - less}`), 'A has 0 bits; a register has 1 to 32'],
  ['address', (more) => table(`A,${0xffff_fffc + 4 * more}`), 'A needs an address from 0 to 0xFFFFFFFF'],
  ['below', (less) => file({ name: 'A', address: -4 * less }), 'A needs an address from 0 to 0xFFFFFFFF'],
  ['end', (more) => table(`A,0xFFFFFFF8,${2 + more}`), 'A: its words extend past the last address'],
  ['reset', (more) => table(`A,0,,4,rw,${15 + more}`), 'A: the register has 4 bits'],
  ['name', (more) => table(`${long(64 + more)},0`), 'the name of a register has more than 64 characters'],
  ['no name', (less) => table(`${'A'.slice(less)},0`), 'the name of a register is missing'],
  [
    'blank',
    (less) => file({ name: 'A ', address: 0, fields: [{ name: less ? ' ' : 'F', bits: 0 }] }),
    'the name of a field of A  is missing',
  ],
  [
    'fields',
    (more) => table('A,0', ...many(32 + more, (at) => `A,,,,,,,F${at},${at % 32}`)),
    'A has more than 32 fields',
  ],
  [
    'field name',
    (more) => table('A,0', `A,,,,,,,${long(64 + more)},0`),
    'the name of a field of A has more than 64 characters',
  ],
  ['bits', (more) => device(field(31 + more)), 'the bits of A.F are not within 31 to 0'],
  [
    'values',
    (more) => table('A,0', `A,,,,,,,F,8:0,${values(256 + more)}`),
    'A.F has more than 256 values with names',
  ],
  [
    'value name',
    (more) => table('A,0', `A,,,,,,,F,0,1=${long(64 + more)}`),
    'a value of A.F has a name of more than 64 characters',
  ],
])('%s', (_what, read, message) => {
  expect(read(0)).toHaveProperty('map');
  expect(read(1)).toMatchObject({ problems: [{ msg: message }] });
});

test('a map has at most 4 MiB as it is stored, whatever the size of its file', () => {
  const described = (at: number, length: number): Register => ({
    name: `R${at}`,
    address: 4 * at,
    access: 'rw',
    description: '界'.repeat(length),
    fields: [],
  });
  const registers = many(2600, (at) => described(at, 500));
  const spare = MAX_MAP_BYTES - 1 - Buffer.byteLength(JSON.stringify({ name: 'm', registers }));
  registers[0] = described(0, 500 + Math.floor(spare / 3));
  const map = { name: `m${'x'.repeat(spare % 3)}`, registers };
  expect(Buffer.byteLength(`${JSON.stringify(map)}\n`)).toBe(MAX_MAP_BYTES);
  expect(mapProblems(map, [])).toEqual([]);
  const msg = 'the map has more than 4 MiB as JSON; shorten its descriptions';
  const larger = { ...map, name: `${map.name}x` };
  expect(mapProblems(larger, ['body'])).toEqual([{ loc: ['body'], msg, type: 'value_error' }]);
  expect(() => parseUploadedMap(larger, 'json', 'm')).toThrow(msg);
  // A list of a few lines.
  const list = `<register><dim>4096</dim><dimIncrement>4</dimIncrement><name>R%s</name>\n<description>${'界'.repeat(500)}</description></register>`;
  expect(device(list)).toEqual({ problems: [{ loc: ['body', 'line 1'], msg, type: 'value_error' }] });
});
