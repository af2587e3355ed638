import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PlacedBefore } from '../../../../../server/toolchain/build/placed-before.ts';
import { decisive, withContents } from '../../../../../server/toolchain/families/ice40/contents.ts';

const bytes = (text: string) => Buffer.from(text);
const inputs = (netlist: string) => ({
  netlist,
  tool: 'nextpnr',
  args: ['--seed', '1'],
  files: { pcf: 'a' },
});
/** Bytes that hardly become smaller. */
const random = (length: number) => Buffer.from(Array.from({ length }, (_, i) => (i * i * 2654435761) >>> 13));

describe('earlier runs of place and route', () => {
  test('an equal run is found, whole; another netlist, option or file is another run', async () => {
    const before = new PlacedBefore();
    const outputs = { 'a.asc': bytes('asc'), 'b.json': bytes('{}') };
    await before.put(inputs('n'), outputs);
    expect(await before.find(inputs('n'))).toEqual(outputs);
    for (const other of [
      inputs('m'),
      { ...inputs('n'), args: ['--seed', '2'] },
      { ...inputs('n'), files: { pcf: 'b' } },
      { ...inputs('n'), tool: 'other' },
    ])
      expect(await before.find(other)).toBeNull();
  });

  test('the least recently used runs are evicted', async () => {
    const before = new PlacedBefore(3500);
    for (const name of ['a', 'b', 'c']) await before.put(inputs(name), { out: random(1000) });
    await before.find(inputs('a'));
    await before.put(inputs('d'), { out: random(1000) });
    expect(before.bytes).toBeLessThanOrEqual(3500);
    expect(await before.find(inputs('b'))).toBeNull();
    for (const name of ['a', 'c', 'd']) expect(await before.find(inputs(name))).not.toBeNull();
  });

  test('a run above the limit is not stored, and storing one again takes no more space', async () => {
    const before = new PlacedBefore(1500);
    await before.put(inputs('large'), { out: random(5000) });
    expect([before.bytes, await before.find(inputs('large'))]).toEqual([0, null]);
    await before.put(inputs('a'), { out: random(1000) });
    const { bytes: once } = before;
    await before.put(inputs('a'), { out: random(1000) });
    expect(before.bytes).toBe(once);
  });
});

const bits = fc.string({ unit: fc.constantFrom('0', '1', 'x'), minLength: 256, maxLength: 256 });

/** A netlist with one block RAM for each of the contents, and a look-up table. */
const netlistOf = (rams: readonly string[], { source = 'a.v:1', init = '0110' } = {}) =>
  bytes(
    JSON.stringify(
      {
        modules: {
          top: {
            cells: {
              lut: {
                type: 'SB_LUT4',
                parameters: { LUT_INIT: init },
                attributes: { src: source, module_src: source },
                connections: {},
              },
              ...Object.fromEntries(
                rams.map((contents, i) => [
                  `ram${i}`,
                  {
                    hide_name: 0,
                    type: 'SB_RAM40_4K',
                    parameters: { INIT_0: contents, INIT_F: contents },
                    attributes: { src: source },
                    connections: {},
                  },
                ]),
              ),
            },
            netnames: {},
          },
        },
      },
      null,
      2,
    ),
  );

const placedOf = (count: number) => {
  const cells = Array.from({ length: count }, (_, i) => [
    `ram${i}_RAM`,
    {
      hide_name: 0,
      type: 'ICESTORM_RAM',
      parameters: { INIT_0: '0' },
      attributes: { src: 'a.v:1', NEXTPNR_BEL: `X25/Y${2 * i + 1}/ram`, BEL_STRENGTH: '1' },
      connections: {},
    },
  ]);
  return bytes(JSON.stringify({ modules: { top: { cells: Object.fromEntries(cells) } } }, null, 2));
};

const none = '0'.repeat(64);
const configurationOf = (slices: readonly string[]) =>
  bytes(
    slices
      .map(
        (slice, i) =>
          `.logic_tile 1 ${i}\n01\n\n.ram_data 25 ${2 * i + 1}\n${slice}\n${`${none}\n`.repeat(14)}${slice}\n`,
      )
      .join(''),
  );

describe('contents of block RAM', () => {
  test('and source locations do not affect placement, everything else does', () => {
    const [zeros, ones] = ['0'.repeat(256), '1'.repeat(256)];
    const text = decisive(netlistOf([zeros]));
    expect(decisive(netlistOf([ones], { source: 'b.v:2.1-3.4|c.v:5' }))).toBe(text);
    expect(decisive(netlistOf([zeros], { init: '1001' }))).not.toBe(text);
    expect(decisive(netlistOf([zeros, zeros]))).not.toBe(text);
  });

  test('a configuration gets the contents of the netlist, and nothing else changes', () => {
    fc.assert(
      fc.property(fc.array(bits, { maxLength: 4 }), (rams) => {
        const before = configurationOf(rams.map(() => none));
        const expected = configurationOf(
          rams.map((digits) =>
            [...digits.replaceAll('x', '0')]
              .join('')
              .replace(/.{4}/g, (four) => Number.parseInt(four, 2).toString(16)),
          ),
        );
        const filled = withContents(before, placedOf(rams.length), netlistOf(rams));
        expect(Buffer.from(filled!).toString()).toBe(expected.toString());
      }),
    );
  });

  test('missing places or missing contents yield no configuration', () => {
    const rams = ['1'.repeat(256), '0'.repeat(256)];
    expect(withContents(configurationOf([none, none]), placedOf(1), netlistOf(rams))).toBeNull();
    expect(withContents(configurationOf([none]), placedOf(2), netlistOf(rams))).toBeNull();
    expect(withContents(configurationOf([none]), bytes('no netlist'), netlistOf(rams))).toBeNull();
  });
});
