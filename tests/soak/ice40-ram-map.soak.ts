import { afterAll, expect, test } from 'vitest';
import { createEmbeddedEngine } from '../../server/toolchain/engines/embedded/embedded-engine.ts';
import { ice40RamMap } from '../../server/toolchain/families/ice40/ram-map.ts';
import { engineOptions } from '../support/toolchain/support.ts';

const engine = createEmbeddedEngine(engineOptions);
afterAll(() => engine.close());

/** Words as $readmemh reads them: Yosys takes the square of their number for a loop that writes them. */
const contents = (words: number, width: number, word: (at: number) => number) =>
  Array.from({ length: words }, (_, at) => (word(at) % 2 ** width).toString(16)).join('\n');
const CONTENTS = {
  'm8.hex': contents(512, 8, (i) => i * 37 + (i >> 3)),
  'm2.hex': contents(2048, 2, (i) => i * 7 + (i >> 4)),
  'm4.hex': contents(1024, 4, (i) => i * 11 + (i >> 5)),
  'm16.hex': contents(256, 16, (i) => i * 40503),
};

/** Memories of every width, on both edges, with contents, and with byte enables. */
const MEMORIES = `module top(input clk, input [10:0] a, b, input [15:0] d, input we, we2,
  output reg [7:0] q8, output reg [1:0] q2, output reg [3:0] q4, output reg [15:0] q16, r16);
  reg [7:0] m8[0:511];    initial $readmemh("m8.hex", m8);
  reg [1:0] m2[0:2047];   initial $readmemh("m2.hex", m2);
  reg [3:0] m4[0:1023];   initial $readmemh("m4.hex", m4);
  reg [15:0] m16[0:255];  initial $readmemh("m16.hex", m16);
  reg [15:0] mb[0:255];
  always @(posedge clk) q8 <= m8[a];
  always @(negedge clk) q2 <= m2[b];
  always @(posedge clk) q4 <= m4[a];
  always @(negedge clk) if (we) m4[b] <= d;
  always @(negedge clk) q16 <= m16[a];
  always @(negedge clk) if (we) m16[b] <= d;
  always @(posedge clk) begin
    r16 <= mb[a];
    if (we) mb[b][7:0] <= d[7:0];
    if (we2) mb[b][15:8] <= d[15:8];
  end
endmodule`;

interface Cell {
  type: string;
  parameters: Record<string, string>;
  connections: Record<string, (number | string)[]>;
}

interface NetlistJson {
  modules: { top: { netnames: Record<string, { bits: number[] }>; cells: Record<string, Cell> } };
}

/** The block RAMs of the design right after mapping with each of the files; the steps before run once. */
async function mapped(ramMaps: readonly string[]): Promise<Record<string, unknown>[]> {
  const outputs = ramMaps.map((_, at) => `out${at}.json`);
  const mappings = ramMaps.map(
    (ramMap, at) =>
      `design -load chosen; techmap -map ${ramMap} -map +/ice40/spram_map.v; opt_clean; blackbox =A:whitebox; write_json ${outputs[at]}`,
  );
  const { files } = await engine.run({
    tool: 'yosys',
    args: [
      '-p',
      `read_verilog top.v; synth_ice40 -top top -run begin:map_ram; memory_libmap -lib +/ice40/brams.txt -lib +/ice40/spram.txt -no-auto-huge; design -save chosen; ${mappings.join('; ')}`,
    ],
    files: { 'top.v': MEMORIES, 'own.v': ice40RamMap(), ...CONTENTS },
    outputs,
    deadline: 300,
    onLine() {},
  });
  return outputs.map((name) => blockRams(JSON.parse(Buffer.from(files[name]!).toString())));
}

/** By the names of their cells, with the names of the nets at their pins. */
function blockRams({ modules }: NetlistJson): Record<string, unknown> {
  const nets = new Map<number, string>();
  for (const [name, { bits }] of Object.entries(modules.top.netnames))
    if (!/techmap|auto|^\$/.test(name)) for (const [i, bit] of bits.entries()) nets.set(bit, `${name}[${i}]`);
  const cells = Object.entries(modules.top.cells).filter(([, cell]) => /RAM40/.test(cell.type));
  return Object.fromEntries(
    cells.map(([name, { type, parameters, connections }]) => {
      const values = Object.entries(parameters).map(([key, bits]) => [key, bits.replace(/^0+(?=.{2}$)/, '')]);
      const pins = Object.entries(connections).map(([pin, bits]) => [
        pin,
        bits.map((bit) => (typeof bit === 'number' ? (nets.get(bit) ?? 'inner') : bit)),
      ]);
      return [
        name,
        { type, parameters: Object.fromEntries(values.sort()), pins: Object.fromEntries(pins.sort()) },
      ];
    }),
  );
}

test('maps block RAM bit for bit as the file that Yosys brings', async () => {
  const [reference = {}, own] = await mapped(['+/ice40/brams_map.v', 'own.v']);
  const types = Object.values(reference).map((cell) => (cell as { type: string }).type);
  expect(new Set(types)).toEqual(
    new Set(['SB_RAM40_4K', 'SB_RAM40_4KNR', 'SB_RAM40_4KNW', 'SB_RAM40_4KNRNW']),
  );
  expect(JSON.stringify(reference)).toMatch(/"INIT_0":"[01]+1[01]+"/);
  expect(own).toEqual(reference);
});
