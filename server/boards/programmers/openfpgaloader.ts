import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Clock } from '../../clock.ts';
import { assertNever, type BenchError } from '../../errors/bench-error.ts';
import { boardsError } from '../../errors/boards.ts';
import { type ProcessEnd, runProcess } from '../../process/run-process.ts';
import type { ProgramContext } from '../board.ts';
import type { BoardDefinition, ProgrammingMode } from '../definition.ts';
import type { AttachedBoard } from '../discovery/attached.ts';
import { abortReason } from './abort.ts';

export interface LoaderTarget {
  definition: BoardDefinition;
  /** As `openFPGALoader --list-boards` names it. */
  board: string;
  mode: ProgrammingMode;
  attached: AttachedBoard;
  /** The other attached boards: the selector must match none of them. */
  others: readonly AttachedBoard[];
}

export interface OpenFpgaLoader {
  /**
   * @throws programmer_missing, programmer_ambiguous, programmer_failed, programmer_crashed, programmer_deadline,
   * flash_protected, usb_permission_denied, usb_busy, board_absent, or the signal's reason.
   */
  program(target: LoaderTarget, bitstream: Uint8Array, context: ProgramContext): Promise<void>;
}

/** Time limits, ms: flashing runs at JTAG speed and takes minutes on slow probes. */
const DEADLINE: Record<ProgrammingMode, number> = { sram: 120_000, flash: 270_000 };
/** Time between a termination request and a kill, ms: a JTAG probe that is released properly works again at once. */
const GRACE = 500;
/** Maximum characters of one log line. */
const LINE_MAX = 2_000;
/** Last lines in an error. */
const KEPT_LINES = 8;

