import fc from 'fast-check';
import { expect, test } from 'vitest';
import type {
  BitField,
  MapFormat,
  Register,
  RegisterMap,
} from '../../../../server/contract/designs/register-map.ts';
import { formatOf, readMap, readMapValue, writeMap } from '../../../../server/registermap/formats.ts';
import { mapProblems } from '../../../../server/registermap/problems.ts';
import { maps } from '../../../support/registermap/maps.ts';

function readBack(map: RegisterMap, format: MapFormat): RegisterMap {
  const text = writeMap(map, format);
  expect(formatOf(text)).toBe(format);
  const read =
    format === 'json' || format === 'csr.json'
      ? (readMapValue(JSON.parse(text), map.name) ?? { map: JSON.parse(text) as RegisterMap })
      : readMap(text, format, map.name);
  if ('problems' in read)
    throw new Error(read.problems.map(({ loc, msg }) => `${loc.join(' ')}: ${msg}`).join('\n'));
  return read.map;
}

/** The part of a map that a format can express. */
function asWritten(
  { source: _source, proposed: _proposed, width, ...register }: Register,
  format: MapFormat,
): Register {
  const hasWidth = width !== undefined && !(format === 'ipxact' && register.words !== undefined);
  return { ...register, ...(hasWidth ? { width } : {}) };
}

const RUNS = { numRuns: 40 };

test.each(['svd', 'ipxact', 'csv'] as const)('a map survives a round trip: %s', (format) => {
  fc.assert(
    fc.property(maps(), (map) => {
      expect(mapProblems(map, [])).toEqual([]);
      const { name, registers } = map;
      expect(readBack(map, format)).toEqual({
        name,
        registers: registers.map((one) => asWritten(one, format)),
      });
    }),
    RUNS,
  );
});

test('a value may be called by a digit, which is no name in XML', () => {
  const fields = [{ name: 'mode', msb: 0, lsb: 0, values: { '0': '0', '1': '2x' } }];
  const map: RegisterMap = {
    name: 'core',
    registers: [{ name: 'control', address: 0, access: 'rw', fields }],
  };
  for (const format of ['svd', 'ipxact'] as const) expect(readBack(map, format), format).toEqual(map);
});

test('JSON preserves the whole map', () => {
  fc.assert(
    fc.property(maps(), (map) => {
      expect(readBack(map, 'json')).toEqual(map);
    }),
    RUNS,
  );
});

test.each(['csr.json', 'csr.csv'] as const)(
  'LiteX files preserve names, addresses, words and two kinds of access: %s',
  (format) => {
    fc.assert(
      fc.property(maps(), (map) => {
        const below = map.registers.filter(({ address }) => address < 0xf000_0000);
        fc.pre(below.length > 0);
        const seen = readBack({ name: 'map', registers: below }, format);
        expect(seen.registers.map(({ address, words, access }) => [address, words, access])).toEqual(
          below.map(({ address, words, access }) => [
            address,
            words === 1 ? undefined : words,
            access === 'ro' ? 'ro' : 'rw',
          ]),
        );
      }),
      RUNS,
    );
  },
);

