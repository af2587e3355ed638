import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ServiceError } from '../../../server/contract/client/failures.ts';
import { exampleSource, loadExamples } from '../../../server/toolchain/examples.ts';
import { FlowBench } from '../../support/flow/flow-bench.ts';

let bench: FlowBench;
beforeAll(async () => {
  bench = await FlowBench.start(['panel.v']);
});
afterAll(() => bench.stop());

/** 64 bits in, 64 out, and some that do not fit. */
const WIDE = `
module wide(input clk, input rst, input wb_cyc, input wb_stb, input wb_we, input [29:0] wb_adr, input [31:0] wb_dat_w,
            output [31:0] wb_dat_r, output reg wb_ack, input [47:0] key, input [15:0] tweak_n, input [3:0] spare,
            output [63:0] mixed, output [3:0] more);
  always @(posedge clk) wb_ack <= wb_cyc & wb_stb & ~wb_ack & ~rst;
  assign wb_dat_r = key[31:0];
  assign mixed = {tweak_n, key};
  assign more = spare;
endmodule
`;

test('switches, lamps and a pulse of one clock, through REST, on a virtual board', async () => {
  const { client } = bench;
  const panel = loadExamples().find(({ file }) => file === 'panel.v')!;
  const job = await bench.submit(0, panel.file, exampleSource(panel));
  expect(job.status, job.log).toBe('complete');
  const pins = async () =>
    (await client.listPins({ fpga_id: 0 })).pins.map(({ name, value, rose, fell }) => [
      name,
      value,
      rose,
      fell,
    ]);
  const set = async (values: Record<string, number | string>) =>
    (await client.setPins({ fpga_id: 0, body: { pins: values } })).pins.map(({ name, value, rose, fell }) => [
      name,
      value,
      rose,
      fell,
    ]);
  const at = (sw: number, button: number, led: number[], pressed: number[]) => [
    ['sw', sw, 0, 0],
    ['button_n', button, 0, 0],
    ['led', ...led],
    ['pressed', ...pressed],
  ];
  expect(await pins()).toEqual(at(0, 1, [0, 0, 0], [0, 0, 0]));
  expect(await set({ sw: 0x1234 })).toEqual(at(0x1234, 1, [0x1234, 0x1234, 0], [0, 0, 0]));
  expect(await pins()).toEqual(at(0x1234, 1, [0x1234, 0, 0], [0, 0, 0]));
  expect(await set({ sw: '0xff', button_n: 0 })).toEqual(at(0xff, 0, [0xff, 0xcb, 0x1200], [0, 1, 1]));
  expect((await bench.run(0, { op: 2, address: 8, count: 2 })).data).toEqual([1, 0xff]);
  // All or nothing, with a reason that names the pin.
  for (const [wrong, code] of [
    [{ sw: 1, nobody: 1 }, 'pin_unknown'],
    [{ sw: 1, led: 1 }, 'pin_not_input'],
    [{ sw: 1, button_n: 2 }, 'pin_too_wide'],
    [{ sw: '0x10000' }, 'pin_too_wide'],
    [{ sw: -1 }, 'validation_error'],
    [{ sw: '12' }, 'validation_error'],
  ] as const)
    await expect(set(wrong as unknown as Record<string, number>), code).rejects.toMatchObject({
      code,
      status: 422,
    } satisfies Partial<ServiceError>);
  expect(await pins()).toEqual(at(0xff, 0, [0xff, 0, 0], [0, 0, 0]));
  await bench.release(0);
  await expect(client.listPins({ fpga_id: 0 })).rejects.toMatchObject({ code: 'fpga_not_reserved' });
});

test('wide pins are hexadecimal strings; the log reports ports tied off for lack of room', async () => {
  const { client } = bench;
  const job = await bench.submit(1, 'wide.v', WIDE);
  expect(job.status, job.log).toBe('complete');
  expect(job.log).toContain('input tweak_n (16 bits) is a pin, initially all ones: active low by its name');
  expect(job.log).toContain('input spare (4 bits) tied to 0');
  expect(job.log).toContain('left open: more');
  const before = await client.listPins({ fpga_id: 1 });
  expect(before.pins).toEqual([
    {
      name: 'key',
      direction: 'input',
      width: 48,
      value: '0x0',
      initial: '0x0',
      rose: '0x0',
      fell: '0x0',
      bound: null,
    },
    {
      name: 'tweak_n',
      direction: 'input',
      width: 16,
      value: 0xffff,
      initial: 0xffff,
      rose: 0,
      fell: 0,
      bound: null,
    },
    {
      ...{ name: 'mixed', direction: 'output', width: 64, bound: null },
      ...{ value: '0xffff000000000000', initial: '0x0', rose: '0x0', fell: '0x0' },
    },
  ]);
  const body = { pins: { key: '0xa5a5deadbeef', tweak_n: 0x0f0f } };
  const { pins } = await client.setPins({ fpga_id: 1, body });
  expect(pins[2]).toMatchObject({
    value: '0xf0fa5a5deadbeef',
    rose: '0xa5a5deadbeef',
    fell: '0xf0f0000000000000',
  });
  expect((await bench.run(1, { op: 2, address: 0, count: 1 })).data).toEqual([0xdeadbeef]);
});

