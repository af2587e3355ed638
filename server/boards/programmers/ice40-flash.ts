import { boardsError } from '../../errors/boards.ts';
import type { ProgramContext } from '../board.ts';
import type { Jumpers } from '../definition.ts';
import { abortablePause } from './abort.ts';
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
/** The value of an undriven line, which has a pull-up. */
const SILENCE = 0xff;

/** Milliseconds; reset times are iceprog's, the others exceed those of the slowest flashes on these boards. */
const RESET_SETTLE = 250;
const WAKE = 1;
const ERASE_DEADLINE = 10_000;
const PAGE_DEADLINE = 500;
const ERASE_POLL = 5;

/** Extra status reads for a flash that is busy at its deadline. */
const LATE_LOOKS = 3;

/** While CRESET is low the FPGA leaves the bus to the programmer; SS frames each instruction. */
const SELECT = pins(PIN.ss, PIN.creset);
const DESELECT = pins(PIN.creset);

const address = (at: number) => [(at >> 16) & 0xff, (at >> 8) & 0xff, at & 0xff];
const instruction = (...bytes: number[]) => [...SELECT, ...shiftOut(bytes.length), ...bytes, ...DESELECT];
const READ_STATUS = [...SELECT, ...shiftOut(1), FLASH.readStatus, ...shiftIn(1), ...DESELECT];

/**
 * Writes the bitstream into the FPGA's boot flash, reads it back, and boots the FPGA. Unchanged blocks are skipped: a
 * flash wears out, and the bench programs the same design repeatedly.
 * @param jumpers the board's text on jumper positions.
 * @throws flash_not_found, flash_timeout, flash_verify_failed, cdone_low, and what the channel throws.
 */
export async function programFlash(
  port: Ice40Port,
  bitstream: Uint8Array,
  context: ProgramContext,
  jumpers: Jumpers,
): Promise<void> {
  const { log, progress, signal } = context;
  const { clock } = port;
  await port.send(DESELECT);
  await abortablePause(clock, RESET_SETTLE, signal);
  try {
    await wake(port);
    const id = await identify(port, signal);
    if (id === null)
      throw boardsError(
        'flash_not_found',
        jumpers.flash ? { remedy: `For the flash: ${jumpers.flash}` } : {},
      );
    log(`flash ${id}`);
    const blocks = blocksOf(bitstream);
    const stale: FlashBlock[] = [];
    for (const [at, block] of blocks.entries()) {
      if ((await firstDifference(port, block)) !== null) stale.push(block);
      progress((0.15 * (at + 1)) / blocks.length);
    }
    if (stale.length === 0)
      log(`the flash holds these ${bitstream.length} bytes already: nothing is written`);
    else await renew(port, stale, blocks.length, context);
    progress(1);
    await port.send(instruction(FLASH.sleep));
  } finally {
    // Release the FPGA after a failure too: it then boots from the flash, or stays empty.
    await port.send(pins()).catch(() => {});
  }
  await abortablePause(clock, RESET_SETTLE, signal);
  if (!(await port.cdoneWithin(RESET_SETTLE))) throw boardsError('cdone_low');
  log('CDONE is high: the FPGA has booted from the flash');
}

/** Ends continuous-read and QPI modes that a design may have set, then deep power-down. */
async function wake(port: Ice40Port): Promise<void> {
  await port.send([
    ...instruction(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff),
    ...SELECT,
    ...shiftOutBits(0xff, 2),
    ...DESELECT,
    ...instruction(FLASH.wake),
  ]);
  await abortablePause(port.clock, WAKE);
}

/**
 * The JEDEC id, as hex digits, of the flash that answers while the FPGA is in reset; null when none does. Afterwards
 * the FPGA is released and boots from the flash.
 */
export async function answeringFlash(port: Ice40Port, signal?: AbortSignal): Promise<string | null> {
  await port.send(DESELECT);
  await abortablePause(port.clock, RESET_SETTLE, signal);
  try {
    await wake(port);
    return await identify(port, signal);
  } finally {
    await port.send(pins()).catch(() => {});
  }
}

/**
 * The JEDEC id in hex digits; null when no flash answers. An interrupted write or erase continues inside the flash,
 * which answers only status reads meanwhile: wait for it.
 * @throws flash_timeout.
 */
async function identify(port: Ice40Port, signal?: AbortSignal): Promise<string | null> {
  const id = await readId(port);
  if (id !== null) return id;
  const [status = SILENCE] = await port.ask(READ_STATUS, 1);
  if (status === SILENCE) return null;
  await ready(port, ERASE_DEADLINE, ERASE_POLL, signal);
  return readId(port);
}

