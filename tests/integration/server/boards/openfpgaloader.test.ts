import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { loadCatalogue } from '../../../../server/boards/catalogue/index.ts';
import { type AttachedBoard, identifyBoards } from '../../../../server/boards/discovery/attached.ts';
import {
  type LoaderTarget,
  loaderArguments,
  loaderSelector,
  openFpgaLoader,
} from '../../../../server/boards/programmers/openfpgaloader.ts';
import { type Clock, systemClock } from '../../../../server/clock.ts';
import { appRoot } from '../../../../server/paths.ts';
import { EmulatedComputer } from '../../../support/boards/emulator/computer.ts';
import type { Ft2232hOptions } from '../../../support/boards/emulator/ft2232h.ts';
import {
  canFakeSystem,
  type FakeUsbBoard,
  fakeSystem,
  ICEBREAKER,
  inside,
} from '../../../support/boards/fake-usb-system.ts';
import { modelBoard } from '../../../support/boards/lab.ts';
import { FakeClock } from '../../../support/fake-clock.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

const catalogue = loadCatalogue();
const loaderBoards = catalogue.boards.filter(({ programmer }) => programmer.kind === 'openfpgaloader');

/** Device strings as real boards say them, by board. */
const STRINGS: Record<string, Partial<Ft2232hOptions>> = {
  'ecp5-evn': { product: 'Lattice ECP5 Evaluation Board', serial: 'EVN1' },
  'ulx3s-12f': { productId: 0x6015, product: 'ULX3S FPGA 12K v3.0.8', serial: 'D00012' },
  'ulx3s-25f': { productId: 0x6015, product: 'ULX3S FPGA 25K v3.0.8', serial: 'D00025' },
  'ulx3s-45f': { productId: 0x6015, product: 'ULX3S FPGA 45K v3.0.8', serial: 'D00045' },
  'ulx3s-85f': { productId: 0x6015, product: 'ULX3S FPGA 85K v3.0.8', serial: 'D00085' },
  'colorlight-i5': { vendorId: 0x0d28, productId: 0x0204, product: 'DAPLink CMSIS-DAP', serial: '0700' },
  'tang-nano-9k': { release: 0x0500, product: 'JTAG Debugger', serial: 'FactoryAIOT Pro' },
};

async function attach(...boards: [socket: string, id: string, strings?: Partial<Ft2232hOptions>][]) {
  const computer = new EmulatedComputer();
  for (const [socket, id, strings] of boards)
    computer.plug(socket, modelBoard({ ...STRINGS[id], ...strings }).chip);
  return identifyBoards(await computer.bus.getDevices(), await computer.serialPorts.list(), catalogue.boards);
}

function target(
  id: string,
  attached: AttachedBoard[],
  index = 0,
  mode: 'sram' | 'flash' = 'sram',
): LoaderTarget {
  const definition = catalogue.get(id)!;
  const { programmer } = definition;
  if (programmer.kind !== 'openfpgaloader') throw new Error(`${id} has another programmer`);
  const one = attached[index]!;
  return {
    definition,
    board: programmer.board,
    mode,
    attached: one,
    others: attached.filter((a) => a !== one),
  };
}

describe('the selector', () => {
  test('is the serial number if it is unique', async () => {
    const attached = await attach(['1-1', 'ecp5-evn'], ['1-2', 'ecp5-evn', { serial: 'EVN2' }]);
    expect(loaderSelector(target('ecp5-evn', attached, 1), 'linux')).toEqual(['--ftdi-serial', 'EVN2']);
    expect(loaderSelector(target('ecp5-evn', attached, 1), 'win32')).toEqual(['--ftdi-serial', 'EVN2']);
  });

  test('is the current bus and device for boards that share a serial number', async () => {
    const attached = await attach(['1-1', 'tang-nano-9k'], ['3-2', 'tang-nano-9k']);
    expect(loaderSelector(target('tang-nano-9k', attached, 1), 'linux')).toEqual(['--busdev-num', '3:2']);
    expect(() => loaderSelector(target('tang-nano-9k', attached, 1), 'win32')).toThrow(
      expect.objectContaining({ code: 'programmer_ambiguous' }),
    );
    const alone = await attach(['1-1', 'tang-nano-9k']);
    expect(loaderSelector(target('tang-nano-9k', alone), 'win32')).toEqual([
      '--vid',
      '0x0403',
      '--pid',
      '0x6010',
    ]);
  });

  test('two CMSIS-DAP probes are refused as ambiguous', async () => {
    const two = await attach(['1-1', 'colorlight-i5'], ['1-2', 'colorlight-i5', { serial: '0701' }]);
    expect(() => loaderSelector(target('colorlight-i5', two), 'linux')).toThrow(
      expect.objectContaining({ code: 'programmer_ambiguous' }),
    );
  });

  test('every board of the catalogue has one', async () => {
    for (const { id } of loaderBoards) {
      const [attached] = await attach(['1-4', id]);
      expect(attached?.candidates.map((board) => board.id)).toEqual([id]);
      expect(loaderSelector(target(id, [attached!]), 'linux').length).toBeGreaterThanOrEqual(2);
    }
  });
});

