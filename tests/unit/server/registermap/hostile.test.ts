import { expect, test } from 'vitest';
import { readMap } from '../../../../server/registermap/formats.ts';
import { parseXml } from '../../../../server/registermap/xml.ts';

const problemsOf = (text: string, format: 'svd' | 'ipxact' | 'csv' | 'csr.csv' = 'svd'): string[] => {
  const read = readMap(text, format, 'hostile');
  return 'problems' in read ? read.problems.map(({ loc, msg }) => `${loc.slice(1).join('')}: ${msg}`) : [];
};

/** A device with these registers. */
const device = (registers: string, head = '') =>
  `<device><name>d</name>${head}<peripherals><peripheral><name>p</name><baseAddress>0</baseAddress><registers>${registers}</registers></peripheral></peripherals></device>`;

/** Milliseconds of processor time that a call takes; what others do on the computer does not count. */
function cost(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

test('document types and entities are refused before parsing', () => {
  const laughs = `<?xml version="1.0"?>\n<!DOCTYPE lolz [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;">]>\n<device>&b;</device>`;
  expect(problemsOf(laughs)).toEqual([
    'line 2: document types and their entities are not read; remove <!DOCTYPE …>',
  ]);
  expect(problemsOf('<device><!ENTITY x SYSTEM "file:///etc/passwd"></device>')[0]).toContain(
    'document type',
  );
  expect(problemsOf('<device>\n&xxe;</device>')).toEqual(['line 1: &xxe; is not a supported reference']);
  expect(problemsOf('<device>&#0;</device>')[0]).toContain('&#0; is not a supported reference');
  expect(problemsOf('<device>&#x110000;</device>')[0]).toContain('is not a supported reference');
});

test('CDATA, comments, references and prefixes are interpreted correctly', () => {
  const root = parseXml(
    '<?xml version="1.0"?><!-- <a> --><x:a k="1 &lt; 2"><![CDATA[<!DOCTYPE b>]]>&amp;&#65;&#x42;<b/></x:a><!-- end -->',
  );
  expect([root.name, root.text, root.attributes.get('k'), root.children.length]).toEqual([
    'a',
    '<!DOCTYPE b>&AB',
    '1 < 2',
    1,
  ]);
});

test('blanks stand where XML has them, and 48 elements and 64 attributes are read', () => {
  const { attributes, children } = parseXml(' <a\n k = "1" l\t=\'"2"\' >&#x10FFFF;<b /></a >\n');
  expect([...attributes]).toEqual([
    ['k', '1'],
    ['l', '"2"'],
  ]);
  expect(children).toHaveLength(1);
  expect(parseXml(`${'<a>'.repeat(48)}${'</a>'.repeat(48)}`).name).toBe('a');
  const keys = Array.from({ length: 64 }, (_, at) => `k${at}=""`).join(' ');
  expect(parseXml(`<a ${keys}/>`).attributes.size).toBe(64);
});

test.each([
  ['', 'there is no element'],
  ['<a>', 'the element a from line 1 is not closed'],
  ['<a></b>', '</b> stands where </a> is expected'],
  ['</a>', '</a> stands where no element is open'],
  ['<a/><b/>', 'there is a second root element'],
  ['<a/>text', 'there is text outside the root element'],
  ['<a k=1/>', 'the element a is not well-formed'],
  ['<a k="1/>', 'the element a is not well-formed'],
  ['<a <b/>', 'the element a is not well-formed'],
  ['<a>1 < 2</a>', 'a < does not begin an element; in text, write &lt;'],
  ['<a><!-- </a>', 'a comment is not closed'],
  ['<a><![CDATA[</a>', 'CDATA is not closed'],
  ['<![CDATA[a]]>', 'there is text outside the root element'],
  ['<a></a b>', '</a> stands where </a> is expected'],
  ['<a k"1"/>', 'the element a is not well-formed'],
  ['<a ="1"/>', 'the element a is not well-formed'],
  ['<a k />', 'the element a is not well-formed'],
  ['<a>&amp</a>', '&amp is not a supported reference'],
  ['<a>&#65x;</a>', '&#65x; is not a supported reference'],
])('%s is no XML: %s', (text, message) => {
  expect(() => parseXml(text)).toThrow(message);
});

test('depth, length and width are limited', () => {
  expect(problemsOf('<a>'.repeat(100_000))[0]).toBe(
    ': elements are nested more than 48 deep'.replace(/^/, 'line 1'),
  );
  expect(problemsOf(`<a>${'<b/>'.repeat(300_000)}</a>`)[0]).toContain('more than 250000 elements');
  expect(
    problemsOf(`<a ${'k="1" '.repeat(10)}${Array.from({ length: 99 }, (_, i) => `k${i}=""`).join(' ')}/>`)[0],
  ).toContain('more than 64 attributes');
  const most = device(
    '<register><dim>4096</dim><dimIncrement>4</dimIncrement><name>R%s</name><addressOffset>0</addressOffset></register><register><name>X</name><addressOffset>0x8000</addressOffset></register>',
  );
  expect(problemsOf(most)[0]).toContain('more than 4096 registers');
  expect(problemsOf(device('<register><dim>99999</dim><name>R%s</name></register>'))[0]).toContain(
    'the maximum is 4096',
  );
});

test('cyclic, multiplying and endlessly growing derivations are reported', () => {
  const cycle =
    '<register derivedFrom="B"><name>A</name></register><register derivedFrom="A"><name>B</name></register>';
  expect(problemsOf(device(cycle))[0]).toMatch(/derives from [AB], which derives from it/);
  expect(problemsOf(device('<register derivedFrom="A"><name>A</name></register>'))[0]).toMatch(
    /which does not exist|derives from it/,
  );
  // Each cluster has the one before it twice: two to the power of forty registers.
  const clusters = Array.from(
    { length: 40 },
    (_, i) =>
      `<cluster><name>C${i + 1}</name><addressOffset>0</addressOffset>${'<cluster derivedFrom="NAME"><name>X%s</name><dim>2</dim><dimIncrement>4</dimIncrement></cluster>'.replace('NAME', `C${i}`)}</cluster>`,
  ).join('');
  const bomb = device(`<cluster><name>C0</name><register><name>R</name></register></cluster>${clusters}`);
  expect(cost(() => expect(problemsOf(bomb).length).toBeGreaterThan(0))).toBeLessThan(5_000);
});

test('lists, fields and names are limited', () => {
  const component = (register: string) =>
    `<component><memoryMaps><memoryMap><addressBlock><register><name>A</name>${register}</register></addressBlock></memoryMap></memoryMaps></component>`;
  const field = (inner: string) =>
    `<field><name>F</name><bitOffset>0</bitOffset>${inner}<resets><reset><value>1</value></reset></resets></field>`;
  const dims = `<array>${'<dim>4096</dim>'.repeat(50_000)}</array>`;
  const many = Array.from({ length: 10_000 }, (_, at) => `<x${at}/>`).join('');
  for (const [register, message] of [
    [field('<bitWidth>9007199254740991</bitWidth>'), 'the bits of A.F are not within 31 to 0'],
    [field(`<bitWidth>1</bitWidth><reserved>1</reserved>${dims}`), 'more than 8 directions'],
    [
      field('<bitWidth>1</bitWidth><reserved>1</reserved><array><dim>4096</dim><dim>4096</dim></array>'),
      'too many elements',
    ],
    [dims, 'more than 8 directions'],
  ] as const)
    expect(
      cost(() => expect(problemsOf(component(register), 'ipxact').join()).toContain(message)),
    ).toBeLessThan(5_000);
  const wide = device(
    '<register><name>A</name><addressOffset>0</addressOffset><resetValue>1</resetValue><fields><field><name>F</name><bitOffset>0</bitOffset><bitWidth>9007199254740990</bitWidth></field></fields></register>',
  );
  expect(problemsOf(wide)[0]).toContain('the bits of A.F are not within 31 to 0');
  const read = readMap(device(`<register><name>A</name>${many}</register>`), 'svd', 'hostile');
  expect('warnings' in read && read.warnings?.length).toBe(31);
  const rows = `register,address,access,field,bits\nA,0,ro,,\n${'A,,wo,F,0\n'.repeat(20_000)}`;
  expect(cost(() => expect(problemsOf(rows, 'csv')[0]).toContain('more than 32 fields'))).toBeLessThan(5_000);
});

test('parsing megabytes takes linear time', () => {
  const registers = Array.from(
    { length: 1000 },
    (_, i) =>
      `<register derivedFrom="R0"><name>R${i}</name><description>${'word '.repeat(60)}</description><addressOffset>${4 * i}</addressOffset></register>`,
  ).join('\n');
  const large = device(registers.replace(' derivedFrom="R0"', ''));
  expect(cost(() => expect(problemsOf(large)).toEqual([]))).toBeLessThan(5_000);
  // A quotation mark, a comment, a line of commas without an end.
  for (const text of [`<a k="${'x'.repeat(1e6)}`, `<a><!--${'-'.repeat(1e6)}`, `<a>${'&'.repeat(1e6)}</a>`])
    expect(cost(() => expect(problemsOf(text)).toHaveLength(1))).toBeLessThan(5_000);
  for (const text of [
    `register,address\n"${'""'.repeat(1e6)}`,
    ','.repeat(1e6),
    '\n'.repeat(1e6),
    `a${' '.repeat(1e6)}b`,
  ])
    expect(cost(() => expect(problemsOf(text, 'csv').length).toBeGreaterThan(0))).toBeLessThan(5_000);
});

test('errors are reported by line', () => {
  expect(problemsOf('\n<a/>')).toEqual(['line 2: a is not a CMSIS-SVD device']);
  const registers =
    '\n<register><name>A</name><addressOffset>2</addressOffset></register>\n<register><name>B</name><addressOffset>x</addressOffset></register>';
  expect(problemsOf(device(registers))).toEqual([
    'line 2: the address of A, 0x2, is not a multiple of 4',
    'line 3: addressOffset is “x”, which is not a number',
  ]);
  const overlap =
    '\n<register><name>A</name><addressOffset>4</addressOffset><size>64</size></register>\n<register><name>B</name><addressOffset>8</addressOffset></register>';
  expect(problemsOf(device(overlap))).toEqual(['line 3: B: it overlaps A']);
  expect(problemsOf('register,address\nA,0\nA,4\n', 'csv')).toEqual([
    'line 3: A: another register has this name',
  ]);
  expect(problemsOf('register,address,field,bits\nA,0,,\nA,,F,40\nB,0x,,', 'csv')).toEqual([
    'line 3: “40” are not bits from 31 to 0, such as 7:4',
    'line 4: the address “0x” is not a number',
  ]);
  expect(problemsOf('constant,config_csr_data_width,8,,\ncsr_register,a,0,1,rw', 'csr.csv')).toEqual([
    ': its registers are split into words of 8 bits; only 32 are read',
  ]);
});