const SVD = `<?xml version="1.0"?>
<!-- of a vendor -->
<device xmlns:xs="http://www.w3.org/2001/XMLSchema-instance" schemaVersion="1.3">
  <name>CHIP</name><addressUnitBits>8</addressUnitBits><width>32</width>
  <size>0x20</size><resetValue>0x10</resetValue>
  <peripherals>
    <peripheral>
      <name>TIMER</name><baseAddress>0x40000000</baseAddress>
      <registers>
        <register><name>CTRL</name><description>Control &amp; more,
            on two lines</description><addressOffset>0x0</addressOffset>
          <fields>
            <field><name>MODE</name><bitRange>[2:1]</bitRange>
              <enumeratedValues><name>modes</name>
                <enumeratedValue><name>off</name><value>#00</value></enumeratedValue>
                <enumeratedValue><name>once</name><value>0b01</value></enumeratedValue>
                <enumeratedValue><name>any</name><value>#1x</value></enumeratedValue>
              </enumeratedValues></field>
            <field><name>EN</name><lsb>0</lsb><msb>0</msb></field>
            <field><name>IRQ</name><bitOffset>8</bitOffset><bitWidth>4</bitWidth><access>read-only</access></field>
          </fields></register>
        <register><dim>2</dim><dimIncrement>8</dimIncrement><dimIndex>A,B</dimIndex>
          <name>CH%s</name><addressOffset>0x10</addressOffset><access>write-only</access></register>
        <register><dim>16</dim><dimIncrement>4</dimIncrement><name>RAM[%s]</name><addressOffset>0x100</addressOffset></register>
        <register derivedFrom="CTRL"><name>CTRL2</name><addressOffset>0x4</addressOffset></register>
        <register><name>CTRL_ALT</name><alternateRegister>CTRL</alternateRegister><addressOffset>0</addressOffset></register>
        <cluster><dim>2</dim><dimIncrement>0x20</dimIncrement><name>DMA%s</name><addressOffset>0x200</addressOffset>
          <register><name>SRC</name><addressOffset>4</addressOffset><size>16</size></register></cluster>
      </registers>
    </peripheral>
    <peripheral derivedFrom="TIMER"><name>TIMER2</name><baseAddress>0x40001000</baseAddress></peripheral>
  </peripherals>
</device>`;

test('CMSIS-SVD of a vendor: lists, clusters, derivations, three ways to say bits', () => {
  const read = readMap(SVD, 'svd', 'file');
  if ('problems' in read) throw new Error(JSON.stringify(read.problems));
  const { name, registers } = read.map;
  expect(name).toBe('CHIP');
  const first = registers
    .slice(0, 7)
    .map((one) => [one.name, one.address.toString(16), one.access, one.words]);
  expect(first).toEqual([
    ['TIMER_CTRL', '40000000', 'rw', undefined],
    ['TIMER_CTRL2', '40000004', 'rw', undefined],
    ['TIMER_CHA', '40000010', 'wo', undefined],
    ['TIMER_CHB', '40000018', 'wo', undefined],
    ['TIMER_RAM', '40000100', 'rw', 16],
    ['TIMER_DMA0_SRC', '40000204', 'rw', undefined],
    ['TIMER_DMA1_SRC', '40000224', 'rw', undefined],
  ]);
  expect(registers.slice(7).map(({ address }) => address - 0x1000)).toEqual(
    registers.slice(0, 7).map(({ address }) => address),
  );
  const fields: BitField[] = [
    { name: 'IRQ', msb: 11, lsb: 8, access: 'ro' },
    { name: 'MODE', msb: 2, lsb: 1, values: { 0: 'off', 1: 'once', 2: 'any', 3: 'any' } },
    { name: 'EN', msb: 0, lsb: 0 },
  ];
  expect(registers[0]).toEqual({
    name: 'TIMER_CTRL',
    address: 0x4000_0000,
    access: 'rw',
    description: 'Control & more, on two lines',
    reset: 0x10,
    fields,
  });
  expect(registers[1]?.fields).toEqual(fields);
  expect(registers[5]).toMatchObject({ width: 16 });
});

