import { expect, test } from 'vitest';
import type { BitField, Register } from '../../../../server/contract/designs/register-map.ts';
import { formatOf, readMap, readMapValue, unknownFormat } from '../../../../server/registermap/formats.ts';
import { mapProblems } from '../../../../server/registermap/problems.ts';

/** What is wrong with a text, a line each; null where it is read. */
function wrongIn(text: string): string[] | null {
  const format = formatOf(text);
  const read =
    format === 'json' || format === 'csr.json'
      ? readMapValue(JSON.parse(text), 'file')
      : format === null
        ? unknownFormat()
        : readMap(text, format, 'file');
  return read && 'problems' in read
    ? read.problems.map(({ loc, msg }) => `${loc.slice(1).join('')}: ${msg}`)
    : null;
}

const table = (...rows: string[]) =>
  ['register,address,words,width,access,reset,description,field,bits,values', ...rows].join('\n');
const litex = (...rows: string[]) => ['csr_base,top,0,,', ...rows].join('\n');
const file = (register: object) =>
  JSON.stringify({ format: 'wishbench-register-map', registers: [{ name: 'A', address: 0, ...register }] });
const svd = (inner: string, head = '') =>
  `<device><name>d</name>${head}<peripherals><peripheral><name>p</name><registers>${inner}</registers></peripheral></peripherals></device>`;
const ipxact = (inner: string, head = '') =>
  `<component><name>d</name><memoryMaps><memoryMap>${head}<addressBlock><name>b</name>${inner}</addressBlock></memoryMap></memoryMaps></component>`;
const svdField = (inner: string) =>
  svd(`<register><name>A</name><fields><field><name>F</name>${inner}</field></fields></register>`);
const svdValue = (inner: string) =>
  svdField(
    `<bitOffset>0</bitOffset><enumeratedValues><enumeratedValue><name>v</name>${inner}</enumeratedValue></enumeratedValues>`,
  );
const chain = (length: number) =>
  svd(
    Array.from(
      { length },
      (_, at) =>
        `<register${at === 0 ? '' : ` derivedFrom="R${at - 1}"`}><name>R${at}</name><addressOffset>${4 * at}</addressOffset></register>`,
    ).join(''),
  );

