import { afterAll, beforeAll, expect, test } from 'vitest';
import { FlowBench } from '../../support/flow/flow-bench.ts';

let bench: FlowBench;
beforeAll(async () => {
  bench = await FlowBench.start();
});
afterAll(() => bench.stop());

/** Lines driven by register bits, in each way of writing it. */
const LINES = `
module holder(inout sda, input low, input clk, output reg seen);
  assign sda = low ? 1'b0 : 1'bz;
  always @(posedge clk) seen <= sda;
endmodule
module lines(input clk, input rst, input wb_cyc, input wb_stb, input wb_we, input [29:0] wb_adr, input [31:0] wb_dat_w,
             output [31:0] wb_dat_r, output reg wb_ack, inout [3:0] gpio, inout sda, inout heard, inout told,
             inout [1:0] pad, output [3:0] copy);
  reg [15:0] r;
  wire seen;
  genvar i;
  generate
    for (i = 0; i < 4; i = i + 1) begin : bits
      assign gpio[i] = r[4+i] ? r[i] : 1'bz;
    end
  endgenerate
  holder two(.sda(sda), .low(r[8]), .clk(clk), .seen(seen));
  assign sda = r[9] ? r[10] : 1'bz;
  assign told = r[11];
  assign pad = r[12] ? r[14:13] : 2'bzz;
  assign copy = gpio;
  assign wb_dat_r = {22'd0, pad, heard, told, seen, sda, gpio};
  always @(posedge clk) begin
    wb_ack <= wb_cyc & wb_stb & ~wb_ack & ~rst;
    if (wb_cyc & wb_stb & wb_we) r <= wb_dat_w[15:0];
    if (rst) r <= 16'd0;
  end
endmodule
`;

test('inouts have a level and a direction; the bench sets those that the design does not drive', async () => {
  const { client } = bench;
  const job = await bench.submit(0, 'lines.v', LINES, { pins: { gpio: '0x5', pad: 'D1 D2' } });
  expect(job.status, job.log).toBe('complete');
  expect(job.log).toContain(
    'inout gpio (4 bits) is a pin, initially 0x5 while the design does not drive it: set by the form field pins',
  );
  expect(job.log).toContain(
    'inout sda is a pin, initially 0x1 while the design does not drive it: an I2C line idles high',
  );
  expect(job.log).toContain('inout pad (2 bits) is bound to D1, D2 of the board');
  const pins = async () =>
    Object.fromEntries(
      (await client.listPins({ fpga_id: 0 })).pins.map(({ name, value, released, driven }) => [
        name,
        [value, released, driven],
      ]),
    );
  const write = (word: number) => bench.run(0, { op: 1, address: 0, data: [word] });
  const word = async () => (await bench.run(0, { op: 2, address: 0, count: 1 })).data[0]! & 0xff;

  expect(await pins()).toMatchObject({
    gpio: [5, 5, 0],
    sda: [1, 1, 0],
    heard: [0, 0, 0],
    told: [0, 0, 1],
    copy: [5, undefined, undefined],
  });
  expect((await pins())['pad']?.slice(1)).toEqual([undefined, 0]);
  expect(await word()).toBe(0b0011_0101);

  // Two bits of gpio against what the bench says, sda low by the inner one, told high.
  await write(0b0000_1001_0110_0010);
  expect(await pins()).toMatchObject({
    gpio: [0b0011, 5, 0b0110],
    sda: [0, 1, 1],
    told: [1, 0, 1],
    copy: [0b0011, undefined, undefined],
  });
  expect(await word()).toBe(0b0100_0011);

  // The other driver of the same line, and the bench on what is free.
  await write(0b0111_0110_0000_0000);
  await client.setPins({ fpga_id: 0, body: { pins: { gpio: 10, sda: 0, heard: 1 } } });
  expect(await pins()).toMatchObject({
    gpio: [10, 10, 0],
    sda: [1, 0, 1],
    heard: [1, 1, 0],
    pad: [3, undefined, 3],
  });
  expect(await word()).toBe(0b1011_1010);
  await write(0);
  expect((await pins())['sda']).toEqual([0, 0, 0]);

  await expect(client.setPins({ fpga_id: 0, body: { pins: { pad: 1 } } })).rejects.toMatchObject({
    code: 'pin_not_input',
  });
  await expect(client.setPins({ fpga_id: 0, body: { pins: { gpio: 16 } } })).rejects.toMatchObject({
    code: 'pin_too_wide',
  });
  // The names of the source are those of the signals, as ever.
  const { signals } = await client.readSignals({ fpga_id: 0, names: ['two.seen', 'r'] });
  expect(signals).toMatchObject([{ value: 0 }, { value: 0 }]);
});