/** A word whose bytes are written one by one, two ports that may be bound to a board, and one that may begin with a value. */
const BYTES = `
module bytes(input clk, input rst, input wb_cyc, input wb_stb, input wb_we, input [29:0] wb_adr, input [31:0] wb_dat_w,
             input [3:0] wb_sel, output reg [31:0] wb_dat_r, output reg wb_ack, input [7:0] sw, input btn_n,
             output [7:0] led);
  reg [31:0] word;
  integer i;
  assign led = word[7:0];
  always @(posedge clk) begin
    wb_ack <= wb_cyc & wb_stb & ~wb_ack & ~rst;
    wb_dat_r <= wb_adr[0] ? {23'd0, btn_n, sw} : word;
    for (i = 0; i < 4; i = i + 1)
      if (wb_cyc & wb_stb & wb_we & ~wb_ack & wb_sel[i]) word[8*i+:8] <= wb_dat_w[8*i+:8];
    if (rst) word <= 32'd0;
  end
endmodule
`;

test('writes single bytes, applies initial pin values from the form, and binds ports to the board', async () => {
  const { client } = bench;
  for (const [pins, says] of [
    [{ nobody: 1 }, 'pins: the design has no port nobody'],
    [{ sw: 256 }, 'pins: sw has 8 bits; 256 has more'],
    [{ led: 'B10 B5 B4 A2 A1 C5 C4 B3' }, 'pin B10 of Virtual iCE40-HX8K is the serial line'],
  ] as const) {
    const refused = await bench.submit(2, 'bytes.v', BYTES, { pins });
    expect([refused.status, refused.failure?.error]).toEqual(['failed', 'design_bad_tie']);
    expect(refused.failure?.message).toContain(says);
  }
  const job = await bench.submit(2, 'bytes.v', BYTES, { pins: { sw: '0x5A', led: 'LED', btn_n: 'D1' } });
  expect(job.status, job.log).toBe('complete');
  expect(job.log).toContain('input sw (8 bits) is a pin, initially 0x5a: set by the form field pins');
  expect(job.log).toContain('output led (8 bits) is bound to LED of the board');
  const write = (data: number, select?: number) =>
    bench.run(2, { op: 1, address: 0, data: [data], ...(select === undefined ? {} : { select }) });
  const read = async () => (await bench.run(2, { op: 2, address: 0, count: 2 })).data;
  expect(await read()).toEqual([0, 0x15a]);
  await write(0x1122_3344);
  const byte = await write(0xaabb_ccdd, 0b0010);
  expect(byte.log).toContain('(bytes 0010)');
  expect((await read())[0]).toBe(0x1122_cc44);
  await write(0xffff_ffff, 0b1001);
  expect((await read())[0]).toBe(0xff22_ccff);
  const pins = async () => (await client.listPins({ fpga_id: 2 })).pins;
  expect(await pins()).toMatchObject([
    { name: 'sw', direction: 'input', value: 0x5a, initial: 0x5a, bound: null },
    { name: 'btn_n', direction: 'input', value: 1, bound: 'D1' },
    { name: 'led', direction: 'output', value: 0xff, bound: 'LED' },
  ]);
  await expect(client.setPins({ fpga_id: 2, body: { pins: { btn_n: 0 } } })).rejects.toMatchObject({
    code: 'pin_not_input',
    message: expect.stringContaining('D1'),
  });
  await client.setPins({ fpga_id: 2, body: { pins: { sw: 1 } } });
  expect(await read()).toEqual([0xff22_ccff, 0x101]);
  for (const body of [
    { op: 1 as const, address: 0, data: [1, 2], select: 1 },
    { op: 1 as const, address: 0, data: [], select: 1 },
    { op: 2 as const, address: 0, select: 1 },
  ])
    await expect(client.runTransaction({ fpga_id: 2, body })).rejects.toMatchObject({
      status: 422,
      code: 'validation_error',
    });
});
