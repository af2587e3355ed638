import { boardsError } from '../../errors/boards.ts';
import type { ProgramContext } from '../board.ts';
import { pauseUnlessAborted } from './abort.ts';
import type { Ice40Port } from './ice40-port.ts';
import { PIN, pins, shiftIn, shiftOut, shiftOutBits } from './mpsse.ts';

/** Instructions that serial NOR flashes of all vendors share (JEDEC JESD216; e.g. Winbond W25Q128JV). */
const FLASH = {
  pageProgram: 0x02,
  read: 0x03,
  readStatus: 0x05,
  writeEnable: 0x06,
  identify: 0x9f,
  wake: 0xab,
  sleep: 0xb9,
  eraseBlock: 0xd8,
} as const;

const PAGE = 256;
const BLOCK = 64 * 1024;
const READ_STEP = 16 * 1024;
const BUSY = 0x01;

/** Milliseconds; reset times are iceprog's, the others lie above the slowest flashes on these boards. */
const RESET_SETTLE = 250;
const WAKE = 1;
const ERASE_DEADLINE = 10_000;
const PAGE_DEADLINE = 500;
const ERASE_POLL = 5;

/** While CRESET is low the FPGA leaves the bus to the programmer; SS frames each instruction. */
const SELECT = pins(PIN.ss, PIN.creset);
const DESELECT = pins(PIN.creset);

const address = (at: number) => [(at >> 16) & 0xff, (at >> 8) & 0xff, at & 0xff];
const instruction = (...bytes: number[]) => [...SELECT, ...shiftOut(bytes.length), ...bytes, ...DESELECT];

/**
 * Writes the bitstream into the flash that the FPGA boots from, reads it back, and boots the FPGA.
 * @throws flash_not_found, flash_timeout, flash_verify_failed, cdone_low, and what the channel throws.
 */
export async function programFlash(
  port: Ice40Port,
  bitstream: Uint8Array,
  { log, progress, signal }: ProgramContext,
): Promise<void> {
  const { clock } = port;
  await port.send(DESELECT);
  await pauseUnlessAborted(clock, RESET_SETTLE, signal);
  try {
    await wake(port);
    log(`flash ${await identify(port)}`);
    await erase(port, bitstream.length, signal, (done) => progress(0.4 * done));
    log(`erased ${Math.ceil(bitstream.length / BLOCK)} blocks of 64 KiB`);
    await write(port, bitstream, (done) => progress(0.4 + 0.4 * done));
    await verify(port, bitstream, (done) => progress(0.8 + 0.2 * done));
    log(`wrote and verified ${bitstream.length} bytes`);
    await port.send(instruction(FLASH.sleep));
  } finally {
    // Also after a failure the FPGA is let go: it then boots what the flash holds, or nothing.
    await port.send(pins()).catch(() => {});
  }
  await pauseUnlessAborted(clock, RESET_SETTLE, signal);
  if (!(await port.cdoneWithin(RESET_SETTLE))) throw boardsError('cdone_low');
  log('CDONE is high: the FPGA has booted from the flash');
}

/** Ends continuous-read and QPI modes that a design may have left the flash in, then deep power-down. */
async function wake(port: Ice40Port): Promise<void> {
  await port.send([
    ...instruction(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff),
    ...SELECT,
    ...shiftOutBits(0xff, 2),
    ...DESELECT,
    ...instruction(FLASH.wake),
  ]);
  await pauseUnlessAborted(port.clock, WAKE);
}

async function identify(port: Ice40Port): Promise<string> {
  const id = await port.ask([...SELECT, ...shiftOut(1), FLASH.identify, ...shiftIn(3), ...DESELECT], 3);
  if (id.every((byte) => byte === 0xff) || id.every((byte) => byte === 0x00))
    throw boardsError('flash_not_found');
  return Array.from(id, (byte) => byte.toString(16).padStart(2, '0')).join(' ');
}

/** Polls the status until three reads running say ready: a single one has been seen to lie (iceprog). */
async function ready(port: Ice40Port, deadline: number, pause: number, signal?: AbortSignal): Promise<void> {
  const until = port.clock.monotonic() + deadline;
  const once = [...SELECT, ...shiftOut(1), FLASH.readStatus, ...shiftIn(1), ...DESELECT];
  for (;;) {
    const statuses = await port.ask([...once, ...once, ...once], 3);
    if (statuses.every((status) => (status & BUSY) === 0)) return;
    if (port.clock.monotonic() > until) throw boardsError('flash_timeout');
    if (pause > 0) await pauseUnlessAborted(port.clock, pause, signal);
  }
}

type Progress = (done: number) => void;

async function erase(port: Ice40Port, length: number, signal: AbortSignal | undefined, done: Progress) {
  for (let at = 0; at < length; at += BLOCK) {
    await port.send([...instruction(FLASH.writeEnable), ...instruction(FLASH.eraseBlock, ...address(at))]);
    await ready(port, ERASE_DEADLINE, ERASE_POLL, signal);
    done(Math.min(1, (at + BLOCK) / length));
  }
}

async function write(port: Ice40Port, data: Uint8Array, done: Progress) {
  for (let at = 0; at < data.length; at += PAGE) {
    const page = data.subarray(at, at + PAGE);
    await port.send([
      ...instruction(FLASH.writeEnable),
      ...instruction(FLASH.pageProgram, ...address(at), ...page),
    ]);
    await ready(port, PAGE_DEADLINE, 0);
    done((at + page.length) / data.length);
  }
}

async function verify(port: Ice40Port, data: Uint8Array, done: Progress) {
  for (let at = 0; at < data.length; at += READ_STEP) {
    const expected = data.subarray(at, at + READ_STEP);
    const found = await port.ask(
      [...SELECT, ...shiftOut(4), FLASH.read, ...address(at), ...shiftIn(expected.length), ...DESELECT],
      expected.length,
    );
    const wrong = expected.findIndex((byte, offset) => byte !== found[offset]);
    if (wrong >= 0) {
      const hex = (byte: number | undefined) => `0x${(byte ?? 0).toString(16).padStart(2, '0')}`;
      throw boardsError('flash_verify_failed', {
        message: `The flash holds ${hex(found[wrong])} instead of ${hex(expected[wrong])} at address 0x${(at + wrong).toString(16).padStart(6, '0')}.`,
      });
    }
    done((at + expected.length) / data.length);
  }
}
