import { describe, expect, test } from 'vitest';
import { readWithSlang } from '../../../../../server/toolchain/frontends/verilog/slang.ts';
import { prepareSource } from '../../../../../server/toolchain/intake/source.ts';
import { addressingOfUse } from '../../../../../server/toolchain/slave/addressing.ts';
import type { Module, Netlist } from '../../../../../server/toolchain/slave/netlist.ts';
import { addressUse } from '../../../../../server/toolchain/slave/registers/address-use.ts';
import { seeded } from '../../../../support/seeded.ts';
import { SOAK } from '../../../../support/soak.ts';
import { plainYosys, scanText } from '../../../../support/toolchain/support.ts';

/** How an address of 16 bits may be used: statements of a module with clk, a and the register q, and what it then counts. */
const USES: Record<string, [use: string, unit: 'byte' | 'word' | null]> = {
  'an index': ['reg [31:0] mem [0:255]; always @(posedge clk) q <= mem[a[7:0]];', 'word'],
  'an index of words': ['reg [31:0] mem [0:255]; always @(posedge clk) q <= mem[a[9:2]];', 'byte'],
  'a shift by two': ['reg [31:0] mem [0:255]; always @(posedge clk) q <= mem[a >> 2];', 'byte'],
  'a write': [
    'reg [31:0] mem [0:255]; always @(posedge clk) begin mem[a[7:0]] <= q; q <= mem[a[9:2]]; end',
    'word',
  ],
  'data of a memory': [
    'reg [31:0] mem [0:255]; always @(posedge clk) begin mem[0] <= a; q <= mem[a[7:0]]; end',
    'word',
  ],
  'cases of one': [
    'always @(posedge clk) case (a[2:0]) 0: q <= 1; 1: q <= 2; 2: q <= 3; default: q <= 0; endcase',
    'word',
  ],
  'cases of four': [
    'always @(posedge clk) case (a[7:0]) 0: q <= 1; 4: q <= 2; 8: q <= 3; default: q <= 0; endcase',
    'byte',
  ],
  comparisons: ["always @(posedge clk) if (a == 16'h100) q <= 1; else if (a == 16'h104) q <= 2;", 'byte'],
  'a choice': ['always @(posedge clk) q <= a[0] ? 1 : 2;', 'word'],
  'a range': ["always @(posedge clk) if (a < 16'h400) q <= a[9:2];", 'byte'],
  'a sum': ['always @(posedge clk) q <= a + 1;', null],
  'a reading': ['always @(posedge clk) q <= a;', null],
  nothing: ['always @(posedge clk) q <= 1;', null],
};

/** Generates designs in which an address is used after a chain of wires, registers and modules. */
class Chains {
  readonly #random: () => number;
  readonly modules: string[] = [];
  #names = 0;

  constructor(seed: number) {
    this.#random = seeded(seed);
  }

  #below(count: number): number {
    return Math.floor(this.#random() * count);
  }

  #module(prefix: string, ports: string, body: string): string {
    const name = `${prefix}_${this.#names++}`;
    this.modules.push(
      `module ${name}(input clk, input [15:0] i, ${ports});\n  reg enable, reset; always @(posedge clk) {enable, reset} <= {reset, enable};\n  ${body}\nendmodule`,
    );
    return name;
  }

  /** Statements that connect the signal `to` to the signal `from`, with at most `depth` nested modules. */
  #link(from: string, to: string, depth: number): string {
    const wire = `wire [15:0] ${to};`;
    switch (this.#below(depth > 0 ? 9 : 5)) {
      case 0:
        return `${wire} assign ${to} = ${from};`;
      case 1:
        return `${wire} assign {${to}[15:5], ${to}[4:0]} = {${from}[15:9], ${from}[8:0]};`;
      case 2:
        return `reg [15:0] ${to}; always @(posedge clk) ${to} <= ${from};`;
      case 3:
        return `reg [15:0] ${to}; always @(posedge clk) if (enable) ${to} <= ${from}; else if (reset) ${to} <= 0;`;
      case 4:
        return `${wire} assign ${to} = (${from} << 2) >> 2;`;
      case 5: {
        const inside = this.#module('pass', 'output [15:0] o', this.#chain('i', 'o', depth - 1));
        return `${wire} ${inside} u_${to}(clk, ${from}, ${to});`;
      }
      case 6: {
        // Back into what it came out of: a loop through a register.
        const inside = this.#module(
          'loop',
          'input [15:0] back, output [15:0] o',
          `reg [15:0] kept; always @(posedge clk) kept <= enable ? i : back; ${this.#chain('kept', 'o', depth - 1)}`,
        );
        return `${wire} ${inside} u_${to}(.clk(clk), .i(${from}), .back(${to}), .o(${to}));`;
      }
      case 7: {
        const inside = this.#module('pass', 'output [15:0] o', this.#chain('i', 'o', depth - 1));
        return `${wire} ${['[15:6]', '[5:0]']
          .map((part) => `${inside} u_${to}${part.length}(.o(${to}${part}), .i(${from}${part}), .clk(clk));`)
          .join(' ')}`;
      }
      default: {
        const buffer = `bit_${this.#names++}`;
        this.modules.push(`module ${buffer}(input i, output o); assign o = i; endmodule`);
        const low = [0, 1].map((at) => `${buffer} u_${to}${at}(${from}[${at}], ${to}[${at}]);`).join(' ');
        return `${wire} ${low} assign ${to}[15:2] = ${from}[15:2];`;
      }
    }
  }

  #chain(from: string, to: string, depth: number): string {
    let [text, last] = ['', from];
    for (let links = this.#below(4); links > 0; links--) {
      const next = `w${this.#names++}`;
      text += `${this.#link(last, next, depth)}\n  `;
      last = next;
    }
    return `${text}assign ${to} = ${last};`;
  }

  /** A module with this use after a chain; the use itself may be in a nested module. */
  design(use: string, depth = this.#below(4)): string {
    const wire = `wire [15:0] a; ${this.#chain('i', 'a', 3)}`;
    if (depth === 0) return this.#module('design', 'output reg [31:0] q', `${wire}\n  ${use}`);
    return this.#module(
      'design',
      'output [31:0] q',
      `${wire}\n  ${this.design(use, depth - 1)} inner(.clk(clk), .i(a), .q(q));`,
    );
  }
}