const IPXACT_2009 = `<?xml version="1.0"?>
<spirit:component xmlns:spirit="http://www.spiritconsortium.org/XMLSchema/SPIRIT/1685-2009">
  <spirit:name>uart</spirit:name>
  <spirit:memoryMaps><spirit:memoryMap><spirit:name>m</spirit:name>
    <spirit:addressBlock><spirit:name>regs</spirit:name><spirit:baseAddress>0x100</spirit:baseAddress>
      <spirit:register><spirit:name>LCR</spirit:name><spirit:addressOffset>'hC</spirit:addressOffset>
        <spirit:size>8</spirit:size>
        <spirit:reset><spirit:value>8'h3</spirit:value></spirit:reset>
        <spirit:field><spirit:name>BITS</spirit:name><spirit:bitOffset>0</spirit:bitOffset><spirit:bitWidth>2</spirit:bitWidth>
          <spirit:access>read-write</spirit:access></spirit:field>
        <spirit:field><spirit:name>BUSY</spirit:name><spirit:bitOffset>7</spirit:bitOffset><spirit:bitWidth>1</spirit:bitWidth>
          <spirit:access>read-only</spirit:access></spirit:field>
      </spirit:register>
      <spirit:registerFile><spirit:name>ch</spirit:name><spirit:dim>2</spirit:dim><spirit:addressOffset>0x20</spirit:addressOffset><spirit:range>16</spirit:range>
        <spirit:register><spirit:name>DATA</spirit:name><spirit:addressOffset>4</spirit:addressOffset><spirit:size>32</spirit:size><spirit:access>write-only</spirit:access></spirit:register>
      </spirit:registerFile>
    </spirit:addressBlock></spirit:memoryMap></spirit:memoryMaps>
</spirit:component>`;

test('IP-XACT of 2009: register files, resets of registers, access by field', () => {
  expect(formatOf(IPXACT_2009)).toBe('ipxact');
  expect(readMap(IPXACT_2009, 'ipxact', 'file')).toEqual({
    map: {
      name: 'uart',
      registers: [
        {
          name: 'LCR',
          address: 0x10c,
          width: 8,
          access: 'rw',
          reset: 3,
          fields: [
            { name: 'BUSY', msb: 7, lsb: 7, access: 'ro' },
            { name: 'BITS', msb: 1, lsb: 0 },
          ],
        },
        { name: 'ch[0]_DATA', address: 0x124, access: 'wo', fields: [] },
        { name: 'ch[1]_DATA', address: 0x134, access: 'wo', fields: [] },
      ],
    },
  });
});

test('a csr.csv of LiteX, and files that earlier versions of the GUI exported', () => {
  const csr =
    '#--\ncsr_base,ctrl,0x1000,,\ncsr_register,ctrl_reset,0x1000,1,rw\ncsr_register,ctrl_time,0x1004,2,ro\n';
  expect(readMap(csr, 'csr.csv', 'soc')).toEqual({
    map: {
      name: 'soc',
      registers: [
        { name: 'ctrl_reset', address: 0x1000, access: 'rw', fields: [] },
        { name: 'ctrl_time', address: 0x1004, words: 2, access: 'ro', fields: [] },
      ],
    },
  });
  const old = {
    format: 'wishbench-register-map',
    version: 1,
    name: 'Old',
    registers: [
      {
        name: 'A',
        address: '0x00000010',
        access: 'ro',
        fields: [{ name: 'F', bits: '7:4', values: { 1: 'on' } }],
      },
    ],
  };
  expect(readMapValue(old, 'file')).toEqual({
    map: {
      name: 'Old',
      registers: [
        {
          name: 'A',
          address: 16,
          access: 'ro',
          fields: [{ name: 'F', msb: 7, lsb: 4, values: { 1: 'on' } }],
        },
      ],
    },
  });
  const table = 'register;address;access;field;bits;values\nA;0x4;ro;;;\nA;;;F;[3:2];0=off|1=on\n';
  expect(readMap(table, 'csv', 't')).toMatchObject({
    map: {
      registers: [{ name: 'A', address: 4, fields: [{ msb: 3, lsb: 2, values: { 0: 'off', 1: 'on' } }] }],
    },
  });
});

const readOf = (text: string) => {
  const format = formatOf(text);
  const read =
    format === 'json' || format === 'csr.json' || format === null
      ? readMapValue(JSON.parse(text), 'file')
      : readMap(text, format, 'file');
  if (!read || 'problems' in read) throw new Error(JSON.stringify(read));
  return read;
};

