import { afterEach, expect, test } from 'vitest';
import { Ft2232h } from '../../../support/boards/emulator/ft2232h.ts';
import { Ecp5Board } from '../../../support/boards/emulator/jtag-board.ts';
import { ecp5Bitstream } from '../../../support/boards/emulator/jtag-ecp5.ts';
import { ModelFabric } from '../../../support/boards/emulator/model-fabric.ts';

/**
 * The emulated ECP5 on the MPSSE, with commands as FTDI AN_108 has them; openFPGALoader itself programs it in
 * tests/usb-vm.
 */
const IDCODE = 0x81113043;
const chips: Ft2232h<Ecp5Board>[] = [];

afterEach(() => {
  for (const chip of chips.splice(0)) chip.unplug();
});

function plugged() {
  const board = new Ecp5Board({ fabric: new ModelFabric() });
  const chip = new Ft2232h({ board });
  chips.push(chip);
  const [channel] = chip.channels;
  /** TCK, TDI and TMS are outputs; five clocks with TMS high lead to Test-Logic-Reset, one with TMS low to idle. */
  const jtag: number[] = [0x80, 0x08, 0x0b, 0x4b, 4, 0x1f, 0x4b, 0, 0];
  const send = async (expected: number): Promise<Uint8Array> => {
    await channel.receive(Uint8Array.from([...jtag.splice(0), 0x87]));
    const answer: number[] = [];
    while (answer.length < expected) answer.push(...((await channel.send(512))?.subarray(2) ?? []));
    return Uint8Array.from(answer);
  };
  /** From idle through Shift-IR and back: seven bits, and the eighth with TMS high. */
  const instruction = (code: number) =>
    jtag.push(...[0x4b, 3, 0x03, 0x1b, 6, code & 0x7f], ...[0x4b, 0, 0x01 | (code & 0x80), 0x4b, 1, 0x01]);
  /** Whole bytes through the data register, lowest bit first, the last bit with TMS high; returns the output. */
  const data = async (...bytes: number[]): Promise<number[]> => {
    const last = bytes.at(-1) ?? 0;
    const whole = bytes.slice(0, -1);
    jtag.push(0x4b, 2, 0x01);
    if (whole.length > 0) jtag.push(0x39, (whole.length - 1) & 0xff, (whole.length - 1) >> 8, ...whole);
    jtag.push(...[0x3b, 6, last & 0x7f], ...[0x6b, 0, 0x01 | (last & 0x80)], ...[0x4b, 1, 0x01]);
    const answer = await send(whole.length + 2);
    const [bits = 0, bit = 0] = answer.subarray(whole.length);
    return [...answer.subarray(0, whole.length), (bits >> 1) | (bit & 0x80)];
  };
  const status = async () => {
    instruction(0x3c);
    const [a = 0, b = 0, c = 0, d = 0] = await data(0, 0, 0, 0);
    return (a | (b << 8) | (c << 16) | (d << 24)) >>> 0;
  };
  const configure = async (bitstream: Uint8Array) => {
    instruction(0xc6);
    await data(0);
    instruction(0x0e);
    await data(1);
    instruction(0x46);
    instruction(0x7a);
    const reversed = bitstream.map((byte) =>
      Number.parseInt(byte.toString(2).padStart(8, '0').split('').reverse().join(''), 2),
    );
    await data(...reversed);
  };
  return { board, instruction, data, status, configure, send };
}

test('after a reset the data register holds the IDCODE, followed by the shifted-in bits', async () => {
  const { data } = plugged();
  expect(await data(1, 2, 3, 4, 5, 6)).toEqual([0x43, 0x30, 0x11, 0x81, 1, 2]);
});

test('BYPASS is one bit', async () => {
  const { instruction, data } = plugged();
  instruction(0xff);
  expect(await data(0b0100_0001)).toEqual([0b1000_0010]);
});

test('a bitstream configures the part: every byte, DONE, and it starts when configuration ends', async () => {
  const { board, instruction, status, configure, send } = plugged();
  const bitstream = ecp5Bitstream(IDCODE, 3, (at) => at * 7);
  await configure(bitstream);
  expect((await status()) & 0x0380_2300).toBe(0x300);
  expect(Buffer.from(board.part.configuration)).toEqual(Buffer.from(bitstream));
  expect(await board.fabric.cdone()).toBe(false);
  instruction(0x26);
  await send(0);
  expect((await status()) & 0x0380_2300).toBe(0x100);
  await board.pins();
  expect(await board.fabric.cdone()).toBe(true);
});

test.each([
  ['for another part', ecp5Bitstream(0x41111043, 3, () => 0), 1],
  ['without a preamble', new Uint8Array(64), 4],
  ['that breaks off', ecp5Bitstream(IDCODE, 3, () => 0).subarray(0, 300), 0],
])('a bitstream %s does not raise DONE, and the status gives the reason', async (_, bitstream, error) => {
  const { board, status, configure } = plugged();
  await configure(bitstream);
  expect(board.part.done).toBe(false);
  expect(((await status()) >>> 23) & 7).toBe(error);
});

test('erasing requires configuration to be enabled', async () => {
  const { instruction, data, status } = plugged();
  instruction(0x0e);
  await data(1);
  expect((await status()) & 0x2000).toBe(0x2000);
});

test('the flash is reached through the FPGA with the key, and not without', async () => {
  const { instruction, data } = plugged();
  instruction(0x3a);
  const reversedId = [0x9f, 0, 0, 0].map((byte) => (byte === 0x9f ? 0xf9 : byte));
  expect(await data(...reversedId)).not.toContain(0xf7);
  instruction(0x3a);
  await data(0xfe, 0x68);
  // EF 40 16 with the bits of each byte the other way round.
  expect((await data(...reversedId)).slice(1)).toEqual([0xf7, 0x02, 0x68]);
});
