import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RegisterMap } from '../../../../server/contract/designs/register-map.ts';
import { readMap } from '../../../../server/registermap/formats.ts';

function mapOf(text: string, format: 'svd' | 'ipxact'): RegisterMap {
  const read = readMap(text, format, 'file');
  if ('problems' in read) throw new Error(`${JSON.stringify(read.problems)}\n${text}`);
  return read.map;
}

const device = (registers: string) =>
  `<device><name>D</name><peripherals><peripheral><name>P</name><baseAddress>0</baseAddress><registers>${registers}</registers></peripheral></peripherals></device>`;
const component = (registers: string) =>
  `<component><name>D</name><memoryMaps><memoryMap><name>m</name><addressBlock><name>b</name><baseAddress>0</baseAddress>${registers}</addressBlock></memoryMap></memoryMaps></component>`;

/** A register or a group of them, one or several of each. */
interface Item {
  name: string;
  /** Indices as written in names; one empty index if it is no list. */
  indices: readonly string[];
  /** The placeholder of an index in a name. */
  place: '' | '%s' | '[%s]';
  /** Bytes between two of a list beyond what one takes. */
  gap: number;
  before: number;
  inner: readonly Item[] | null;
}

const LETTERS = [...'ABCDEFGH'];

const lists = fc.oneof(
  fc.constant({ indices: [''], place: '' as const }),
  fc.nat({ max: 3 }).map((last) => ({
    indices: Array.from({ length: last + 1 }, (_, at) => String(at)),
    place: '[%s]' as const,
  })),
  fc.tuple(fc.nat({ max: 4 }), fc.nat({ max: 3 })).map(([first, more]) => ({
    indices: LETTERS.slice(first, first + more + 1),
    place: '%s' as const,
  })),
);

const item = (depth: number): fc.Arbitrary<Omit<Item, 'name'>> =>
  fc
    .record({
      list: lists,
      gap: fc.constantFrom(4, 8, 12),
      before: fc.constantFrom(0, 4, 16),
      inner: depth === 0 ? fc.constant(null) : fc.option(items(depth - 1), { freq: 2 }),
    })
    .map(({ list, ...rest }) => ({ ...list, ...rest }));

const items = (depth: number): fc.Arbitrary<Item[]> =>
  fc
    .array(item(depth), { minLength: 1, maxLength: 3 })
    .map((list) => list.map((one, at) => ({ ...one, name: `${one.inner ? 'G' : 'R'}${at}_` })));

const sizeOf = (list: readonly Item[]): number =>
  list.reduce((sum, one) => sum + one.before + one.indices.length * strideOf(one), 0);
const strideOf = ({ inner, gap }: Item): number => (inner ? sizeOf(inner) : 4) + gap;

/** Every register with its name and address, worked out from what a list means. */
function expanded(list: readonly Item[], prefix = '', base = 0): { name: string; address: number }[] {
  let at = base;
  return list.flatMap((one) => {
    at += one.before;
    return one.indices.flatMap((index) => {
      const name = `${prefix}${one.name}${one.place.replace('%s', index)}`;
      const address = at;
      at += strideOf(one);
      return one.inner ? expanded(one.inner, `${name}_`, address) : [{ name, address }];
    });
  });
}

function written(list: readonly Item[], format: 'svd' | 'ipxact'): string {
  let at = 0;
  return list
    .map((one) => {
      const { name, indices, place, inner, before } = one;
      const offset = at + before;
      at = offset + indices.length * strideOf(one);
      if (format === 'ipxact') {
        const array =
          place === ''
            ? ''
            : `<array><dim>${indices.length}</dim><stride>'h${strideOf(one).toString(16)}</stride></array>`;
        const head = `<name>${name}</name>${array}<addressOffset>${offset}</addressOffset>`;
        return inner
          ? `<registerFile>${head}<range>${sizeOf(inner)}</range>${written(inner, format)}</registerFile>`
          : `<register>${head}<size>32</size></register>`;
      }
      const index = place === '%s' ? `<dimIndex>${indices[0]}-${indices.at(-1)}</dimIndex>` : '';
      const dim =
        place === ''
          ? ''
          : `<dim>${indices.length}</dim><dimIncrement>${strideOf(one)}</dimIncrement>${index}`;
      const head = `${dim}<name>${name}${place}</name><addressOffset>${offset}</addressOffset>`;
      return inner ? `<cluster>${head}${written(inner, format)}</cluster>` : `<register>${head}</register>`;
    })
    .join('');
}