async function readId(port: Ice40Port): Promise<string | null> {
  const id = await port.ask([...SELECT, ...shiftOut(1), FLASH.identify, ...shiftIn(3), ...DESELECT], 3);
  if (id.every((byte) => byte === SILENCE) || id.every((byte) => byte === 0x00)) return null;
  return Array.from(id, (byte) => byte.toString(16).padStart(2, '0')).join(' ');
}

/** Polls the status until three reads in a row are ready: a single one can be wrong (iceprog). */
async function ready(port: Ice40Port, deadline: number, pause: number, signal?: AbortSignal): Promise<void> {
  const until = port.clock.monotonic() + deadline;
  for (let late = 0; ; ) {
    // This process may have been delayed, so only reads that began after the deadline count.
    if (port.clock.monotonic() > until) late++;
    const statuses = await port.ask([...READ_STATUS, ...READ_STATUS, ...READ_STATUS], 3);
    if (statuses.every((status) => (status & BUSY) === 0)) return;
    if (late > LATE_LOOKS) throw boardsError('flash_timeout');
    if (pause > 0) await abortablePause(port.clock, pause, signal);
  }
}

/** The wanted contents of one erase block. */
interface FlashBlock {
  /** Address in the flash. */
  at: number;
  /** At most 64 KiB; the rest of the block is arbitrary. */
  data: Uint8Array;
}

function blocksOf(bitstream: Uint8Array): FlashBlock[] {
  const blocks: FlashBlock[] = [];
  for (let at = 0; at < bitstream.length; at += BLOCK)
    blocks.push({ at, data: bitstream.subarray(at, at + BLOCK) });
  return blocks;
}

/** Erases, writes and verifies blocks. @param all the bitstream's number of blocks, for the log. */
async function renew(
  port: Ice40Port,
  blocks: readonly FlashBlock[],
  all: number,
  { log, progress, signal }: ProgramContext,
): Promise<void> {
  const share = (from: number, to: number, at: number) => progress(from + ((to - from) * at) / blocks.length);
  for (const [index, block] of blocks.entries()) {
    await erase(port, block, signal);
    share(0.15, 0.45, index + 1);
  }
  const kept = all - blocks.length;
  const others = kept > 0 ? `; ${kept} unchanged` : '';
  log(`erased ${blocks.length} ${blocks.length === 1 ? 'block' : 'blocks'} of 64 KiB${others}`);
  for (const [index, block] of blocks.entries())
    await write(port, block, (done) => share(0.45, 0.85, index + done));
  for (const [index, block] of blocks.entries()) {
    const wrong = await firstDifference(port, block);
    if (wrong) throw boardsError('flash_verify_failed', { message: differenceText(wrong) });
    share(0.85, 1, index + 1);
  }
  log(`wrote and verified ${blocks.reduce((sum, { data }) => sum + data.length, 0)} bytes`);
}

async function erase(port: Ice40Port, { at }: FlashBlock, signal: AbortSignal | undefined): Promise<void> {
  await port.send([...instruction(FLASH.writeEnable), ...instruction(FLASH.eraseBlock, ...address(at))]);
  await ready(port, ERASE_DEADLINE, ERASE_POLL, signal);
}

/** @param onWritten called after every page with the written share of the block. */
async function write(port: Ice40Port, block: FlashBlock, onWritten: (share: number) => void): Promise<void> {
  const { at, data } = block;
  for (let offset = 0; offset < data.length; offset += PAGE) {
    const page = data.subarray(offset, offset + PAGE);
    await port.send([
      ...instruction(FLASH.writeEnable),
      ...instruction(FLASH.pageProgram, ...address(at + offset), ...page),
    ]);
    await ready(port, PAGE_DEADLINE, 0);
    onWritten((offset + page.length) / data.length);
  }
}

interface Difference {
  at: number;
  expected: number;
  found: number;
}

/** Reads a block until it differs from the wanted contents; null when it is equal. */
async function firstDifference(port: Ice40Port, { at, data }: FlashBlock): Promise<Difference | null> {
  for (let offset = 0; offset < data.length; offset += READ_STEP) {
    const expected = data.subarray(offset, offset + READ_STEP);
    const found = await port.ask(
      [
        ...SELECT,
        ...shiftOut(4),
        FLASH.read,
        ...address(at + offset),
        ...shiftIn(expected.length),
        ...DESELECT,
      ],
      expected.length,
    );
    const wrong = expected.findIndex((byte, index) => byte !== found[index]);
    if (wrong >= 0)
      return { at: at + offset + wrong, expected: expected[wrong] ?? 0, found: found[wrong] ?? 0 };
  }
  return null;
}

function differenceText({ at, expected, found }: Difference): string {
  const hex = (value: number, digits: number) => `0x${value.toString(16).padStart(digits, '0')}`;
  return `The flash holds ${hex(found, 2)} instead of ${hex(expected, 2)} at address ${hex(at, 6)}.`;
}
