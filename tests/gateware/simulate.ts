import { execFile, execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { GATEWARE_PARAMETERS, gatewareParameters, gatewareSources } from '../../server/toolchain/gateware.ts';

const run = promisify(execFile);

export const BUILD_ID = '0123456789abcdef';

/** One line of the stimuli: a word that bench.v knows, and a number. */
export type Stimulus = readonly [
  'byte' | 'broken' | 'glitch' | 'low' | 'gap' | 'rate' | 'settle' | 'clocks' | 'leds' | 'watch',
  number,
];

export const bytes = (...values: number[]): Stimulus[] => values.map((value) => ['byte', value] as const);

/** Where nothing is said: nothing of either side happens for so many clocks. */
export const settled: Stimulus = ['settle', 400];

interface Trace {
  /** Bytes that the gateware sent. */
  sent: number[];
  /** Transfers and refusals of the slave, as bench.v prints them. */
  bus: string[];
  /** Broken rules. */
  violations: string[];
  /** What the stimulus `clocks` printed, in order. */
  clocks: number[];
  leds: number[];
  /** The recorded changes of the stimulus `watch`. */
  vcd: string | null;
}

export interface Speed {
  clockHz: number;
  baud: number;
  leds?: number;
}

/** Whether Icarus Verilog is on the PATH; says so once where it is not. */
export const haveIcarus: boolean = (() => {
  try {
    execFileSync('iverilog', ['-V'], { stdio: 'ignore' });
    return true;
  } catch {
    process.stderr.write(
      'Icarus Verilog (iverilog) is not installed: the simulations of the gateware are skipped.\n',
    );
    return false;
  }
})();

/** Simulates the base SoC's Verilog with the bench's slave behind it. */
export async function simulate(stimuli: readonly Stimulus[], speed: Speed): Promise<Trace> {
  const folder = await mkdtemp(path.join(tmpdir(), 'wishbench-gateware-'));
  try {
    const sources = await gatewareSources();
    const board = {
      clock: { hz: speed.clockHz, pin: '' },
      serial: { baud: speed.baud, rx: '', tx: '' },
      leds: { pins: Array.from({ length: speed.leds ?? 8 }, () => ''), activeLow: false },
    };
    const files = {
      ...sources,
      [GATEWARE_PARAMETERS]: gatewareParameters(board, BUILD_ID),
      'bench.v': await readFile(new URL('./bench.v', import.meta.url), 'utf8'),
      'stimuli.txt': stimuli.map(([word, value]) => `${word} ${value.toString(16)}\n`).join(''),
    };
    for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text);
    const verilog = ['bench.v', ...Object.keys(sources)];
    await run(
      'iverilog',
      ['-g2001', '-Wall', '-Wno-timescale', '-s', 'bench', '-o', 'bench.vvp', ...verilog],
      {
        cwd: folder,
      },
    );
    const { stdout } = await run('vvp', ['-n', 'bench.vvp'], { cwd: folder, maxBuffer: 1 << 26 });
    const vcd = stimuli.some(([word]) => word === 'watch')
      ? await readFile(path.join(folder, 'idle.vcd'), 'utf8')
      : null;
    return { ...parse(stdout), vcd };
  } finally {
    await rm(folder, { recursive: true });
  }
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
