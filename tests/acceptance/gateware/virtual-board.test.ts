import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadCatalogue, VIRTUAL_BOARD } from '../../../server/boards/catalogue/index.ts';
import { createVirtualBoard } from '../../../server/boards/virtual/virtual-board.ts';
import { systemClock } from '../../../server/clock.ts';
import { silentLogger } from '../../../server/log.ts';
import { resourcePath } from '../../../server/paths.ts';
import { GATEWARE_VERSION, shortBuildId } from '../../../server/toolchain/build/gateware.ts';
import type { BuildResult } from '../../../server/toolchain/build-request.ts';
import { createToolchain } from '../../../server/toolchain/index.ts';
import { measureLineRate } from '../../../server/wishbone/line-rate.ts';
import { exposeUart } from '../../support/gateware/expose-uart.ts';
import { LitexClient } from '../../support/gateware/litex-client.ts';
import { forkWithStoredRuns } from '../../support/toolchain/stored-runs.ts';

/** 512 words that remember, a counter of reads, a place that refuses and one that stays silent. */
const DESIGN = `
module design(input clk, input rst, input wb_cyc, input wb_stb, input wb_we, input [29:0] wb_adr,
              input [31:0] wb_dat_w, input [3:0] wb_sel, output [31:0] wb_dat_r, output wb_ack, output wb_err);
  reg [31:0] memory [0:511];
  reg [31:0] word, count, given;
  reg        done, counting;
  wire [1:0] place = wb_adr[27:26];
  always @(posedge clk) begin
    done <= wb_cyc & wb_stb & ~done & ~rst;
    if (wb_cyc & wb_stb & wb_we & place == 0) memory[wb_adr[8:0]] <= wb_dat_w;
    word <= memory[wb_adr[8:0]];
    given <= count;
    counting <= place == 1;
    if (rst) count <= 0;
    else if (done & place == 1) count <= count + 1;
  end
  assign wb_dat_r = counting ? given : word;
  assign wb_ack = done & ~place[1];
  assign wb_err = done & place == 2;
endmodule
`;
const COUNTER = 0x1000_0000;
const REFUSING = 0x2000_0000;
const MUTE = 0x3000_0000;
/** `identifier_mem` of csr.csv. */
const IDENTIFIER = 0xf800_0000;

const folder = mkdtempSync(path.join(tmpdir(), 'wishbench-gateware-'));
const definition = loadCatalogue().get(VIRTUAL_BOARD);
if (!definition) throw new Error(`no ${VIRTUAL_BOARD}`);
const context = { log: () => {}, progress: () => {}, started: async () => {} };
const words = (length: number, factor: number) => Uint32Array.from({ length }, (_, i) => (i + 1) * factor);
let built: BuildResult;

beforeAll(async () => {
  const toolchain = createToolchain({ dataDir: folder, logger: silentLogger, forkTools: forkWithStoredRuns });
  try {
    const source = Buffer.from(DESIGN);
    built = await toolchain.build({ source, filename: 'design.v', board: definition, options: {} }, context);
  } finally {
    await toolchain.close();
  }
});
afterAll(() => rmSync(folder, { recursive: true }));

test('the link drives the base SoC from its bitstream', async () => {
  const board = createVirtualBoard(0, definition, { logger: silentLogger, clock: systemClock });
  try {
    await board.program(built.bitstream, context);
    const link = await board.openLink();
    const { hz } = definition.clock;
    expect(await link.identity()).toEqual({
      version: GATEWARE_VERSION,
      clockHz: hz,
      buildId: shortBuildId(built.buildId),
    });
    expect(await link.write(0, words(512, 0x0123_4567))).toMatchObject({ ok: true });
    expect(await link.read(0, 512)).toEqual({ ok: true, data: words(512, 0x0123_4567) });
    const refused = { ok: false, fault: { kind: 'error', byteAddress: REFUSING } };
    expect(await link.read(REFUSING - 8, 600)).toEqual(refused);
    expect(await link.write(REFUSING - 8, words(4, 1))).toEqual(refused);
    expect(await link.read(MUTE + 4, 2)).toEqual({
      ok: false,
      fault: { kind: 'timeout', byteAddress: MUTE + 4 },
    });
    const counted = await link.read(COUNTER, 600, { fixed: true });
    expect(counted.ok && [...counted.data]).toEqual(Array.from({ length: 600 }, (_, i) => i + 4)); // four are done already
    const together = await Promise.all(Array.from({ length: 1000 }, () => link.read(COUNTER, 1)));
    expect(together.map((each) => each.ok && each.data[0])).toEqual([...words(1000, 1)].map((n) => n + 603));
    await link.close();
  } finally {
    await board.close();
  }
});