test('the file of a node has the registers of its design, and the bench’s own', () => {
  const registers = {
    design_Level: { addr: 0x10, type: 'ro' },
    wishbench_version: { addr: 0xf000_0000, size: 2, type: 'ro' },
    identifier_mem_0: { addr: 0xf000_0040 },
    // Not the bench's: by its name, by its address.
    own_wishbench_mark: { addr: 0xf000_0080 },
    wishbench_like: { addr: 0x20 },
  };
  const expected = ['Level 10 ro', 'wishbench_like 20 rw', 'own_wishbench_mark f0000080 rw'];
  const json = JSON.stringify({
    csr_bases: { design: 0 },
    csr_registers: registers,
    constants: { config_csr_data_width: 32 },
  });
  const csv = [
    'constant,width,8,,',
    'csr_base,design,0,,',
    ...Object.entries(registers).map(
      ([name, { addr, ...more }]) =>
        `csr_register,${name},${addr},${'size' in more ? more.size : ''},${'type' in more ? more.type : ''}`,
    ),
  ].join('\n');
  for (const text of [json, csv])
    expect(
      readOf(text).map.registers.map(
        ({ name, address, access }) => `${name} ${address.toString(16)} ${access}`,
      ),
    ).toEqual(expected);
  // Without a peripheral of that name the prefix is the register's own.
  for (const text of [json.replace('"design":0', '"other":0'), csv.replace('base,design', 'base,other')])
    expect(readOf(text).map.registers[0]?.name).toBe('design_Level');
});

test('what is written for LiteX and as a table', () => {
  const map: RegisterMap = {
    name: 'm',
    registers: [
      {
        name: 'Rx Data',
        address: 0,
        access: 'ro',
        fields: [
          { name: 'F', msb: 7, lsb: 4 },
          { name: 'G', msb: 0, lsb: 0, values: { 1: 'a|b' } },
        ],
      },
      { name: 'rx-data', address: 0xabc, words: 2, access: 'wo', reset: 0xdef, fields: [] },
      { name: 'BEYOND', address: 0xf000_0000, access: 'rw', fields: [] },
    ],
  };
  expect(writeMap(map, 'csr.csv').split('\n')).toEqual([
    'csr_base,design,0x00000000,,',
    'csr_register,design_rx_data,0x00000000,1,ro',
    'csr_register,design_rx_data_abc,0x00000ABC,2,rw',
    'constant,config_csr_data_width,32,,',
    'constant,config_csr_alignment,32,,',
    '',
  ]);
  expect(writeMap(map, 'csv').split('\r\n').slice(1)).toEqual([
    'Rx Data,0x00000000,,,ro,,,,,',
    'Rx Data,,,,,,,F,7:4,',
    'Rx Data,,,,,,,G,0,1=a\\|b',
    'rx-data,0x00000ABC,2,,wo,0xDEF,,,,',
    'BEYOND,0xF0000000,,,rw,,,,,',
    '',
  ]);
});

test.each([
  ['\uFEFF\n <device/>', 'svd'],
  ['<component xmlns="x"/>', 'ipxact'],
  ['<!-- of a vendor --><ipxact:component>', 'ipxact'],
  ['<device><component/></device>', 'svd'],
  [' {"csr_registers":{}}', 'csr.json'],
  [' {"registers":[]}', 'json'],
  ['#\nmemory_region,rom,0,1024,', 'csr.csv'],
  ['register;address', 'csv'],
  ['register', null],
])('%s is of the format %s', (text, format) => {
  expect(formatOf(text)).toBe(format);
});

