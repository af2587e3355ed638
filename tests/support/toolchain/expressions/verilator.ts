import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { once } from '../../../../server/toolchain/once.ts';

const run = promisify(execFile);

const found = spawnSync('verilator', ['--getenv', 'VERILATOR_ROOT'], { encoding: 'utf8' });
/** Whether Verilator and a C++ compiler are installed. Tests that need them are skipped otherwise. */
export const hasVerilator = found.status === 0 && spawnSync('g++', ['--version']).status === 0;

const INCLUDE = path.join(found.stdout?.trim() ?? '', 'include');
const COMPILE = ['-O0', '-I', INCLUDE];

/** Verilator's own code, compiled once. */
const library = once(async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'wishbench-verilated-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const sources = ['verilated.cpp', 'verilated_threads.cpp'];
  await run('g++', [...COMPILE, '-c', ...sources.map((name) => path.join(INCLUDE, name))], { cwd: folder });
  return sources.map((name) => path.join(folder, name.replace('.cpp', '.o')));
});

/**
 * Outputs of `slave` after each input and a rising and a falling edge of its clock, one line for each, in binary. Its
 * input `rst` is as `isReset` says.
 */
export async function simulateWithVerilator(
  folder: string,
  text: string,
  inputs: readonly string[],
  [outputs, outputWidth]: readonly [count: number, width: number],
  isReset: (input: string) => boolean,
): Promise<string> {
  const options = { cwd: folder, maxBuffer: 2 ** 30, timeout: 300_000 };
  writeFileSync(path.join(folder, 'design.sv'), text);
  const flags = [
    '--cc',
    ...['-O0', '-fno-dfg'],
    '--x-initial',
    '0',
    '-Wno-fatal',
    '-Wno-lint',
    '-Wno-ENUMVALUE',
    '--top',
    'slave',
    '--prefix',
    'Slave',
  ];
  await run('verilator', [...flags, '--Mdir', folder, 'design.sv'], options);
  const sources = readdirSync(folder).filter((name) => name.endsWith('.cpp'));
  const width = inputs[0]!.length;
  const main = `${sources.map((name) => `#include "${name}"`).join('\n')}
#include <cstdio>
static const char *rows[] = {${inputs.map((input) => `"${input}"`).join(',\n')}};
static const char resets[] = "${inputs.map((input) => (isReset(input) ? '1' : '0')).join('')}";
static void show(unsigned long long y, char end) { for (int i = ${outputWidth - 1}; i >= 0; i--) putchar('0' + (y >> i & 1)); putchar(end); }
int main() {
  VerilatedContext context; Slave slave(&context);
  slave.clk = 0; slave.rst = 0;
  for (unsigned row = 0; row < ${inputs.length}; row++) {
    for (int i = 0; i < ${Math.ceil(width / 32)}; i++) slave.in[i] = 0;
    for (int i = 0; i < ${width}; i++) if (rows[row][${width - 1} - i] == '1') slave.in[i / 32] |= 1u << i % 32;
    slave.rst = resets[row] == '1';
    slave.eval(); slave.clk = 1; slave.eval(); slave.clk = 0; slave.eval();
    ${Array.from({ length: outputs }, (_, at) => `show(slave.y${at}, ${at === outputs - 1 ? `'\\n'` : `' '`});`).join(' ')}
  }
}
`;
  writeFileSync(path.join(folder, 'main.cc'), main);
  const objects = await library();
  await run('g++', [...COMPILE, '-I', '.', 'main.cc', ...objects, '-lpthread', '-o', 'sim'], options);
  const { stdout } = await run('./sim', [], options);
  return stdout;
}