/** The same with the one way that IP-XACT has to name the places of a list. */
const bracketed = (list: readonly Item[]): Item[] =>
  list.map((one) => ({
    ...one,
    place: one.place && '[%s]',
    indices: one.indices.map((index, at) => index && String(at)),
    inner: one.inner && bracketed(one.inner),
  }));

const RUNS = { numRuns: 200 };

test.each(['svd', 'ipxact'] as const)('nested lists equal their expansion: %s', (format) => {
  fc.assert(
    fc.property(items(2), (list) => {
      const spoken = format === 'svd' ? list : bracketed(list);
      const text = written(spoken, format);
      const read = mapOf(format === 'svd' ? device(text) : component(text), format);
      expect(read.registers.map(({ name, address }) => ({ name, address }))).toEqual(expanded(spoken));
    }),
    RUNS,
  );
});

const PROPERTIES = {
  size: ['8', '16', '32'],
  access: ['read-only', 'write-only', 'read-write'],
  resetValue: ['0', '0x5'],
  description: ['one', 'two'],
} as const;

/** A register's own properties, and some fields by their names. */
const said = fc.record({
  properties: fc.record(
    {
      size: fc.constantFrom(...PROPERTIES.size),
      access: fc.constantFrom(...PROPERTIES.access),
      resetValue: fc.constantFrom(...PROPERTIES.resetValue),
      description: fc.constantFrom(...PROPERTIES.description),
    },
    { requiredKeys: [] },
  ),
  // Each field has bits of its own, written in one of three ways.
  fields: fc.dictionary(
    fc.constantFrom('A', 'B', 'C', 'D'),
    fc.record({ width: fc.constantFrom(1, 2), way: fc.nat({ max: 2 }) }),
  ),
  byPath: fc.boolean(),
});
type Said = typeof said extends fc.Arbitrary<infer T> ? T : never;

function fieldText(name: string, { width, way }: Said['fields'][string]): string {
  const lsb = 2 * 'ABCD'.indexOf(name);
  const msb = lsb + width - 1;
  const bits = [
    `<bitRange>[${msb}:${lsb}]</bitRange>`,
    `<lsb>${lsb}</lsb><msb>${msb}</msb>`,
    `<bitOffset>${lsb}</bitOffset><bitWidth>${width}</bitWidth>`,
  ][way];
  return `<field><name>${name}</name>${bits}</field>`;
}

const registerText = (at: number, { properties, fields }: Said, derivedFrom = ''): string =>
  `<register${derivedFrom}><name>R${at}</name><addressOffset>${4 * at}</addressOffset>${Object.entries(
    properties,
  )
    .map(([name, value]) => `<${name}>${value}</${name}>`)
    .join('')}<fields>${Object.entries(fields)
    .map(([name, field]) => fieldText(name, field))
    .join('')}</fields></register>`;

test('a derived register equals its base with its own properties applied', () => {
  fc.assert(
    fc.property(
      fc.array(said, { minLength: 2, maxLength: 6 }),
      fc.infiniteStream(fc.nat()),
      (list, picks) => {
        const whole: Said[] = [];
        const derived = list.map((one, at) => {
          // From one before, by its name or by its path.
          const from = at === 0 ? null : (picks.next().value ?? 0) % at;
          const base = from === null ? null : (whole[from] ?? null);
          whole.push({
            ...one,
            properties: { ...base?.properties, ...one.properties },
            fields: { ...base?.fields, ...one.fields },
          });
          const path = one.byPath ? `P.R${from}` : `R${from}`;
          return registerText(at, one, from === null ? '' : ` derivedFrom="${path}"`);
        });
        const byHand = whole.map((one, at) => registerText(at, one)).join('');
        // In any order.
        for (const text of [derived.join(''), derived.toReversed().join('')])
          expect(mapOf(device(text), 'svd')).toEqual(mapOf(device(byHand), 'svd'));
      },
    ),
    RUNS,
  );
});
