import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Ft2232h } from '../support/boards/emulator/ft2232h.ts';
import { Ecp5Board } from '../support/boards/emulator/jtag-board.ts';
import { ecp5Bitstream } from '../support/boards/emulator/jtag-ecp5.ts';
import { ModelFabric } from '../support/boards/emulator/model-fabric.ts';
import { plugAgain } from '../support/boards/lab.ts';
import { proves } from '../support/proves.ts';
import { skipReason, UsbLab } from './lab.ts';
import { type Programmer, whyWithout } from './machine/kernel.ts';

/**
 * The service, Debian's iceprog and openFPGALoader, and a real kernel with its FTDI driver, usbfs and udev, on an
 * emulated iCE40-HX8K Breakout Board. One guest serves all scenarios, in order: the first finds it without a udev rule,
 * the others with it.
 */

/** WISHBENCH_USB_RUN=brief leaves out scenarios that take minutes on an emulated processor. */
const thorough = process.env['WISHBENCH_USB_RUN'] !== 'brief';
const WORDS = Array.from({ length: 512 }, (_, at) => (at * 2_654_435_761) >>> 0);
const BOARD = 'usb:ib001';
const SLOT = 2;
/** For the FPGA of the ECP5 Evaluation Board: frames of noise. */
const ECP5 = ecp5Bitstream(0x81113043, 500, (at) => (at * 2_654_435_761) >>> 13);
/** The same for an LFE5U-25F. */
const ECP5_OF_ANOTHER = ecp5Bitstream(0x41111043, 50, () => 0);

if (skipReason !== null) test.skip(`cannot run: ${skipReason}`, () => {});

/** Scenarios with a programmer of others: where it is not installed they are skipped, with the reason. */
function describeWith(programmer: Programmer, title: string, scenarios: () => void): void {
  const reason = whyWithout(programmer);
  if (reason === null) describe(title, scenarios);
  else
    describe(title, () => {
      test.skip(`cannot run: ${reason}`, () => {});
    });
}