test.each<[text: string, ...problems: string[]]>([
  ['A map', ': its format is not a known format of register maps; name one with ?format='],
  // The bench's table.
  ['register,access\nA,rw', 'line 1: there is no column “address”'],
  ['\nregister;words\nA;1', 'line 2: there is no column “address”'],
  [table('A,0', '"B,4'), 'line 3: a quotation mark is not closed'],
  [table('A,'), 'line 2: A has no address'],
  [table('A,0,,,rx'), 'line 2: the access “rx” is not rw, ro or wo'],
  [
    table('A,0,x,y,rw,z'),
    'line 2: the words “x” is not a number',
    'line 2: the width “y” is not a number',
    'line 2: the reset “z” is not a number',
  ],
  [table('A,,,,,,,F,0', 'A,0'), 'line 2: the field comes before its register, “A”'],
  [table('A,0', 'A,,,,,,,F,3:4'), 'line 3: “3:4” are not bits from 31 to 0, such as 7:4'],
  [table('A,0', 'A,,,,,,,F,bit 3'), 'line 3: “bit 3” are not bits from 31 to 0, such as 7:4'],
  [table('A,0', 'A,,,,,,,F,0,off'), 'line 3: the values are not written as 0=off|1=on'],
  [table('A,0', 'A,,,,,,,F,0,=off'), 'line 3: the values are not written as 0=off|1=on'],
  [table('A,0', 'A,,,,,,,F,0,x=off'), 'line 3: the values are not written as 0=off|1=on'],
  // An error of a line hides those of the map as a whole.
  [table('A,0', 'A,x'), 'line 3: the address “x” is not a number'],
  // LiteX.
  [litex('csr_register,a,x,1,rw'), 'line 2: the address of a is not a number'],
  [litex('csr_register,a,0,x,rw'), 'line 2: the size of a is not a number of words from 1 to 65536'],
  [litex('csr_register,a,0,0,rw'), 'line 2: the size of a is not a number of words from 1 to 65536'],
  [litex('csr_register,a,0,65537,rw'), 'line 2: the size of a is not a number of words from 1 to 65536'],
  [litex('csr_register,"a,0,1,rw'), 'line 2: a quotation mark is not closed'],
  [
    litex('constant,config_csr_data_width,8,,'),
    ': its registers are split into words of 8 bits; only 32 are read',
  ],
  [litex('constant,config_csr_data,8,,', 'memory_region,config_csr_data_width,8,,'), ': it has no registers'],
  ['{"csr_registers":{}}', ': it has no registers'],
  ['{"csr_registers":{"a":{"addr":0.5}}}', ': it is not a csr.json of LiteX'],
  ['{"csr_registers":{"a":{"addr":0,"size":0}}}', ': the size of a is not a number of words from 1 to 65536'],
  [
    '{"csr_registers":{"a":{"addr":0}},"constants":{"config_csr_data_width":8}}',
    ': its registers are split into words of 8 bits; only 32 are read',
  ],
  // Files of an earlier GUI.
  ['{"format":"wishbench-register-map"}', ': it is not a file of the format wishbench-register-map'],
  [file({ address: '0x' }), ': A needs an address from 0 to 0xFFFFFFFF'],
  [file({ address: 1.5 }), ': the address of A, 0x1.8, is not a multiple of 4'],
  [file({ fields: [{ name: 'F', bits: '40' }] }), ': the bits of A.F are not within 31 to 0'],
  [file({ fields: [{ name: 'F', bits: 0, values: { on: 'on' } }] }), ': F names on, which is not a number'],
  // CMSIS-SVD.
  ['<a/>', 'line 1: a is not a CMSIS-SVD device'],
  [svd(''), ': it has no registers'],
  [
    svd('<register><name>A</name></register>', '<addressUnitBits>4</addressUnitBits>'),
    'line 1: addresses count units of 4 bits; only whole bytes are read',
  ],
  [
    svd('<register><name>A</name></register>', '<addressUnitBits>12</addressUnitBits>'),
    'line 1: addresses count units of 12 bits; only whole bytes are read',
  ],
  [
    svd(
      '<register><name>A%s</name><dim>2</dim><dimIncrement>4</dimIncrement><dimIndex>B-1</dimIndex></register>',
    ),
    'line 1: dimIndex “B-1” does not have the 2 indices of dim',
  ],
  [
    svd('<register><name>A%s</name><dim>4097</dim><dimIncrement>4</dimIncrement></register>'),
    'line 1: dim is 4097; the maximum is 4096',
  ],
  [
    svd('<register><name>A</name><addressOffset>-4</addressOffset></register>'),
    'line 1: addressOffset is “-4”, which is not a number',
  ],
  [
    svd('<register><name>A</name><addressOffset>0x20000000000001</addressOffset></register>'),
    'line 1: addressOffset is too large',
  ],
  [svdField('<bitOffset>0</bitOffset><bitWidth>0</bitWidth>'), 'line 1: the field does not give its bits'],
  [svdField('<lsb>3</lsb><msb>2</msb>'), 'line 1: the field does not give its bits'],
  [svdField('<bitRange>bits [1:0]</bitRange>'), 'line 1: the field does not give its bits'],
  [svdValue('<value>one</value>'), 'line 1: the value “one” is not a number'],
  [svdValue('<value>2</value>'), 'line 1: A.F: the value does not fit a field of 1 bits'],
  [
    svd(
      '<register><name>A%s</name><dim>4</dim><dimIncrement>4</dimIncrement><dimIndex>A-68</dimIndex></register>',
    ),
    'line 1: dimIndex “A-68” does not have the 4 indices of dim',
  ],
  [
    svd('<register><name>A</name></register>', '<addressUnitBits>0</addressUnitBits>'),
    'line 1: addresses count units of 0 bits; only whole bytes are read',
  ],
  [chain(17), 'line 1: more than 16 elements derive from one another'],
  // IP-XACT.
  ['<x><component></component></x>', 'line 1: x is not an IP-XACT component'],
  [
    ipxact('<register><name>A</name></register>', '<addressUnitBits>0</addressUnitBits>'),
    'line 1: addresses count units of 0 bits; only whole bytes are read',
  ],
  ['<component>', 'line 1: the element component from line 1 is not closed'],
  ['<component><memoryMaps><memoryMap/></memoryMaps></component>', ': it has no registers'],
  [ipxact('<register><name>A</name><isPresent>0</isPresent></register>'), ': it has no registers'],
  [
    ipxact('<register><name>A</name></register>', '<addressUnitBits>4</addressUnitBits>'),
    'line 1: addresses count units of 4 bits; only whole bytes are read',
  ],
  [
    ipxact('<register><name>A</name></register>', '<addressUnitBits>12</addressUnitBits>'),
    'line 1: addresses count units of 12 bits; only whole bytes are read',
  ],
  [ipxact('<register><name>A</name><dim>0</dim></register>'), 'line 1: dim is not a number from 1 to 4096'],
  [ipxact('<register><name>A</name><dim>N</dim></register>'), 'line 1: dim is not a number from 1 to 4096'],
  [
    ipxact('<register><name>A</name><dim>4097</dim></register>'),
    'line 1: dim is not a number from 1 to 4096',
  ],
  [
    ipxact(`<register><name>A</name>${'<dim>1</dim>'.repeat(9)}</register>`),
    'line 1: a list has more than 8 directions',
  ],
])('%s', (text, ...problems) => {
  expect(wrongIn(text)).toEqual(problems);
});