const installed = spawnSync('openFPGALoader', ['--help']).error === undefined;

describe.skipIf(!installed)('openFPGALoader as it is installed', () => {
  const run = (...args: string[]) => {
    const { stdout, stderr } = spawnSync('openFPGALoader', args, { encoding: 'utf8' });
    return stdout + stderr;
  };

  test('supports every option that the bench passes', () => {
    const help = run('--help');
    for (const option of [
      '--board',
      '--ftdi-serial',
      '--busdev-num',
      '--vid',
      '--pid',
      '--write-sram',
      '--write-flash',
      '--verify',
    ])
      expect(help).toContain(option);
  });

  test('contains the texts that identify a locked flash', () => {
    const { stdout } = spawnSync('sh', ['-c', 'command -v openFPGALoader'], { encoding: 'utf8' });
    const program = readFileSync(stdout.trim(), 'latin1');
    for (const words of [
      'Error: block protection is set',
      'disable protection failed',
      'Verification failed at ',
    ])
      expect(program).toContain(words);
    expect(run('--help')).toContain('--unprotect-flash');
  });

  test('supports every board of the catalogue', () => {
    const list = run('--list-boards');
    const names = list.split('\n').map((line) => line.split(/\s+/)[0]);
    for (const { programmer } of loaderBoards)
      if (programmer.kind === 'openfpgaloader') expect(names).toContain(programmer.board);
  });

  test.each(loaderBoards.flatMap(({ id }) => [[id, 'sram'] as const, [id, 'flash'] as const]))(
    'accepts the arguments for %s in %s mode, and reports an absent board recognisably',
    async (id, mode) => {
      const attached = await attach(['1-4', id]);
      const log: string[] = [];
      const run = openFpgaLoader({ clock: systemClock }).program(
        target(id, attached, 0, mode),
        new Uint8Array(64),
        {
          log: (line) => log.push(line),
          progress() {},
        },
      );
      await expect(run).rejects.toMatchObject({ code: 'board_absent' });
      expect(log.join('\n')).not.toMatch(/Error parsing|does not exist|cannot find board/);
    },
  );
});

/**
 * Messages of openFPGALoader 0.10.0 of Debian 12, with libftdi 1.5, libusb 1.0.26 and hidapi 0.13. README.md next to
 * the recordings says how each was made.
 */
const RECORDINGS = path.join(appRoot, 'tests/support/boards/fixtures/openfpgaloader');

const ECP5: FakeUsbBoard = { ...ICEBREAKER, product: 'Lattice ECP5 Evaluation Board', serial: 'EVN1' };
const I5: FakeUsbBoard = {
  ...ICEBREAKER,
  vendorId: '0d28',
  productId: '0204',
  product: 'DAPLink CMSIS-DAP',
  serial: '0700',
};

interface Recording {
  code: string;
  /** How to reproduce it; absent if that takes a kernel. */
  again?: { id: string; selector: string[]; board?: FakeUsbBoard; hidraw?: boolean; fileMissing?: boolean };
}

const BY_SERIAL = ['--ftdi-serial', 'EVN1'];
const RECORDED: Record<string, Recording> = {
  'denied-by-serial': {
    code: 'usb_permission_denied',
    again: { id: 'ecp5_evn', selector: BY_SERIAL, board: ECP5 },
  },
  'denied-by-number': {
    code: 'usb_permission_denied',
    again: { id: 'ecp5_evn', selector: ['--busdev-num', '1:7'], board: ECP5 },
  },
  'denied-hidraw': {
    code: 'usb_permission_denied',
    again: {
      id: 'colorlight-i5',
      selector: ['--vid', '0x0d28', '--pid', '0x0204'],
      board: I5,
      hidraw: true,
    },
  },
  // The file is missing: libftdi prints the same for it.
  'no-device-file': {
    code: 'usb_permission_denied',
    again: { id: 'ecp5_evn', selector: BY_SERIAL, board: ECP5, fileMissing: true },
  },
  absent: { code: 'board_absent', again: { id: 'ecp5_evn', selector: BY_SERIAL, board: I5 } },
  'absent-hidraw': {
    code: 'board_absent',
    again: { id: 'colorlight-i5', selector: ['--vid', '0x0d28', '--pid', '0x0204'] },
  },
  busy: { code: 'usb_busy' },
};

