import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Diagnostic } from '../../../../../server/contract/diagnostics.ts';
import { BenchError } from '../../../../../server/errors/bench-error.ts';
import { readVhdlText, verilogOf } from './vhdl.ts';
import {
  entityOf,
  FIRST_LINE,
  type Library,
  type Operation,
  operationsOf,
  randomFrom,
  stimuliOf,
  verilogBench,
  vhdlBench,
  type Widths,
} from './vhdl-operators.ts';

/** Results of the operations of one entity. */
export interface Comparison {
  /** Operations of the entity that were read. */
  operations: number;
  /** Words that were compared. */
  words: number;
  /** Differences of the circuit from the simulation. */
  wrong: string[];
  /** Operations that are refused, with the reason. */
  refused: { expression: string; message: string }[];
  /** Operations about which there is a warning. */
  warned: Set<string>;
}

const options = (cwd: string) =>
  ({ cwd, encoding: 'utf8', stdio: 'pipe', timeout: 120_000, maxBuffer: 2 ** 28 }) as const;

const FLAGS = ['--std=08', '-fsynopsys', '-frelaxed'];

function simulateVhdl(folder: string, entity: string, bench: string): string[] {
  writeFileSync(path.join(folder, 'ops.vhd'), entity);
  writeFileSync(path.join(folder, 'bench.vhd'), bench);
  execFileSync('ghdl', ['-a', ...FLAGS, 'ops.vhd', 'bench.vhd'], options(folder));
  const quiet = ['--ieee-asserts=disable'];
  return execFileSync('ghdl', ['-r', ...FLAGS, 'bench', ...quiet], options(folder))
    .trim()
    .split('\n');
}

function simulateVerilog(folder: string, design: string, bench: string): string[] {
  writeFileSync(path.join(folder, 'ops.v'), design);
  writeFileSync(path.join(folder, 'bench.v'), bench);
  execFileSync('iverilog', ['-g2005-sv', '-s', 'bench', '-o', 'sim', 'ops.v', 'bench.v'], options(folder));
  return execFileSync('vvp', ['-n', 'sim'], options(folder)).trim().split('\n');
}

/** Reads an entity without the operations that are refused, each by its line. */
async function readAll(library: Library, widths: Widths, operations: readonly Operation[]) {
  const refused: Comparison['refused'] = [];
  let left = [...operations];
  for (;;) {
    try {
      return { design: await readVhdlText(entityOf(library, widths, left), 'ops'), left, refused };
    } catch (error) {
      if (!(error instanceof BenchError)) throw error;
      const lines = new Map(
        error.diagnostics
          .filter(({ severity }) => severity === 'error')
          .map(({ line, message }) => [(line ?? 0) - FIRST_LINE, message]),
      );
      const gone = left.filter((_, at) => lines.has(at));
      if (gone.length === 0) throw error;
      for (const one of gone)
        refused.push({ expression: one.expression, message: lines.get(left.indexOf(one)) ?? '' });
      left = left.filter((one) => !gone.includes(one));
    }
  }
}

/**
 * Compares what GHDL's simulation gives for each operation with what the circuit gives that is read of it.
 * @param passes of Yosys between reading and simulating
 */
export async function compareOperations(
  library: Library,
  widths: Widths,
  seed: number,
  {
    stimuli: count = 24,
    passes = ['proc', 'pmuxtree'],
  }: { stimuli?: number; passes?: readonly string[] } = {},
): Promise<Comparison> {
  const random = randomFrom(seed);
  const operations = operationsOf(library, widths, random);
  const stimuli = stimuliOf(widths, count, random);
  const folder = mkdtempSync(path.join(tmpdir(), 'wishbench-vhdl-'));
  try {
    const { design, left, refused } = await readAll(library, widths, operations);
    const verilog = await verilogOf(design, passes);
    const expected = simulateVhdl(folder, entityOf(library, widths, left), vhdlBench(widths, left, stimuli));
    const found = simulateVerilog(folder, verilog, verilogBench(widths, left, stimuli));
    const warned = new Set(
      design.diagnostics.flatMap(({ line }: Diagnostic) => left[(line ?? 0) - FIRST_LINE]?.expression ?? []),
    );
    const wrong: string[] = [];
    let words = 0;
    for (const [at, one] of stimuli.entries())
      for (const [n, { expression }] of left.entries()) {
        const [simulated = '', built = ''] = [expected[at * left.length + n], found[at * left.length + n]];
        if (!/^[01]+$/.test(simulated)) continue;
        words++;
        if (simulated !== built && !warned.has(expression))
          wrong.push(
            `${library} ${widths.a}/${widths.b} ${expression}: a=${one.a} b=${one.b} c=${one.c} is ${built}, not ${simulated}`,
          );
      }
    return { operations: left.length, words, wrong, refused, warned };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
