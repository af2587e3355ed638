import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Delays, readDelays } from '../../../../server/symbols/floorplan/delays.ts';
import { type SlowestPath, slowestPath } from '../../../../server/symbols/floorplan/slowest-path.ts';
import { type Netlist, readNetlist } from '../../../../server/symbols/netlist-file.ts';
import { createEmbeddedEngine } from '../../../../server/toolchain/engines/embedded/embedded-engine.ts';
import { ABC9_SETTINGS } from '../../../../server/toolchain/families/family.ts';
import { LAYERED } from '../../../support/layered-design.ts';
import { storedRuns } from '../../../support/toolchain/support.ts';

interface Report {
  fmax: Record<string, { achieved: number }>;
  critical_paths: {
    from: string;
    to: string;
    path: { delay: number; type: string; from: { cell: string }; to: { cell: string } }[];
  }[];
}

const engine = createEmbeddedEngine(storedRuns);
afterAll(() => engine.close());

let routed: Netlist;
let delays: Delays;
let report: Report;

/** Parts of the design between two pins. */
const SHIFTED = `
module shifted (input clk, input d, output reg q);
  reg [15:0] a;
  wire [15:0] first, second, folded;
  adder one (.clk(clk), .a(a), .b(second), .sum(first));
  adder two (.clk(clk), .a(first), .b({first[0], a[15:1]}), .sum(second));
  slow fold (.clk(clk), .a(second), .folded(folded));
  always @(posedge clk) begin
    a <= {a[14:0], d};
    q <= ^folded;
  end
endmodule`;

/** A register on the opposite clock edge of the one before: half a period between them. */
const EDGES = SHIFTED.replace('.a(second), .folded', '.a(falls), .folded').replace(
  'reg [15:0] a;',
  'reg [15:0] a, falls; always @(negedge clk) falls <= a;',
);

async function placed(source: string) {
  const shared = { deadline: 120, onLine: () => {} };
  const { files } = await engine.run({
    tool: 'yosys',
    args: [
      '-q',
      '-p',
      ['read_verilog a.v', ...ABC9_SETTINGS, 'synth_ice40 -top shifted', 'write_json a.json'].join('; '),
    ],
    files: { 'a.v': source },
    outputs: ['a.json'],
    ...shared,
  });
  const args = ['--hx8k', '--package', 'ct256', '--json', 'a.json', '--asc', 'a.asc', '--seed', '1'];
  const outputs = ['placed.json', 'delays.sdf', 'report.json'];
  const result = await engine.run({
    tool: 'nextpnr-ice40',
    args: [
      ...args,
      '--write',
      'placed.json',
      '--sdf',
      'delays.sdf',
      '--report',
      'report.json',
      '--pcf-allow-unconstrained',
    ],
    files: { 'a.json': files['a.json']! },
    outputs,
    ...shared,
  });
  const text = (name: string) => Buffer.from(result.files[name]!).toString();
  return {
    routed: readNetlist(text('placed.json'))!,
    delays: readDelays(text('delays.sdf')),
    report: JSON.parse(text('report.json')) as Report,
  };
}

beforeAll(async () => {
  ({ routed, delays, report } = await placed(LAYERED.source + SHIFTED));
});

const sum = ({ steps }: SlowestPath) => steps.reduce((all, { ns }) => all + ns, 0);

test('the slowest of all paths matches the one that place and route reports', () => {
  const path = slowestPath(routed, delays, () => true)!;
  const [{ achieved } = { achieved: 0 }] = Object.values(report.fmax);
  expect(path.megahertz / achieved).toBeCloseTo(1, 3);
  expect(sum(path)).toBeCloseTo(1000 / path.megahertz, 6);
  const theirs = report.critical_paths.find(({ from, to }) => from === to)!.path;
  expect(path.steps.map(({ type }) => type)).toEqual(theirs.map(({ type }) => type));
  // Paths that are as slow may be taken in either order; their delays are the same.
  const sorted = (delays: readonly number[]) => [...delays].sort((a, b) => a - b);
  expect(sorted(path.steps.map(({ ns }) => ns))).toEqual(
    sorted(theirs.map(({ delay }) => delay)).map((delay) => expect.closeTo(delay, 2)),
  );
});

test('for some cells it is the slowest path that touches one of them', () => {
  const ids = Object.keys(routed.cells);
  const inOne = (id: string) => id.startsWith('one.');
  expect(ids.some(inOne)).toBe(true);
  const path = slowestPath(routed, delays, inOne)!;
  const cells = path.steps.flatMap(({ from, to }) => [from, to]);
  expect(cells.some(inOne)).toBe(true);
  const all = slowestPath(routed, delays, () => true)!;
  expect(path.megahertz).toBeGreaterThan(all.megahertz);
  // Each cell by itself: none has a slower path than all of them together.
  const alone = ids.filter(inOne).map((id) => slowestPath(routed, delays, (one) => one === id)?.megahertz);
  expect(Math.min(...alone.flatMap((megahertz) => megahertz ?? []))).toBeCloseTo(path.megahertz, 6);
  expect(sum(path)).toBeCloseTo(1000 / path.megahertz, 6);
  expect(path.steps.slice(1).map(({ from }) => from)).toEqual(path.steps.slice(0, -1).map(({ to }) => to));
});

test('for no cells, or without delays, there is none', () => {
  expect(slowestPath(routed, delays, () => false)).toBeNull();
  expect(slowestPath(routed, readDelays('no delays\n(INTERCONNECT'), () => true)).toBeNull();
});

test('a path between opposite clock edges has half a period', async () => {
  const both = await placed(LAYERED.source + EDGES);
  const path = slowestPath(both.routed, both.delays, () => true)!;
  const [{ achieved } = { achieved: 0 }] = Object.values(both.report.fmax);
  expect(path.megahertz / achieved).toBeCloseTo(1, 3);
  expect(sum(path)).toBeCloseTo(500 / path.megahertz, 6);
});
