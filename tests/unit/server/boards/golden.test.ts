import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { deviceFacts } from '../../../../server/boards/discovery/attached.ts';
import { programIce40 } from '../../../../server/boards/programmers/ice40-mpsse.ts';
import { appRoot, resourcePath } from '../../../../server/paths.ts';
import { briskClock, briskNow } from '../../../support/boards/brisk-clock.ts';
import { EmulatedComputer } from '../../../support/boards/emulator/computer.ts';
import { baudOf, Ft2232h } from '../../../support/boards/emulator/ft2232h.ts';
import { Ice40Board } from '../../../support/boards/emulator/ice40-board.ts';
import { ModelFabric } from '../../../support/boards/emulator/model-fabric.ts';
import { SpiFlash } from '../../../support/boards/emulator/spi-flash.ts';

/** The bytes of a golden file: hex digits, `{data A B}` from the bitstream, comments after #. */
function golden(name: string, bitstream: Uint8Array): number[] {
  const text = readFileSync(path.join(appRoot, 'tests/support/boards/golden', name), 'utf8').replace(
    /#.*$/gm,
    '',
  );
  return [...text.matchAll(/\{data (\d+) (\d+)\}|[0-9a-f]{2}/g)].flatMap(([byte, from, to]) =>
    from === undefined
      ? [Number.parseInt(byte, 16)]
      : Array.from(bitstream.subarray(Number(from), Number(to))),
  );
}

/** As text, so that a difference shows where it is. */
const hex = (bytes: readonly number[]) =>
  Buffer.from(bytes)
    .toString('hex')
    .replace(/(.{32})/g, '$1\n');

async function commandStream(mode: 'sram' | 'flash', bitstream: Uint8Array) {
  const flash = new SpiFlash({ busyReads: { erase: 0, page: 0 } });
  const board = new Ice40Board({ fabric: new ModelFabric(), jumpers: mode, flash, now: briskNow });
  if (mode === 'flash') board.cdoneStuck = true;
  const chip = new Ft2232h({ board });
  chip.recordCommands = true;
  const computer = new EmulatedComputer();
  computer.plug('1-2', chip);
  const [device] = await computer.bus.getDevices();
  const system = { bus: computer.bus, clock: briskClock };
  await programIce40(deviceFacts(device!), bitstream, mode, { log() {}, progress() {} }, system);
  return chip;
}

const controlRequests = [
  { request: 0x00, value: 0, index: 1 }, // reset
  { request: 0x00, value: 1, index: 1 }, // purge what is on its way to the chip
  { request: 0x00, value: 2, index: 1 }, // and from it
  { request: 0x0a, value: 0, index: 1 }, // read the latency timer
  { request: 0x09, value: 1, index: 1 }, // 1 ms
  { request: 0x0b, value: 0x0000, index: 1 }, // off: iceprog does not, FTDI AN_135 does
  { request: 0x0b, value: 0x02ff, index: 1 }, // MPSSE
  { request: 0x09, value: 16, index: 1 }, // as it was
  { request: 0x0b, value: 0x0000, index: 1 }, // off
];

test('SRAM: the command stream is the golden one', async () => {
  // A real bitstream, filled up in front to the length that the golden file is written for.
  const base = readFileSync(resourcePath('base', 'ice40-hx8k-breakout.bin'));
  const bitstream = Uint8Array.from(Buffer.concat([Buffer.alloc(135_180 - base.length), base]));
  const chip = await commandStream('sram', bitstream);
  expect(hex(chip.commands)).toBe(hex(golden('ice40-sram.txt', bitstream)));
  expect(chip.requests).toEqual(controlRequests);
});

test('flash: the command stream is the golden one', async () => {
  const data = Uint8Array.from({ length: 300 }, (_, at) => (at * 7 + 3) & 0xff);
  const chip = await commandStream('flash', data);
  expect(hex(chip.commands)).toBe(hex(golden('ice40-flash.txt', data)));
  expect(chip.requests).toEqual(controlRequests);
});

test('the emulated chip decodes the published baud requests', () => {
  const requests: [number, number][] = [
    [115_200, 0xc068],
    [921_600, 0x000d],
    [1_000_000, 0x000c],
    [3_000_000, 0x0004],
    [12_000_000, 0x0000],
  ];
  for (const [baud, value] of requests)
    expect(Math.abs(baudOf(value, 0x0202) / baud - 1)).toBeLessThan(0.002);
});