describe.skipIf(skipReason !== null)('boards behind a real kernel', () => {
  let lab: UsbLab;

  beforeAll(async () => {
    lab = await UsbLab.start({ 'ecp5.bit': ECP5, 'other.bit': ECP5_OF_ANOTHER });
    await lab.startService();
  });
  afterAll(async () => {
    await lab?.close();
  });

  const processor = () => ({
    guest: lab.guest.processorSeconds,
    boards: process.cpuUsage().user / 1e6 + process.cpuUsage().system / 1e6,
  });
  let before: ReturnType<typeof processor>;
  beforeEach(() => {
    before = processor();
  });
  // The times for the table of docs/notes/boards-under-emulation.md.
  afterEach(() => {
    const after = processor();
    const taken = (part: keyof typeof after) => `${(after[part] - before[part]).toFixed(0)} s ${part}`;
    console.info(`Processor time: ${taken('guest')}, ${taken('boards')}`);
  });

  /** Words into the design and back. */
  async function echoed(slot: number): Promise<void> {
    const written = await lab.run(slot, { op: 1, address: 0, data: WORDS });
    expect(written.ok, written.log).toBe(true);
    const read = await lab.run(slot, { op: 2, address: 0, count: WORDS.length });
    expect(read.ok, read.log).toBe(true);
    expect(read.data).toEqual(WORDS);
  }

  /** Plugs a board in, runs the test, and leaves an empty socket and an idle node. */
  async function withBoard(
    options: Parameters<UsbLab['board']>[0],
    scenario: (plugged: { chip: Ft2232h }) => Promise<void>,
    rules = true,
  ): Promise<void> {
    const plugged = { chip: lab.board(options) };
    try {
      if (rules) await lab.installRules();
      await lab.plug(plugged.chip);
      await lab.seen(BOARD);
      await lab.assign(SLOT, BOARD, options?.jumpers ?? 'sram');
      await scenario(plugged);
      await lab.idle(SLOT);
      await lab.call('PUT', `/boards/${SLOT}`, { board: null });
    } catch (error) {
      // The next scenarios begin with a working node, whatever happened to this one.
      await lab.idle(SLOT).catch(() => {});
      throw error;
    } finally {
      await lab.unplug(plugged.chip);
      await plugged.chip.board.fabric.close();
    }
    await lab.seen(BOARD, false);
  }

  /** Submits the example and waits for its job's end. */
  async function built(slot: number): Promise<string> {
    const { status, log } = await lab.build(slot);
    expect(status, log).toBe('complete');
    return log;
  }

  const flashed = (chip: Ft2232h) => {
    const { content } = lab.bitstream;
    return Buffer.compare(chip.board.flash.content.subarray(0, content.length), content) === 0;
  };

  test('without a udev rule the board is found but denied; with the rule it works', () =>
    withBoard(
      {},
      async () => {
        expect(await lab.build(SLOT)).toMatchObject({ status: 'failed', code: 'usb_permission_denied' });
        await lab.installRules();
        await lab.idle(SLOT);
        await built(SLOT);
      },
      false,
    ));

  test('SRAM: discovered, programmed, 512 words each way in bursts', () =>
    withBoard({}, async ({ chip }) => {
      proves('ice40-hx8k-breakout', 'discover', 'kernel');
      proves('ice40-hx8k-breakout', 'program-sram', 'kernel');
      proves('ice40-hx8k-breakout', 'link', 'kernel');
      const log = await built(SLOT);
      expect(log).toContain('CDONE is high');
      await echoed(SLOT);
      // The kernel's driver has channel A back, and the rule's latency is in force for both.
      const { output } = await lab.guest.run(
        'udevadm settle; ls /dev/ttyUSB*; cat /sys/class/tty/ttyUSB*/device/latency_timer',
      );
      expect(output).toBe('/dev/ttyUSB0\n/dev/ttyUSB1\n1\n1\n');
      expect(chip.board.flash.executed).toEqual([]);
    }));

  test('flash: written and verified, boots, and the session outlives a pulled plug', () =>
    withBoard({ jumpers: 'flash' }, async (plugged) => {
      proves('ice40-hx8k-breakout', 'program-flash', 'kernel');
      proves('ice40-hx8k-breakout', 'hotplug', 'kernel');
      const { chip } = plugged;
      await built(SLOT);
      expect(flashed(chip)).toBe(true);
      await echoed(SLOT);
      await lab.unplug(chip);
      await lab.seen(BOARD, false);
      plugged.chip = plugAgain(chip);
      await lab.plug(plugged.chip);
      await lab.seen(BOARD);
      // The service reads the booted design's id before the next run, so that one waits in the queue.
      expect(await lab.run(SLOT, { op: 2, address: 0xf000_0000 })).toMatchObject({ data: [0x5742_4348] });
      expect(await lab.state(SLOT)).toBe('reserved');
    }));

  test('full speed: flash written and verified with packets of 64 bytes', () =>
    withBoard({ jumpers: 'flash', speed: 'full' }, async ({ chip }) => {
      const { output } = await lab.guest.run('cat /sys/bus/usb/devices/1-1/speed');
      expect(output).toBe('12\n');
      await built(SLOT);
      expect(flashed(chip)).toBe(true);
      await echoed(SLOT);
    }));

  /** Runs another programmer, whose output must match; its design answers over our link. */
  async function programmedBy(mode: 'sram' | 'flash', command: string, success: RegExp): Promise<void> {
    const chip = lab.board({ jumpers: mode });
    try {
      await lab.installRules();
      await lab.plug(chip);
      const { code, output } = await lab.guest.run(command, 'bench');
      expect(output).toMatch(success);
      expect(code).toBe(0);
      if (mode === 'flash') expect(flashed(chip)).toBe(true);
      const answer = await lab.tool('link', BOARD, 'ice40-hx8k-breakout', mode);
      expect(answer, JSON.stringify(answer)).toMatchObject({ identity: { clockHz: 12_000_000 }, same: true });
    } finally {
      await lab.unplug(chip);
      await chip.board.fabric.close();
    }
  }

  describeWith('iceprog', 'iceprog', () => {
    test('configures the SRAM, and the design answers over our link', () =>
      programmedBy('sram', `iceprog -S '${lab.bitstream.file}'`, /cdone: high/));

    test('writes the flash, and the design that it wrote answers over our link', () =>
      programmedBy('flash', `iceprog '${lab.bitstream.file}'`, /VERIFY OK/));
  });

  describeWith('openFPGALoader', 'openFPGALoader', () => {
    test('writes the flash, and the design that it wrote answers over our link', () =>
      programmedBy(
        'flash',
        `openFPGALoader -b ice40_generic --ftdi-serial ib001 -f --verify '${lab.bitstream.file}'`,
        /100\.0*%\s*Done/s,
      ));
  });

  test('two boards with one serial number are distinguished by their sockets', async () => {
    const chips = [lab.board(), lab.board()] as const;
    try {
      await lab.installRules();
      await lab.plug(chips[0], { socket: '1-1' });
      await lab.plug(chips[1], { socket: '1-2' });
      await lab.seen('port:1-1');
      await lab.seen('port:1-2');
      for (const [at, slot] of [3, 4].entries()) {
        await lab.assign(slot, `port:1-${at + 1}`, 'sram');
        await built(slot);
        expect(await lab.run(slot, { op: 1, address: 0, data: [slot] })).toMatchObject({ ok: true });
      }
      for (const slot of [3, 4]) {
        expect(await lab.run(slot, { op: 2, address: 0, count: 1 })).toMatchObject({ data: [slot] });
        await lab.idle(slot);
        await lab.call('PUT', `/boards/${slot}`, { board: null });
      }
    } finally {
      await lab.unplug(...chips);
      for (const { board } of chips) await board.fabric.close();
    }
  });

  describeWith('iceprog', 'while iceprog writes the flash', () => {
    test('a build fails as busy while another program writes the flash, and succeeds afterwards', () =>
      withBoard({ jumpers: 'flash' }, async ({ chip }) => {
        const writing = lab.guest.run(`iceprog '${lab.bitstream.file}'`, 'bench');
        await expect.poll(() => chip.board.flash.executed.length, { timeout: 300_000 }).toBeGreaterThan(20);
        expect(await lab.build(SLOT)).toMatchObject({ status: 'failed', code: 'usb_busy' });
        const { code, output } = await writing;
        expect(output).toContain('VERIFY OK');
        expect(code).toBe(0);
        await lab.idle(SLOT);
        await built(SLOT);
      }));
  });

  test('killed in the middle of a flash write, the service recovers at its next start', () =>
    withBoard({ jumpers: 'flash' }, async ({ chip }) => {
      const job = await lab.submit(SLOT);
      await expect.poll(() => chip.board.flash.executed.length, { timeout: 300_000 }).toBeGreaterThan(100);
      await lab.endService('KILL');
      expect(flashed(chip)).toBe(false);
      await lab.startService();
      expect(await lab.ended(SLOT, job)).toMatchObject({ status: 'failed' });
      await lab.seen(BOARD);
      await lab.idle(SLOT);
      await built(SLOT);
      expect(flashed(chip)).toBe(true);
      await echoed(SLOT);
    }));

  test(
    'pulled out at random moments of programming and running, it works again',
    () =>
      withBoard({}, async (plugged) => {
        proves('ice40-hx8k-breakout', 'hotplug', 'kernel');
        const pulls = thorough ? 20 : 3;
        // The same moments in every run: Lehmer's generator.
        let seed = 20_261_121;
        const random = (below: number) => {
          seed = (seed * 48_271) % 2_147_483_647;
          return seed % below;
        };
        for (let pull = 0; pull < pulls; pull++) {
          const inRun = pull % 2 === 1;
          if (inRun) await built(SLOT);
          // A programming moves about 136,000 bytes, a run of 512 words about 2,500; status packets count as well.
          plugged.chip.fault = { kind: 'unplug', afterBytes: 1 + random(inRun ? 2_500 : 130_000) };
          const end = inRun
            ? (await lab.run(SLOT, { op: 2, address: 0, count: 512 })).status
            : (await lab.build(SLOT)).status;
          expect(['failed', 'complete']).toContain(end);
          await lab.unplug(plugged.chip);
          await lab.seen(BOARD, false);
          plugged.chip = plugAgain(plugged.chip);
          await lab.plug(plugged.chip);
          await lab.seen(BOARD);
          if ((await lab.state(SLOT)) !== 'idle')
            await expect.poll(() => lab.state(SLOT), { timeout: 120_000 }).toBe('error');
          await lab.idle(SLOT);
        }
        await built(SLOT);
        await echoed(SLOT);
      }),
    1_800_000,
  );

  describeWith('openFPGALoader', 'openFPGALoader and an ECP5 Evaluation Board', () => {
    async function withEcp5(scenario: (board: Ecp5Board) => Promise<void>): Promise<void> {
      const board = new Ecp5Board({ fabric: new ModelFabric() });
      const product = 'Lattice ECP5 Evaluation Board';
      const chip = new Ft2232h({ board, wire: 'unhurried', serial: 'EVN1', product });
      await lab.installRules();
      await lab.plug(chip);
      try {
        await scenario(board);
      } finally {
        await lab.unplug(chip);
        await board.fabric.close();
      }
    }

    test('SRAM: every byte of the bitstream arrives, DONE rises, the link answers', () =>
      withEcp5(async (board) => {
        proves('ecp5-evn', 'discover', 'kernel');
        proves('ecp5-evn', 'program-sram', 'kernel');
        proves('ecp5-evn', 'link', 'kernel');
        const answer = await lab.tool('program', 'usb:EVN1', 'ecp5-evn', 'sram', lab.file('ecp5.bit'));
        expect(answer, JSON.stringify(answer)).toMatchObject({
          identity: { clockHz: 12_000_000 },
          same: true,
        });
        expect(board.part.done).toBe(true);
        // From the preamble on, one byte before it: what comes earlier is a comment.
        const sent = ECP5.subarray(Buffer.from(ECP5).indexOf(Uint8Array.of(0xff, 0xff, 0xbd, 0xb3)) - 1);
        expect(Buffer.compare(board.part.configuration, sent)).toBe(0);
      }));

    test('flash: written and verified through the FPGA, which boots from it', () =>
      withEcp5(async (board) => {
        proves('ecp5-evn', 'program-flash', 'kernel');
        const answer = await lab.tool('program', 'usb:EVN1', 'ecp5-evn', 'flash', lab.file('ecp5.bit'));
        expect(answer, JSON.stringify(answer)).toMatchObject({ same: true });
        expect(board.part.done).toBe(true);
      }));

    test('a bitstream for another part is refused, and the FPGA is left as it was', () =>
      withEcp5(async (board) => {
        const answer = await lab.tool('program', 'usb:EVN1', 'ecp5-evn', 'sram', lab.file('other.bit'));
        expect(answer.code).toBe('programmer_failed');
        expect(answer.log.join('\n')).toContain("mismatch between target's idcode and bitstream idcode");
        expect(board.part.configuration).toHaveLength(0);
      }));
  });

  test('the whole run causes no unexpected error in the service', async () => {
    expect(await lab.serviceLog()).not.toMatch(/unexpected error|borrowed mutably/);
    await lab.endService();
  });
});