describe.skipIf(!installed || !canFakeSystem())('openFPGALoader on a /sys of our own', () => {
  const hear = ({ id, selector, board, hidraw = false, fileMissing }: NonNullable<Recording['again']>) => {
    const root = fakeSystem(board, { hidraw });
    if (fileMissing) rmSync(path.join(root, 'bus/usb/001'), { recursive: true });
    writeFileSync(path.join(root, 'bus/x.bit'), 'hello');
    const loader = ['openFPGALoader', '--board', id, ...selector, '--write-sram', '/dev/bus/x.bit'];
    const { stdout, stderr } = inside(root, loader, hidraw);
    return `${stdout.trimEnd()}\n${stderr.trimEnd()}\n`;
  };

  test.each(Object.entries(RECORDED).flatMap(([name, { again }]) => (again ? [[name, again] as const] : [])))(
    'prints the recorded output for %s',
    async (name, again) => {
      await expect(hear(again)).toMatchFileSnapshot(path.join(RECORDINGS, `${name}.txt`));
    },
  );
});

/** A stand-in for openFPGALoader: a script whose actions do not depend on `$1…`. */
function fake(script: string): string {
  const folder = temporaryFolder('fake');
  const file = path.join(folder, 'openFPGALoader');
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  return file;
}

async function runFake(
  script: string,
  options: {
    board?: string;
    mode?: 'sram' | 'flash';
    clock?: Clock;
    signal?: AbortSignal;
    onLog?: (line: string, log: string[]) => void;
  } = {},
) {
  const { board = 'ecp5-evn', mode } = options;
  const attached = await attach(['1-4', board]);
  const log: string[] = [];
  const progress: number[] = [];
  const loader = openFpgaLoader({
    command: fake(script),
    clock: options.clock ?? systemClock,
  });
  const outcome = await loader
    .program(target(board, attached, 0, mode), Uint8Array.of(1, 2, 3), {
      log(line) {
        log.push(line);
        options.onLog?.(line, log);
      },
      progress: (fraction) => progress.push(fraction),
      ...(options.signal && { signal: options.signal }),
    })
    .then(
      () => null,
      (error) => error,
    );
  return { outcome, log, progress };
}

const alive = (pid: number) =>
  existsSync(`/proc/${pid}`) && !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));

