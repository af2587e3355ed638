import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { loadCatalogue } from '../../../../../server/boards/catalogue/index.ts';
import { createEmbeddedEngine } from '../../../../../server/toolchain/engines/embedded/embedded-engine.ts';
import { NETLIST, TIMING } from '../../../../../server/toolchain/families/family.ts';
import { ice40 } from '../../../../../server/toolchain/families/ice40/ice40.ts';
import { withPlacerOfLarge } from '../../../../../server/toolchain/families/ice40/placer.ts';
import { storedRuns } from '../../../../support/toolchain/support.ts';

const engine = createEmbeddedEngine(storedRuns);
afterAll(() => engine.close());

const board = (id: string) => loadCatalogue().get(id)!;
const OF_LARGE = { placer: 'static' };

/** The layout of Yosys's netlists. */
const netlistOf = (modules: Record<string, object>) =>
  Buffer.from(`${JSON.stringify({ creator: 'Yosys', modules }, null, 2)}\n`);

test('a netlist for the large-design placer differs by one setting, in its top module', () => {
  const name = fc.constantFrom('top', 'other', 'a top', 'top"', '\\top', '$top');
  const module = fc.record({
    attributes: fc.dictionary(name, fc.string()),
    cells: fc.dictionary(name, fc.dictionary(name, fc.string())),
  });
  fc.assert(
    fc.property(fc.dictionary(name, module), module, fc.string(), (others, top, text) => {
      const modules = { ...others, top: { ...top, ports: { text: { top: `\n    "top": {\n${text}` } } } };
      const told = JSON.parse(String(withPlacerOfLarge(netlistOf(modules), 'top')));
      expect(told).toEqual({
        creator: 'Yosys',
        modules: { ...modules, top: { settings: OF_LARGE, ...modules.top } },
      });
    }),
  );
  expect(() => withPlacerOfLarge(netlistOf({ other: {} }), 'top')).toThrow('Yosys wrote no module top');
});

test.each([
  ['virtual-hx8k', 1999, false],
  ['virtual-hx8k', 2000, true],
  ['virtual-hx8k', 3840, true],
  ['virtual-hx8k', 3841, false],
  ['icebreaker', 2640, true],
  ['icebreaker', 2641, false],
  ['icestick', 1280, false],
] as const)('on %s %i look-up tables use that placer: %s', (id, tables, expected) => {
  const netlist = netlistOf({ top: { ports: {} } });
  const told = ice40.forPlacing!(netlist, board(id), 'top', { SB_LUT4: tables, SB_DFF: 5000 });
  expect(told !== null).toBe(expected);
  if (told) expect(JSON.parse(String(told.netlist)).modules.top.settings).toEqual(OF_LARGE);
});

test('nextpnr obeys the netlist, and places and routes reproducibly', async () => {
  const { files } = await engine.run({
    tool: 'yosys',
    args: ['-q', '-p', `read_verilog a.v; synth_ice40 -top top; write_json ${NETLIST}`],
    files: {
      'a.v':
        'module top(input clk, output led); reg [23:0] n = 0; always @(posedge clk) n <= n + 5; assign led = ^n; endmodule',
    },
    outputs: [NETLIST],
    deadline: 100,
    onLine() {},
  });
  const route = async (netlist: Uint8Array) => {
    const lines: string[] = [];
    const options = {
      constraints: 'set_io clk J3\nset_io led B5\n',
      megahertz: 12,
      seed: 1,
      ignoreLoops: false,
    };
    const { tool, args, files, outputs } = ice40.placeAndRoute(board('virtual-hx8k'), options);
    const result = await engine.run({
      tool,
      args,
      files: { ...files, [NETLIST]: netlist },
      outputs,
      deadline: 100,
      onLine: (line) => lines.push(line),
    });
    return { result: result.files, log: lines.join('\n') };
  };
  const plain = files[NETLIST]!;
  const large = withPlacerOfLarge(plain, 'top');
  const [usual, once, again] = [await route(plain), await route(large), await route(large)];
  expect(usual.log).not.toContain('Running Static placer');
  expect(once.log).toContain('Running Static placer');
  expect(Buffer.compare(once.result['design.asc']!, again.result['design.asc']!)).toBe(0);
  expect(Buffer.compare(once.result['design.asc']!, usual.result['design.asc']!)).not.toBe(0);
  expect(String(Buffer.from(once.result[TIMING]!))).toContain('achieved');
});
