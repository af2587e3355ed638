import fc from 'fast-check';
import type { BitField, Register, RegisterMap } from '../../../server/contract/designs/register-map.ts';

/** Text that survives a round trip: on one line, trimmed, of characters that XML has. */
const line = (most: number): fc.Arbitrary<string> =>
  fc
    .string({ unit: 'grapheme', maxLength: most })
    .map((text) =>
      text
        .replace(/[\p{Cc}\p{Surrogate}\ufffe\uffff]/gu, '')
        .replace(/\s+/g, ' ')
        .slice(0, most)
        .trim(),
    )
    .filter((text) => !/\p{Surrogate}/u.test(text));

const name = fc.stringMatching(/^[A-Za-z_]\w{0,15}$/);
const access = fc.constantFrom('rw' as const, 'ro' as const, 'wo' as const);

const valueNames = (bits: number): fc.Arbitrary<BitField['values']> =>
  fc
    .dictionary(
      fc.nat({ max: 2 ** bits - 1 }).map(String),
      line(12).filter((text) => text !== ''),
      { maxKeys: 4 },
    )
    .map((values) => (Object.keys(values).length > 0 ? { ...values } : undefined));

/** Adjacent fields, the highest first. */
const fields = (width: number): fc.Arbitrary<BitField[]> =>
  fc
    .uniqueArray(fc.nat({ max: width }), { minLength: 0, maxLength: 8 })
    .map((edges) => edges.toSorted((a, b) => a - b))
    .chain((edges) =>
      fc.tuple(
        ...edges.slice(1).map((edge, at) => {
          const lsb = edges[at] ?? 0;
          return fc
            .record({
              name,
              access: fc.option(access, { nil: undefined }),
              description: line(30),
              values: valueNames(edge - lsb),
            })
            .map(
              ({ name: field, description, values, access: own }): BitField => ({
                name: `${field}_${lsb}`,
                msb: edge - 1,
                lsb,
                ...(own ? { access: own } : {}),
                ...(description === '' ? {} : { description }),
                ...(values ? { values } : {}),
              }),
            );
        }),
      ),
    )
    .map((list) => list.toReversed());

const register = (address: number, words: number): fc.Arbitrary<Register> =>
  fc.constantFrom(32, 32, 32, 8, 13).chain((width) =>
    fc
      .record({
        name,
        access,
        description: line(60),
        reset: fc.option(fc.nat({ max: 2 ** width - 1 }), { nil: undefined }),
        fields: fields(width),
        proposed: fc.boolean(),
      })
      .map(
        ({ name: plain, access: own, description, reset, fields: inner, proposed }): Register => ({
          name: `${plain}_${address}`,
          address,
          ...(words > 1 ? { words } : {}),
          ...(width === 32 ? {} : { width }),
          access: own,
          ...(description === '' ? {} : { description }),
          ...(reset === undefined ? {} : { reset }),
          // A field that repeats its register is left out.
          fields: inner.map(({ access: of, ...field }) =>
            of && of !== own ? { ...field, access: of } : field,
          ),
          ...(proposed ? { proposed, source: { file: 'a.v', line: 1 } } : {}),
        }),
      ),
  );

/** Maps of up to ten registers in their order, as the contract has them and any format can say them. */
export const maps = (): fc.Arbitrary<RegisterMap> =>
  fc
    .record({
      name,
      base: fc.constantFrom(0, 0x2100_0000, 0xefff_f000),
      places: fc.array(fc.record({ gap: fc.nat({ max: 4 }), words: fc.constantFrom(1, 1, 1, 2, 64) }), {
        minLength: 1,
        maxLength: 10,
      }),
    })
    .chain(({ name: plain, base, places }) => {
      let at = base;
      const list = places.map(({ gap, words }) => {
        const address = at + 4 * gap;
        at = address + 4 * words;
        return register(address, words);
      });
      return fc.tuple(...list).map((registers): RegisterMap => ({ name: plain, registers }));
    });
