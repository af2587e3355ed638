import { expect, test } from 'vitest';
import { loadCatalogue, VIRTUAL_BOARD } from '../../../../../server/boards/catalogue/index.ts';
import { createFabric } from '../../../../../server/boards/virtual/create-fabric.ts';
import { Machine } from '../../../../../server/boards/virtual/runtime/machine.ts';
import { compile } from '../../../../../server/boards/virtual/runtime/machine-plan.ts';
import { createVirtualBoard } from '../../../../../server/boards/virtual/virtual-board.ts';
import { systemClock } from '../../../../../server/clock.ts';
import { silentLogger } from '../../../../../server/log.ts';
import { createToolchain } from '../../../../../server/toolchain/index.ts';
import { BRIDGE_BAUD, UART_FABRIC } from '../../../../support/boards/virtual/bridge.ts';
import { NetlistBuilder } from '../../../../support/boards/virtual/netlists.ts';
import { recordedBitstream } from '../../../../support/boards/virtual/recorded-bitstreams.ts';
import { temporaryFolder } from '../../../../support/temporary.ts';
import { forkWithStoredRuns } from '../../../../support/toolchain/stored-runs.ts';

/** Clocks of 12 MHz in 3 µs: github.com/YosysHQ/icestorm/issues/76 counted them. */
const ASLEEP = 36;

/** 256 bytes from 0xA5 on that no tool can turn into logic. */
const ROM = `
  reg [7:0] rom [0:255];
  integer k;
  initial for (k = 0; k < 256; k = k + 1) rom[k] = 8'hA5 + k * k * 7;
`;

/** A RAM that is read in every clock at address 0; its lowest bit is the output. */
function netlistWith(initial: number, write: { enable: 0 | 1; word: number }) {
  const builder = new NetlistBuilder();
  const ram = builder.ram({
    initial: Uint16Array.from({ length: 256 }, () => initial),
    writeData: Array.from({ length: 16 }, (_, bit) => (write.word >> bit) & 1),
    writeEnable: write.enable,
  });
  builder.output('bit', ram.readData[0]!);
  return builder.build();
}

test('a block RAM reads as zero for 3 µs, and then its contents', () => {
  const machine = new Machine(compile(netlistWith(1, { enable: 0, word: 0 })), [], ASLEEP);
  expect(machine.resting).toBe(false);
  expect(machine.run(1000)).toBe(ASLEEP);
  expect(machine.output(0)).toBe(0);
  expect(machine.resting).toBe(false);
  expect(machine.run(1000)).toBe(1);
  expect(machine.output(0)).toBe(1);
  machine.run(1000);
  expect(machine.output(0)).toBe(1);
  expect(machine.resting).toBe(true);
});

test('stepping clock by clock gives the same result', () => {
  const machine = new Machine(compile(netlistWith(1, { enable: 0, word: 0 })), [], ASLEEP);
  const seen = Array.from({ length: ASLEEP + 2 }, () => {
    machine.run(1);
    return machine.output(0);
  });
  expect(seen).toEqual([...new Array(ASLEEP).fill(0), 1, 1]);
});

test('a write during the start-up time is stored, but reads as zero until its end', () => {
  const machine = new Machine(compile(netlistWith(0, { enable: 1, word: 1 })), [], ASLEEP);
  machine.run(ASLEEP);
  expect(machine.output(0)).toBe(0);
  machine.run(2);
  expect(machine.output(0)).toBe(1);
});

test('a design without block RAM is idle at once', () => {
  const builder = new NetlistBuilder();
  builder.output('low', builder.flipFlop(0));
  const machine = new Machine(compile(builder.build()), [], ASLEEP);
  machine.run(1);
  expect(machine.resting).toBe(true);
});

test('a bitstream that reads its ROM too early reads zero, and later its contents', async () => {
  const bitstream = await recordedBitstream('eager');
  const fabric = createFabric(UART_FABRIC);
  try {
    const bytes: number[] = [];
    const both = new Promise<void>((resolve) => {
      fabric.onData((data) => {
        bytes.push(...data);
        if (bytes.length >= 2) resolve();
      });
    });
    await fabric.setBaud(BRIDGE_BAUD);
    await fabric.configure(bitstream);
    await both;
    expect(bytes).toEqual([0, (0xa5 + 9 * 7) & 0xff]);
  } finally {
    await fabric.close();
  }
});

test('a design behind the base SoC can read its ROM as soon as its reset ends', async () => {
  const source = `module eager(input clk, input rst, input wb_cyc, input wb_stb, input wb_we,
  input [29:0] wb_adr, input [31:0] wb_dat_w, input [3:0] wb_sel, output [31:0] wb_dat_r, output reg wb_ack);
${ROM}
  reg [7:0] address, word, first;
  reg       taken;
  always @(posedge clk) begin
    wb_ack <= wb_cyc & wb_stb & ~wb_ack;
    address <= rst ? 8'd3 : address + 1;
    word <= rom[address];
    taken <= ~rst;
    if (~rst & ~taken) first <= word;
  end
  assign wb_dat_r = {24'd0, first};
endmodule`;
  const definition = loadCatalogue().get(VIRTUAL_BOARD)!;
  const toolchain = createToolchain({
    dataDir: temporaryFolder('rom'),
    logger: silentLogger,
    forkTools: forkWithStoredRuns,
  });
  const board = createVirtualBoard(0, definition, { logger: silentLogger, clock: systemClock });
  const context = { log() {}, progress() {}, async started() {} };
  try {
    const request = { source: Buffer.from(source), filename: 'eager.v', board: definition, options: {} };
    const { bitstream } = await toolchain.build(request, context);
    await board.program(bitstream, context);
    const link = await board.openLink();
    expect(await link.read(0, 1)).toEqual({ ok: true, data: Uint32Array.of((0xa5 + 9 * 7) & 0xff) });
    await link.close();
  } finally {
    await board.close();
    await toolchain.close();
  }
});