/** The netlist of modules that contain none of the named ones. */
async function readModules(text: string, tops: readonly string[]): Promise<Netlist> {
  const source = prepareSource(new TextEncoder().encode(text), 'design.v');
  const { read, diagnostics } = await readWithSlang(source, { tops }, plainYosys, {
    log() {},
    progress() {},
  });
  return read?.netlist ?? expect.unreachable(JSON.stringify(diagnostics));
}

describe('uses of an address', () => {
  test('through any chain of wires, registers and modules a use is the same as without them', async () => {
    const chains = new Chains(2211);
    const cases = Object.entries(USES).flatMap(([name, [use]]) =>
      Array.from({ length: SOAK ? 25 : 2 }, () => ({ name, design: chains.design(use) })),
    );
    const flat = Object.entries(USES).map(
      ([, [use]], at) =>
        `module flat_${at}(input clk, input [15:0] i, output reg [31:0] q); wire [15:0] a = i; ${use} endmodule`,
    );
    const tops = [...cases.map(({ design }) => design), ...flat.map((_, at) => `flat_${at}`)];
    const netlist = await readModules([...chains.modules, ...flat].join('\n'), tops);
    const followed = (module: string) => {
      const use = addressUse(netlist.get(module) ?? expect.unreachable(module), 'i', netlist);
      return {
        ...use,
        multiples: [...new Set(use.multiples)].sort(),
        others: [...new Set(use.others)].sort(),
      };
    };
    const expected = Object.fromEntries(Object.keys(USES).map((name, at) => [name, followed(`flat_${at}`)]));
    for (const [name, [, unit]] of Object.entries(USES))
      expect([name, addressingOfUse(expected[name] ?? null)?.addressing ?? null]).toEqual([name, unit]);
    for (const { name, design } of cases)
      expect([name, design, followed(design)]).toEqual([name, design, expected[name]]);
  });
});

test('follows endlessly nested modules to a limit, and then reports an unclear use', () => {
  const bits = [0, 1, 2];
  const inside = {
    name: 'inside',
    type: 'endless',
    place: {},
    parameters: {},
    connections: { i: bits },
    outputs: new Set<string>(),
  };
  const endless: Module = {
    name: 'endless',
    definition: 'endless',
    isTop: true,
    place: {},
    isBlackBox: false,
    ports: [{ name: 'i', direction: 'input', width: 3, offset: 0 }],
    nets: new Map([['i', bits]]),
    signals: new Map(),
    startValues: new Map(),
    cells: [inside, { ...inside }],
    memories: [],
  };
  expect(addressUse(endless, 'i', new Map([['endless', endless]]))).toMatchObject({
    unclear: true,
    highBits: true,
  });
});

/** A slave whose address reaches registers through this, under a name that suggests byte addresses. */
const slaveThrough = (way: string) =>
  scanText(`${ADAPTERS}
    module m(input wb_clk_i, input wb_cyc_i, input wb_stb_i, input wb_we_i, input [7:0] wb_adr_i,
      input [31:0] wb_dat_i, output reg [31:0] wb_dat_o, output wb_ack_o);
      assign wb_ack_o = wb_cyc_i & wb_stb_i;
      reg [31:0] r0, r1; wire [7:0] adr; ${way}
      always @(posedge wb_clk_i) begin
        if (wb_we_i) case (adr[2:0]) 0: r0 <= wb_dat_i; 1: r1 <= wb_dat_i; endcase
        case (adr[2:0]) 0: wb_dat_o <= r0; 1: wb_dat_o <= r1; default: wb_dat_o <= 0; endcase
      end
    endmodule`);