test('changes the line rate of the bitstream, which reverts for the next link', async () => {
  const board = createVirtualBoard(0, definition, { logger: silentLogger, clock: systemClock });
  try {
    await board.program(built.bitstream, context);
    const link = await board.openLink();
    expect(link.lineRate).toBe(definition.serial.baud);
    expect(link.lineRates).toEqual([1_000_000, 2_000_000, 3_000_000]);
    for (const rate of link.lineRates) {
      expect(await measureLineRate(link, rate, 1_000, systemClock)).toMatchObject({
        words: 1_000,
        errors: 0,
      });
      expect(await link.write(0, words(512, rate | 1))).toMatchObject({ ok: true });
      expect(await link.read(0, 512)).toEqual({ ok: true, data: words(512, rate | 1) });
    }
    await link.setLineRate(1_000_000);
    await link.close();
    const next = await board.openLink();
    expect(await next.read(0, 3)).toMatchObject({ ok: true });
    await next.close();
  } finally {
    await board.close();
  }
});

test('without a design, rejects every access and reports a build id of zeros', async () => {
  const board = createVirtualBoard(0, definition, { logger: silentLogger, clock: systemClock });
  try {
    await board.program(readFileSync(resourcePath('base', `${VIRTUAL_BOARD}.bin`)), context);
    const link = await board.openLink();
    expect((await link.identity()).buildId).toBe('0'.repeat(16));
    expect(await link.read(64, 3)).toEqual({ ok: false, fault: { kind: 'error', byteAddress: 64 } });
    await link.close();
  } finally {
    await board.close();
  }
});

test('a standard LiteX client drives the board over TCP', async () => {
  const exposed = await exposeUart(built.bitstream);
  const client = await LitexClient.connect(exposed.port);
  // One at a time, as with a serial port.
  const second = net.connect(exposed.port, '127.0.0.1').on('error', () => {});
  await once(second, 'close');
  try {
    expect(await client.read(0xf000_0000, 4)).toEqual([0x5742_4348, GATEWARE_VERSION, 12_000_000, 3_000_000]);
    const sent = [...words(100, 0x0055_aa01)];
    client.write(0x40, sent);
    expect(await client.read(0x40, 100)).toEqual(sent);
    expect(await client.read(COUNTER, 5, 'fixed')).toEqual([0, 1, 2, 3, 4]);
    client.write(0x40, [1, 2, 3], 'fixed');
    expect(await client.read(0x40, 2)).toEqual([3, sent[1]]);
    // As `litex_cli --ident` does it: a character at a time, until a 0.
    let identifier = '';
    for (let word = 1, at = IDENTIFIER; word !== 0; at += 4) {
      [word = 0] = await client.read(at, 1);
      if (word !== 0) identifier += String.fromCharCode(word);
    }
    expect(identifier).toBe(`Wishbench on ${definition.name}`);
    // A refused access: zeros, and the next one is as good as ever.
    expect(await client.read(REFUSING, 2)).toEqual([0, 0]);
    expect(await client.read(0xf000_0034, 1)).toEqual([REFUSING]);
    expect(await client.read(0x44, 1)).toEqual([sent[1]]);
  } finally {
    client.close();
    await exposed.close();
  }
});
