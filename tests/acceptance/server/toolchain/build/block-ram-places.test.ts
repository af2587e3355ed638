import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { loadCatalogue } from '../../../../../server/boards/catalogue/index.ts';
import { DIES } from '../../../../../server/ice40/dies.ts';
import { createEmbeddedEngine } from '../../../../../server/toolchain/engines/embedded/embedded-engine.ts';
import { NETLIST } from '../../../../../server/toolchain/families/family.ts';
import {
  blockRamPlaces,
  withBlockRamPlaced,
} from '../../../../../server/toolchain/families/ice40/block-ram.ts';
import { ice40 } from '../../../../../server/toolchain/families/ice40/ice40.ts';
import { storedRuns } from '../../../../support/toolchain/support.ts';

const engine = createEmbeddedEngine(storedRuns);
afterAll(() => engine.close());

const board = (id: string) => loadCatalogue().get(id)!;

/** A cell of a netlist of Yosys. */
interface Cell {
  hide_name: number;
  type: string;
  parameters: Record<string, string>;
  attributes: Record<string, string>;
  port_directions: Record<string, string>;
}

/** The layout of Yosys's netlists; an empty list takes two lines, too. */
const netlistOf = (cells: Record<string, Cell>) =>
  Buffer.from(
    JSON.stringify({ creator: 'Yosys', modules: { top: { attributes: {}, cells } } }, null, 2).replace(
      /^( *)(.*: )\{\}(?=,?$)/gm,
      '$1$2{\n$1}',
    ),
  );

test('sites are distinct neighbours in one column, and limited to its length', () => {
  for (const [die, { lastRow }] of DIES)
    for (let count = 1; count <= 40; count++) {
      const places = blockRamPlaces(die, count);
      const [rows, column] = [(lastRow - 1) / 2, { '1k': 10, '5k': 19, u4k: 19, '8k': 25 }[die]];
      if (column === undefined || count > rows) {
        expect(places).toBeNull();
        continue;
      }
      const at = places!.map((place) => Number(new RegExp(`^X${column}/Y(\\d+)/ram$`).exec(place)?.[1]));
      expect(at).toEqual(at.map((_, index) => at[0]! + 2 * index));
      expect([at.length, at[0]! % 2, at.at(-1)! < lastRow - 1]).toEqual([count, 1, true]);
    }
});

test('a netlist with sites differs only by one attribute per block RAM', () => {
  const text = fc.constantFrom('src', 'hdlname', 'a b', '"type": "SB_RAM40_4K",', 'é', '\n          "type"');
  const table = fc.dictionary(text, text);
  const cell = fc.record({
    hide_name: fc.constantFrom(0, 1),
    type: fc.constantFrom('SB_LUT4', 'SB_RAM40_4K', 'SB_RAM40_4KNRNW', 'SB_DFF'),
    parameters: table,
    attributes: fc.dictionary(text, text, { minKeys: 1 }),
    port_directions: table,
  });
  fc.assert(
    fc.property(fc.dictionary(fc.string({ minLength: 1 }), cell, { maxKeys: 8 }), (cells) => {
      const rams = Object.values(cells).filter(({ type }) => type.startsWith('SB_RAM40_4K'));
      const places = rams.map((_, index) => `X25/Y${2 * index + 1}/ram`);
      const placed: { modules: { top: { cells: Record<string, Cell> } } } = JSON.parse(
        Buffer.from(withBlockRamPlaced(netlistOf(cells), places)).toString(),
      );
      const left = [...places];
      const expected = Object.fromEntries(
        Object.entries(cells).map(([name, one]) => {
          if (!rams.includes(one)) return [name, one];
          return [name, { ...one, attributes: { ...one.attributes, BEL: left.shift() } }];
        }),
      );
      expect(placed.modules.top.cells).toEqual(expected);
    }),
  );
});

const RAM: Cell = {
  hide_name: 0,
  type: 'SB_RAM40_4K',
  parameters: {},
  attributes: { src: 'a.v:1' },
  port_directions: {},
};

test.each([
  ['that has no block RAM', {}, []],
  [
    'that already has a site for one',
    { a: RAM, b: { ...RAM, attributes: { BEL: 'X8/Y1/ram' } } },
    ['X', 'Y'],
  ],
  ['that has more block RAMs than sites', { a: RAM, b: RAM }, ['X']],
  ['of an unknown layout', { a: { ...RAM, attributes: {} } }, ['X']],
])('a netlist %s is unchanged', (_which, cells, places) => {
  const netlist = netlistOf(cells);
  expect(withBlockRamPlaced(netlist, places)).toBe(netlist);
});

test('nextpnr knows each die’s sites and uses them', async () => {
  const source = `module top(input clk, input [10:0] a, input d, w, output q); reg [7:0] r[0:2047]; reg [7:0] o;
    always @(posedge clk) begin if (w) r[a] <= {8{d}}; o <= r[a]; end assign q = ^o; endmodule`;
  const { files } = await engine.run({
    tool: 'yosys',
    args: ['-q', '-p', `read_verilog a.v; synth_ice40 -top top; write_json ${NETLIST}`],
    files: { 'a.v': source },
    outputs: [NETLIST],
    deadline: 100,
    onLine() {},
  });
  const netlist = files[NETLIST]!;
  const cells = { SB_LUT4: 10, SB_RAM40_4K: 4 };
  for (const [id, first] of [
    ['virtual-hx8k', 'X25/Y13/ram'],
    ['icebreaker', 'X19/Y11/ram'],
    ['icestick', 'X10/Y5/ram'],
  ] as const) {
    const told = ice40.forPlacing!(netlist, board(id), 'top', cells)!;
    const options = { constraints: '', megahertz: 12, seed: 1, ignoreLoops: false };
    const run = ice40.placeAndRoute(board(id), options);
    const result = await engine.run({
      ...{ tool: run.tool, args: [...run.args, '--pcf-allow-unconstrained'], outputs: run.outputs },
      files: { ...run.files, [NETLIST]: told.netlist },
      ...{ deadline: 100, onLine() {} },
    });
    const placed = JSON.parse(Buffer.from(result.files[ice40.placedNetlist!]!).toString());
    const rams = Object.values<Cell>(placed.modules.top.cells).filter(({ type }) => type === 'ICESTORM_RAM');
    const at = rams.map(({ attributes }) => attributes['NEXTPNR_BEL']!).sort();
    expect(at).toEqual(
      blockRamPlaces({ 'virtual-hx8k': '8k', icebreaker: '5k', icestick: '1k' }[id], 4)!.sort(),
    );
    expect(at).toContain(first);
  }
  const large = ice40.forPlacing!(netlist, board('icestick'), 'top', {
    ...cells,
    SB_LUT4: 2000,
  });
  expect(large).toBeNull();
});