test('just below these limits a text is read', () => {
  for (const text of [
    svd('<register><name>A%s</name><dim>4096</dim><dimIncrement>4</dimIncrement></register>'),
    chain(16),
    ipxact('<register><name>A</name><dim>4096</dim></register>'),
    ipxact(`<register><name>A</name>${'<dim>1</dim>'.repeat(8)}</register>`),
  ])
    expect(wrongIn(text)).toBeNull();
});

const register = (name: string, address: number, more: Partial<Register> = {}): Register => ({
  name,
  address,
  access: 'rw',
  fields: [],
  ...more,
});
const withFields = (...fields: [name: string, msb: number, lsb: number, more?: Partial<BitField>][]) =>
  register('A', 0, { fields: fields.map(([name, msb, lsb, more]) => ({ name, msb, lsb, ...more })) });

// The problems of a map as a whole, which any format may have.
test.each<[registers: Register[], ...problems: string[]]>([
  [[register('A', 0), register('a', 4)], '1.name: another register has this name'],
  [[register('A', 4), register('B', 4)], '1.address: another register has this address'],
  // The later register in the file, whichever begins first.
  [[register('A', 4), register('B', 0, { words: 2 })], '1.address: it overlaps A'],
  [
    [register('A', 0, { words: 4 }), register('B', 4), register('C', 12), register('D', 16)],
    '1.address: it overlaps A',
    '2.address: it overlaps A',
  ],
  [[register('A', 0xffff_fffc, { words: 2 })], '0.words: its words extend past the last address'],
  [[register('A', 0xffff_fff8, { words: 2, reset: 0xffff_ffff })]],
  [[register('A', 0, { reset: 2 ** 32 })], '0.reset: the register has 32 bits'],
  [[register('A', 0, { width: 4, reset: 16 })], '0.reset: the register has 4 bits'],
  [[withFields(['F', 1, 1], ['f', 0, 0])], '0.fields.1.name: another field of the register has this name'],
  [[withFields(['F', 0, 1], ['G', 1, 0])], '0.fields.0.msb: the highest bit is below the lowest'],
  [[withFields(['F', 8, 4], ['G', 4, 0])], '0.fields.1: another field has some of these bits'],
  [[withFields(['F', 31, 0], ['G', 31, 31])], '0.fields.1: another field has some of these bits'],
  [[{ ...withFields(['F', 4, 4]), width: 4 }], '0.fields.0.msb: the register has 4 bits'],
  [
    [withFields(['F', 5, 4, { values: { 3: 'most', 4: 'more' } }])],
    '0.fields.0.values.4: the value does not fit a field of 2 bits',
  ],
])('%j', (registers, ...problems) => {
  const found = mapProblems({ name: 'm', registers }, ['body']);
  expect(found.map(({ loc, msg }) => `${loc.slice(2).join('.')}: ${msg}`)).toEqual(problems);
  for (const { loc, type } of found)
    expect([loc[0], loc[1], type]).toEqual(['body', 'registers', 'value_error']);
});

test('at most 20 problems are named', () => {
  const names = Array.from({ length: 19 }, (_, at) => register('A', 4 * at));
  expect(mapProblems({ name: 'm', registers: names }, [])).toHaveLength(18);
  const wrong = withFields(...Array.from({ length: 30 }, (): [string, number, number] => ['F', 0, 1]));
  expect(mapProblems({ name: 'm', registers: [wrong] }, [])).toHaveLength(20);
  const rows = Array.from({ length: 25 }, (_, at) => `R${at},x`);
  expect(wrongIn(table(...rows))).toHaveLength(20);
});