/** Programs boards by running openFPGALoader (https://trabucayre.github.io/openFPGALoader/). */
export function openFpgaLoader(options: {
  clock: Clock;
  command?: string;
  platform?: NodeJS.Platform;
}): OpenFpgaLoader {
  const { clock, command = 'openFPGALoader', platform = process.platform } = options;
  return {
    async program(target, bitstream, { log, progress, signal }) {
      const selector = loaderSelector(target, platform);
      const folder = await mkdtemp(path.join(tmpdir(), 'wishbench-'));
      try {
        const file = path.join(folder, `bitstream${extensionOf(target.definition)}`);
        await writeFile(file, bitstream);
        const args = loaderArguments(target, selector, file);
        log(`${path.basename(command)} ${args.slice(0, -1).join(' ')} ${path.basename(file)}`);
        const last: string[] = [];
        let reported = '';
        let known: FailureCode | undefined;
        const { end } = await runProcess({
          command,
          args,
          deadline: DEADLINE[target.mode],
          grace: GRACE,
          clock,
          ...(signal && { signal }),
          lines: { longest: LINE_MAX },
          onLine(printed) {
            const line = printed.trimEnd();
            if (line === '') return;
            const percent = /(\d+(?:\.\d+)?)\s?%/.exec(line);
            if (percent) progress(Math.min(1, Number(percent[1]) / 100));
            // A progress bar repeats its line a hundred times: log each stage once.
            const stage = percent ? line.slice(0, line.search(/[:[]/)) : line;
            if (percent && stage === reported) return;
            reported = stage;
            // The reason may be far above the end, because the program prints the state of the FPGA after it.
            known ??= failureIn(line, target);
            last.push(line);
            if (last.length > KEPT_LINES) last.shift();
            log(line);
          },
        });
        const failure = loaderFailure(end, last, known, target, signal);
        if (failure) throw failure;
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
}

/**
 * The arguments that select one probe. Without one openFPGALoader takes the first match, which may be another user's
 * board.
 * - FTDI probes: by the board's own serial number, else by bus and device number. These change, so they are read just
 *   before; they are libusb's only on Linux.
 * - CMSIS-DAP probes: no selector distinguishes two of one kind, so there must be only one.
 * @throws programmer_ambiguous.
 */
export function loaderSelector(target: LoaderTarget, platform: NodeJS.Platform): string[] {
  const { attached, others } = target;
  const hex = (id: number) => `0x${id.toString(16).padStart(4, '0')}`;
  const kind = ['--vid', hex(attached.vendorId), '--pid', hex(attached.productId)];
  const alone = !others.some(
    (other) => other.vendorId === attached.vendorId && other.productId === attached.productId,
  );
  const ftdi = attached.vendorId === 0x0403;
  if (ftdi && attached.serial !== null && attached.id === `usb:${attached.serial}`)
    return ['--ftdi-serial', attached.serial];
  if (ftdi && platform === 'linux') {
    return ['--busdev-num', `${Number.parseInt(attached.bus, 10)}:${attached.address}`];
  }
  if (alone) return kind;
  throw boardsError('programmer_ambiguous');
}

/** The whole command line after the program's name. */
export function loaderArguments(target: LoaderTarget, selector: string[], file: string): string[] {
  const where = target.mode === 'flash' ? ['--write-flash', '--verify'] : ['--write-sram'];
  return ['--board', target.board, ...selector, ...where, file];
}

type FailureCode = Parameters<typeof boardsError>[0];

/** What openFPGALoader and the libraries below it say (tests/support/boards/fixtures/openfpgaloader), and what that means. */
const KNOWN_FAILURES: [RegExp, FailureCode][] = [
  // -4 is "usb_open() failed" or "libusb_open() failed": libftdi gives no more detail, and a missing permission is the
  // usual cause.
  [/unable to open ftdi device: -4\b|Check permissions|Access denied/i, 'usb_permission_denied'],
  [/device not found|No cable found|No device found|unable to open ftdi device: -3/i, 'board_absent'],
  [/unable to open ftdi device: -5\b|unable to claim/i, 'usb_busy'],
  [/more than one device/i, 'programmer_ambiguous'],
  // Source: src/spiFlash.cpp.
  [/block protection is set|disable protection failed/, 'flash_protected'],
];

/** Source: src/spiFlash.cpp. With an unknown kind of flash, a write to a locked one fails only here. */
const VERIFY_FAILED = /^Verification failed at \d/;

function failureIn(line: string, { definition, mode }: LoaderTarget): FailureCode | undefined {
  const [, code] = KNOWN_FAILURES.find(([pattern]) => pattern.test(line)) ?? [];
  if (code !== undefined || mode !== 'flash' || !isShippedProtected(definition)) return code;
  return VERIFY_FAILED.test(line) ? 'flash_protected' : undefined;
}

const isShippedProtected = ({ programmer }: BoardDefinition): boolean =>
  programmer.kind === 'openfpgaloader' && programmer.flashShippedProtected === true;

/** How to unlock the flash of this board, where it is shipped locked. */
function howToUnlock({ definition, board }: LoaderTarget) {
  return {
    message: `The flash of the ${definition.name} is write-protected, as shipped.`,
    remedy: `Unlock it once, with openFPGALoader --board ${board} --unprotect-flash, or assign the board in SRAM mode.`,
  };
}

function loaderFailure(
  end: ProcessEnd,
  last: string[],
  known: FailureCode | undefined,
  target: LoaderTarget,
  signal: AbortSignal | undefined,
): BenchError | Error | null {
  const details = { lastLines: last };
  const lastLine = last.at(-1);
  switch (end.kind) {
    case 'exit': {
      if (end.code === 0) return null;
      const message = `openFPGALoader exited with code ${end.code}${lastLine ? `: ${lastLine}` : '.'}`;
      return boardsError(known ?? 'programmer_failed', {
        details: { ...details, exitCode: end.code },
        ...(known ? {} : { message }),
        ...(known === 'flash_protected' && isShippedProtected(target.definition) && howToUnlock(target)),
      });
    }
    case 'signal':
      return boardsError('programmer_crashed', {
        details,
        message: `openFPGALoader was killed by ${end.signal}.`,
      });
    case 'deadline':
      return boardsError('programmer_deadline', { details });
    case 'aborted':
      return signal ? abortReason(signal) : boardsError('programming_aborted');
    case 'missing':
      return boardsError('programmer_missing');
    case 'unstartable':
      return boardsError('programmer_missing', {
        message: `openFPGALoader could not be started: ${end.message}`,
      });
    default:
      return assertNever(end);
  }
}

const extensionOf = ({ programmer }: BoardDefinition): string =>
  programmer.kind === 'openfpgaloader' ? programmer.extension : '.bin';