test('names and descriptions are on one line, and cut', () => {
  const table = (name: string, description: string) =>
    readMap(`register,address,description\nA,0,"${description}"`, 'csv', name);
  expect(table(' a\n  map ', ' one\n  line ')).toMatchObject({
    map: { name: 'a map', registers: [{ description: 'one line' }] },
  });
  const long = 'x'.repeat(500);
  expect(table(long, long)).toMatchObject({
    map: { name: long.slice(0, 64), registers: [{ description: long }] },
  });
  expect(table('  ', `${long}y`)).toMatchObject({
    map: { name: 'map', registers: [{ description: `${long.slice(0, 499)}…` }] },
  });
});

test('a warning names three places, and the number of the others', () => {
  const read = (fields: number) =>
    readOf(
      `<device><peripherals><peripheral><name>P</name><registers><register><name>R</name><fields>${Array.from(
        { length: fields },
        (_, at) => `<field><name>F${at}</name><lsb>${at}</lsb><readAction>clear</readAction></field>`,
      ).join('')}</fields></register></registers></peripheral></peripherals></device>`,
    ).warnings?.map(({ msg }) => msg.split(':')[0]);
  expect(read(1)).toEqual(['P.R.F0']);
  expect(read(3)).toEqual(['P.R.F0, P.R.F1, P.R.F2']);
  expect(read(5)).toEqual(['P.R.F0, P.R.F1, P.R.F2 and 2 more']);
});

test('of a register to read and one to write at a place, the first stays; any other pair is an error', () => {
  for (const first of ['rw', 'ro', 'wo'] as const)
    for (const second of ['rw', 'ro', 'wo'] as const) {
      const may = first !== 'rw' && second !== 'rw' && first !== second;
      const registers = readMap(`register,address,access\nA,0,${first}\nB,0,${second}`, 'csv', 'm');
      const fields = readMap(
        `register,address,access,field,bits\nR,0\nR,,${first},A,7:4\nR,,${second},B,4:0`,
        'csv',
        'm',
      );
      if (may)
        expect(registers).toMatchObject({
          map: { registers: [{ name: 'A' }] },
          warnings: [{ loc: ['body', 'line 3'] }],
        });
      else expect(registers).toMatchObject({ problems: [{ msg: 'B: another register has this address' }] });
      if (may) expect(fields).toMatchObject({ map: { registers: [{ fields: [{ name: 'A' }] }] } });
      else expect(fields).toMatchObject({ problems: [{ msg: 'R.B: another field has some of these bits' }] });
    }
});

test('an IP-XACT register within a word does not end the file, and a value needs a name', () => {
  const text = `<component ><memoryMaps><memoryMap><addressBlock><name>b</name>
    <register><name>A</name><addressOffset>1</addressOffset><size>8</size></register>
    <register><name>B</name><addressOffset>4</addressOffset><field><name>F</name><bitOffset>0</bitOffset><bitWidth>1</bitWidth>
      <enumeratedValues><enumeratedValue><value>1</value></enumeratedValue></enumeratedValues></field></register>
    </addressBlock></memoryMap></memoryMaps></component>`;
  expect(readOf(text).map.registers).toEqual([
    { name: 'B', address: 4, access: 'rw', fields: [{ name: 'F', msb: 0, lsb: 0 }] },
  ]);
});

test('another view of a place is left out where it shares a word with a register', () => {
  const read = (size: number, at: number) =>
    readOf(
      `<device><peripherals><peripheral><name>P</name><registers>
        <register><name>A</name><addressOffset>16</addressOffset><size>64</size></register>
        <register><name>V</name><alternateRegister>A</alternateRegister><addressOffset>${at}</addressOffset><size>${size}</size></register>
      </registers></peripheral></peripherals></device>`,
    ).map.registers.map(({ name }) => name);
  for (const [size, at] of [
    [32, 16],
    [32, 20],
    [64, 12],
    [128, 8],
  ] as const)
    expect(read(size, at), `${size} bits at ${at}`).toEqual(['A']);
  expect(read(32, 12)).toEqual(['V', 'A']);
  expect(read(64, 8)).toEqual(['V', 'A']);
  expect(read(32, 24)).toEqual(['A', 'V']);
});