describe.skipIf(process.platform === 'win32')('with a stand-in', () => {
  test('success: output in the log line by line, progress from its bar, the file with the right name', async () => {
    const { outcome, log, progress } = await runFake(`
for last; do :; done
case "$last" in *.bit) ;; *) exit 9;; esac
[ "$(od -An -tx1 "$last" | tr -d ' ')" = 010203 ] || exit 8
echo "Open file: DONE"
printf 'Loading: [=====     ] 50.00%%\\rLoading: [==========] 100.00%%\\nDone\\n' >&2`);
    expect(outcome).toBeNull();
    expect(log[0]).toMatch(
      /^openFPGALoader --board ecp5_evn --ftdi-serial EVN1 --write-sram bitstream\.bit$/,
    );
    expect(log).toContain('Open file: DONE');
    expect(log.filter((line) => line.startsWith('Loading'))).toHaveLength(1);
    expect(progress).toEqual([0.5, 1]);
  });

  test('failure: reports the exit code and the last lines', async () => {
    const { outcome } = await runFake('for i in 1 2 3 4 5 6 7 8 9 10; do echo "line $i"; done; exit 7');
    expect(outcome).toMatchObject({
      code: 'programmer_failed',
      message: 'openFPGALoader exited with code 7: line 10',
      details: { exitCode: 7, lastLines: expect.arrayContaining(['line 3', 'line 10']) },
    });
    expect(outcome.details.lastLines).toHaveLength(8);
  });

  test.each(Object.entries(RECORDED))(
    'the recorded output of %s maps to its code',
    async (name, { code }) => {
      const { outcome } = await runFake(`cat >&2 '${path.join(RECORDINGS, `${name}.txt`)}'; exit 1`);
      expect(outcome.code).toBe(code);
    },
  );

  // The words and their order are those of openFPGALoader's src/spiFlash.cpp, spiInterface.cpp and lattice.cpp.
  const PROTECTED = ['Error: block protection is set', "       can't unlock without --unprotect-flash"];
  const AFTERWARDS = [
    'Refresh: FAIL',
    'displayReadReg',
    ...['\tConfig Target Selection : 0', '\tJTAG Active', '\tISC Enable', '\tWrite Enable', '\tRead Enable'],
    ...['\tStd PreAmble', '\tSPIm Fail1', '\tBSE Error Code', '\t\tNo err', '\tEXEC Error'],
    'Error: Failed to program FPGA: std::exception',
  ];
  const says = (lines: string[]) => `cat <<'END'\n${lines.join('\n')}\nEND\nexit 1`;

  test('a locked flash is named, whatever output follows', async () => {
    const { outcome } = await runFake(says([...PROTECTED, ...AFTERWARDS]), { mode: 'flash' });
    expect(outcome).toMatchObject({
      code: 'flash_protected',
      message: expect.stringMatching(/write-protected/),
    });
  });

  test('a board shipped locked gets its unlock command, even if only the verification failed', async () => {
    for (const lines of [
      [...PROTECTED, ...AFTERWARDS],
      ['Verification failed at 0', ...AFTERWARDS],
    ]) {
      const { outcome } = await runFake(says(lines), { board: 'colorlight-i5', mode: 'flash' });
      expect(outcome).toMatchObject({
        code: 'flash_protected',
        message: expect.stringContaining('Colorlight i5'),
        remedy: expect.stringContaining('openFPGALoader --board colorlight-i5 --unprotect-flash'),
      });
    }
    const { outcome } = await runFake(says(['Verification failed at 0', ...AFTERWARDS]), { mode: 'flash' });
    expect(outcome.code).toBe('programmer_failed');
  });

  test('crash: reported as programmer_crashed', async () => {
    const { outcome } = await runFake('echo before; kill -SEGV $$');
    expect(outcome).toMatchObject({
      code: 'programmer_crashed',
      message: expect.stringContaining('SIGSEGV'),
    });
  });

  test('hang: the deadline ends the whole process group, children that ignore signals included', async () => {
    const clock = new FakeClock();
    const pidsIn = (lines: string[]) =>
      lines.flatMap((line) => /^(?:child|parent) (\d+)$/.exec(line)?.[1] ?? []).map(Number);
    const { outcome, log } = await runFake(
      `trap '' TERM
sh -c 'trap "" TERM; echo "child $$"; while :; do sleep 0.05; done' &
echo "parent $$"
while :; do sleep 0.05; done`,
      {
        clock,
        onLog(_, log) {
          // The deadline for SRAM, and the grace that follows it.
          if (pidsIn(log).length === 2) clock.advance(121_000);
        },
      },
    );
    expect(outcome.code).toBe('programmer_deadline');
    const pids = pidsIn(log);
    expect(pids).toHaveLength(2);
    await expect.poll(() => pids.filter(alive)).toEqual([]);
  });

  test('aborted: reports the signal’s own reason and ends the process group', async () => {
    const abort = new AbortController();
    const onLog = (line: string) => line === 'ready' && abort.abort();
    const { outcome } = await runFake('echo ready; sleep 60', { signal: abort.signal, onLog });
    expect(outcome.code).toBe('programming_aborted');
  });

  test('an absent and a non-executable program are reported as missing', async () => {
    const attached = await attach(['1-4', 'ecp5-evn']);
    const context = { log() {}, progress() {} };
    const missing = openFpgaLoader({ command: '/nowhere/openFPGALoader', clock: systemClock });
    await expect(
      missing.program(target('ecp5-evn', attached), new Uint8Array(1), context),
    ).rejects.toMatchObject({
      code: 'programmer_missing',
    });
    const broken = fake('');
    chmodSync(broken, 0o644);
    await expect(
      openFpgaLoader({ command: broken, clock: systemClock }).program(
        target('ecp5-evn', attached),
        new Uint8Array(1),
        context,
      ),
    ).rejects.toMatchObject({ code: 'programmer_missing' });
  });

  test('removes the bitstream file', async () => {
    const folder = temporaryFolder('clean');
    vi.stubEnv('TMPDIR', folder);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { outcome } = await runFake('exit 1');
    expect(outcome.code).toBe('programmer_failed');
    // Only the stand-in's own folder is left.
    expect(readdirSync(folder).filter((name) => !name.startsWith('wishbench-fake-'))).toEqual([]);
  });

  test('the command line is the documented one', async () => {
    const attached = await attach(['1-4', 'ecp5-evn']);
    const flash = target('ecp5-evn', attached, 0, 'flash');
    expect(loaderArguments(flash, ['--ftdi-serial', 'EVN1'], 'x.bit')).toEqual([
      '--board',
      'ecp5_evn',
      '--ftdi-serial',
      'EVN1',
      '--write-flash',
      '--verify',
      'x.bit',
    ]);
  });
});
