import { execFile, execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { DesignPin } from '../../../server/contract/designs/uploads.ts';
import {
  type CaptureSize,
  GATEWARE_PARAMETERS,
  gatewareParameters,
  gatewareSources,
} from '../../../server/toolchain/build/gateware.ts';
import { resultName, storedResult } from '../stored-results.ts';

const run = promisify(execFile);

/** Name of the simulated board by default. */
export const SIMULATED_NAME = 'a simulated board';

export const BUILD_ID = '0123456789abcdef';

/** One line of the stimuli: a command of bench.v, and a number. */
export type Stimulus = readonly [
  (
    | 'byte'
    | 'broken'
    | 'glitch'
    | 'low'
    | 'gap'
    | 'silence'
    | 'rate'
    | 'host'
    | 'settle'
    | 'clocks'
    | 'leds'
    | 'watch'
  ),
  number,
];

export const bytes = (...values: number[]): Stimulus[] => values.map((value) => ['byte', value] as const);

/**
 * Waits until neither side has activity for 2,000 clocks. The FIFO may hold writes into the base SoC's own block, which
 * show on no wire while their CRC is made, some nine clocks a byte.
 */
export const settled: Stimulus = ['settle', 2000];

interface Trace {
  /** Bytes that the gateware sent. */
  sent: number[];
  /** Transfers and refusals of the slave, as bench.v prints them. */
  bus: string[];
  /** Broken rules. */
  violations: string[];
  /** Output of the stimulus `clocks`, in order. */
  clocks: number[];
  leds: number[];
  /** The recorded changes of the stimulus `watch`. */
  vcd: string | null;
}

export interface Speed {
  clockHz: number;
  baud: number;
  leds?: number;
  /** Input bits of the slave through the port block; it has 24 output bits. The highest one is 1 at first. */
  pins?: number;
  /** With a capture core, which sees what bench.v shows it. */
  capture?: CaptureSize;
  /** Bits a second of a terminal at the slave's highest input bit, which must be the only one: it echoes. */
  terminalBaud?: number;
  /** Name of the board, for its identifier. */
  name?: string;
}

/** Version of Icarus Verilog; null, with one line on stderr, if it is not on the PATH. */
const version: string | null = (() => {
  try {
    return execFileSync('iverilog', ['-V'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    process.stderr.write(
      'Icarus Verilog (iverilog) is not installed: the simulations of the gateware are skipped.\n',
    );
    return null;
  }
})();

/** Whether Icarus Verilog is on the PATH. */
export const haveIcarus: boolean = version !== null;

const pinsOf = (inputs: number): DesignPin[] =>
  inputs === 0
    ? []
    : [
        { name: 'low', direction: 'input', width: inputs - 1, at: 0, high: false },
        { name: 'high', direction: 'input', width: 1, at: inputs - 1, high: true },
        { name: 'given', direction: 'output', width: inputs + 24, at: 0, high: false },
      ];

/** Compiled sources of Icarus, by their text: most simulations of a process differ only in their stimuli. */
const compiled = new Map<string, Promise<Buffer>>();

async function inTemporaryFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(path.join(tmpdir(), 'wishbench-gateware-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** @param files the sources, and what they include */
async function compile(files: Readonly<Record<string, string>>, verilog: readonly string[]): Promise<Buffer> {
  return await inTemporaryFolder(async (folder) => {
    for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text);
    const args = ['-g2001', '-Wall', '-Wno-timescale', '-s', 'bench', '-o', 'bench.vvp', ...verilog];
    await run('iverilog', args, { cwd: folder });
    return await readFile(path.join(folder, 'bench.vvp'));
  });
}

/**
 * Simulates the base SoC's Verilog with the bench's slave. The result is stored by sources and stimuli.
 * @param replaced sources that take the place of those of the same name
 */
export async function simulate(
  stimuli: readonly Stimulus[],
  speed: Speed,
  replaced: Readonly<Record<string, string>> = {},
): Promise<Trace> {
  const sources = {
    ...(await gatewareSources({
      capture: speed.capture !== undefined,
      terminal: speed.terminalBaud !== undefined,
    })),
    ...replaced,
  };
  const board = {
    name: speed.name ?? SIMULATED_NAME,
    clock: { hz: speed.clockHz, pin: '' },
    serial: { baud: speed.baud, rx: '', tx: '' },
    leds: { pins: Array.from({ length: speed.leds ?? 8 }, () => ''), activeLow: false },
  };
  const files = {
    ...sources,
    [GATEWARE_PARAMETERS]: gatewareParameters(
      board,
      BUILD_ID,
      pinsOf(speed.pins ?? 0),
      speed.capture ?? null,
      speed.terminalBaud === undefined
        ? undefined
        : { input: 'high', output: 'given', baud: speed.terminalBaud },
    ),
    'bench.v': await readFile(new URL('./bench.v', import.meta.url), 'utf8'),
  };
  const key = JSON.stringify(files);
  const lines = stimuli.map(([word, value]) => `${word} ${value.toString(16)}\n`).join('');
  const name = resultName(version ?? '', key, lines);
  const { stdout, vcd } = await storedResult(name, async () => {
    const program = compiled.get(key) ?? compile(files, ['bench.v', ...Object.keys(sources)]);
    compiled.set(key, program);
    program.catch(() => compiled.delete(key));
    return await play(await program, lines);
  });
  return { ...parse(stdout), vcd };
}

/** Runs a compiled simulation. @param stimuli the lines of their file */
async function play(program: Buffer, stimuli: string): Promise<{ stdout: string; vcd: string | null }> {
  return await inTemporaryFolder(async (folder) => {
    await writeFile(path.join(folder, 'bench.vvp'), program);
    await writeFile(path.join(folder, 'stimuli.txt'), stimuli);
    const { stdout } = await run('vvp', ['-n', 'bench.vvp'], { cwd: folder, maxBuffer: 1 << 26 });
    const vcd = /^watch /m.test(stimuli) ? await readFile(path.join(folder, 'idle.vcd'), 'utf8') : null;
    return { stdout, vcd };
  });
}

function parse(output: string): Omit<Trace, 'vcd'> {
  const trace = {
    sent: [] as number[],
    bus: [] as string[],
    violations: [] as string[],
    clocks: [] as number[],
  };
  const leds: number[] = [];
  for (const line of output.split('\n')) {
    const rest = line.slice(2);
    if (line.startsWith('T ')) trace.sent.push(Number.parseInt(rest, 16));
    else if (/^[RWE] /.test(line)) trace.bus.push(line);
    else if (line.startsWith('V ')) trace.violations.push(rest);
    else if (line.startsWith('C ')) trace.clocks.push(Number(rest));
    else if (line.startsWith('L ')) leds.push(Number.parseInt(rest, 16));
  }
  return { ...trace, leds };
}