const ADAPTERS = `module adapter(input [7:0] from_bus, output [7:0] to_core); assign to_core = from_bus; endmodule
  module shifter #(parameter BY = 0, parameter W = 4)(input [W-1:0] i, output [W-1:0] o); assign o = i >> BY; endmodule
  module buffer(input i, output o); assign o = i; endmodule`;

describe('addressing of a slave', () => {
  test.each([
    ['an adapter, its ports by name', 'adapter a(.to_core(adr), .from_bus(wb_adr_i));', 'word'],
    [
      'a bank next to an adapter',
      'adapter a(wb_adr_i, adr); reg [7:0] bank; always @* case (wb_adr_i[5:3]) 0: bank = 1; default: bank = 2; endcase',
      'word',
    ],
    ['other parameters that change the answer', 'shifter #(.BY(2), .W(8)) s(wb_adr_i, adr);', 'byte'],
    ['an array of instances', 'buffer b[7:0](wb_adr_i, adr);', 'word'],
  ])('%s: %s is a %s address', async (_, way, addressing) => {
    const { matched, outcome, log } = await slaveThrough(way);
    expect(matched).toMatchObject({ addressing, addressingReason: expect.stringMatching(/^the design/) });
    expect(matched).not.toHaveProperty('addressingDoubt');
    expect(outcome).toMatchObject({ design: { addressing } });
    expect(log.filter((line) => line.startsWith('addresses: '))).toEqual([
      `addresses: ${addressing}, because ${matched?.addressingReason}`,
    ]);
  });

  test('reports a doubt if the design does not show its addressing', async () => {
    const { matched, log } = await slaveThrough('assign adr = wb_adr_i + 4;');
    expect(matched).toMatchObject({
      addressing: 'byte',
      addressingDoubt:
        'the design does not show how it counts addresses; registers 1 and up may be elsewhere',
    });
    expect(log).toContain(
      `warning: check the addressing: ${matched?.addressingDoubt}; the form field addressing=word changes it`,
    );
  });

  test('a single register is at the same address either way', async () => {
    const { matched } =
      await scanText(`module m(input wb_clk_i, input wb_cyc_i, input wb_stb_i, input wb_we_i, input [7:0] wb_adr_i,
      input [31:0] wb_dat_i, output reg [31:0] wb_dat_o, output wb_ack_o); assign wb_ack_o = wb_stb_i;
      always @(posedge wb_clk_i) if (wb_we_i) wb_dat_o <= wb_dat_i; endmodule`);
    expect(matched).toMatchObject({
      addressing: 'byte',
      addressingReason: expect.stringContaining('OpenCores'),
    });
    expect(matched).not.toHaveProperty('addressingDoubt');
  });

  test('an address padded with zeros counts words', async () => {
    const body = `always @(posedge wb_clk_i) if ({i_wb_addr[3:0], 2'b00} == 6'h04) wb_dat_o <= a;
      else if ({i_wb_addr[3:0], 2'b00} == 6'h08) wb_dat_o <= b;`;
    const { matched } =
      await scanText(`module m (input wb_clk_i, input wb_cyc_i, input wb_stb_i, input wb_we_i, input [15:0] i_wb_addr,
      input [31:0] wb_dat_i, output reg [31:0] wb_dat_o, output wb_ack_o);
      assign wb_ack_o = wb_cyc_i & wb_stb_i; reg [31:0] a, b; ${body} endmodule`);
    expect(matched).toMatchObject({
      addressing: 'word',
      addressingReason: expect.stringMatching(/^the design/),
    });
  });

  test('the contract keeps word addresses, with a doubt if the design looks otherwise', async () => {
    const source = `module m(input clk, input wb_cyc, wb_stb, wb_we, input [9:0] wb_adr, input [31:0] wb_dat_w,
      output reg [31:0] wb_dat_r, output wb_ack); assign wb_ack = wb_stb; reg [31:0] mem [0:255];
      always @(posedge clk) begin if (wb_we) mem[wb_adr[9:2]] <= wb_dat_w; wb_dat_r <= mem[wb_adr[9:2]]; end endmodule`;
    const scan = await scanText(source);
    expect(scan.matched).toMatchObject({
      addressing: 'word',
      addressingDoubt: expect.stringContaining('does not read the two lowest address bits'),
    });
    expect(scan.log.some((line) => /addressing=byte/.test(line))).toBe(true);
  });
});
