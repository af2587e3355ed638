import { systemClock } from '../../../../server/clock.ts';
import { DEFAULT_SETTINGS } from '../../../../server/contract/bench/settings.ts';
import { silentLogger } from '../../../../server/log.ts';
import { createEmbeddedEngine } from '../../../../server/toolchain/engines/embedded/embedded-engine.ts';
import type { ToolEngine, ToolFiles, ToolRun } from '../../../../server/toolchain/tool-engine.ts';
import { forkWithStoredRuns } from '../../toolchain/stored-runs.ts';

let engine: ToolEngine | null = null;

/** The embedded toolchain, started with the first use. */
const tools = () =>
  (engine ??= createEmbeddedEngine({
    logger: silentLogger,
    clock: systemClock,
    memoryLimit: DEFAULT_SETTINGS.toolchain.memory_bytes,
    forkTools: forkWithStoredRuns,
  }));

export async function closeTools(): Promise<void> {
  await engine?.close();
  engine = null;
}

/** Runs one of the embedded tools.
 * @throws with what it said last */
export async function runEmbedded(
  tool: ToolRun['tool'],
  args: string[],
  files: ToolFiles,
  outputs: string[],
) {
  const said: string[] = [];
  try {
    const result = await tools().run({
      tool,
      args,
      files,
      outputs,
      deadline: 300,
      onLine: (line) => said.push(line),
    });
    return result.files;
  } catch (cause) {
    throw new Error(`${tool}: ${said.slice(-5).join('\n')}`, { cause });
  }
}

/** Result of yosys' synth_ice40 -json, as far as it is used here. */
interface YosysNetlist {
  modules: Record<string, YosysModule>;
}

export interface YosysModule {
  ports: Record<string, { direction: 'input' | 'output' | 'inout'; bits: (number | string)[] }>;
  cells: Record<
    string,
    { type: string; parameters: Record<string, string>; connections: Record<string, (number | string)[]> }
  >;
}

/**
 * Synthesises random designs, all in one run of yosys as parts of one design that is not flattened: most of a run
 * is reading the library of cells.
 * @returns one netlist for all; module `d<k>` is design k.
 */
export async function synthesiseTogether(designs: string[]): Promise<Uint8Array> {
  const parts = designs.map((text, k) => text.replace('module top(', `module d${k}(`));
  const instances = designs.map((_, k) => `d${k} i${k}(clk, in, out[${32 * k} +: 32]);`);
  const together = `module together(input clk, input [15:0] in, output [${32 * designs.length - 1}:0] out);
${instances.join('\n')}
endmodule
`;
  return synthesise(`${parts.join('\n')}${together}`, 'together', ['-noflatten']);
}

/** Synthesises one Verilog file for the iCE40. */
export async function synthesise(source: string, top = 'top', options: string[] = []): Promise<Uint8Array> {
  const script = `read_verilog d.v; synth_ice40 -top ${top} ${options.join(' ')} -json d.json`;
  const made = await runEmbedded('yosys', ['-q', '-p', script], { 'd.v': source }, ['d.json']);
  return output(made, 'd.json');
}

export const parseNetlist = (json: Uint8Array): YosysNetlist => JSON.parse(Buffer.from(json).toString());

/** Places, routes and packs a synthesised design for an HX8K in the ct256 package. */
export async function placeAndRoute(
  netlist: Uint8Array,
  constraints: string,
  top = 'top',
): Promise<Uint8Array> {
  const routed = await runEmbedded(
    'nextpnr-ice40',
    [
      ...['--hx8k', '--package', 'ct256', '--seed', '1', '-q', '--ignore-loops', '--pcf-allow-unconstrained'],
      ...['--top', top, '--json', 'd.json', '--pcf', 'd.pcf', '--asc', 'd.asc'],
    ],
    { 'd.json': netlist, 'd.pcf': constraints },
    ['d.asc'],
  );
  return pack(output(routed, 'd.asc'));
}

async function pack(asc: Uint8Array): Promise<Uint8Array> {
  const packed = await runEmbedded('icepack', ['d.asc', 'd.bin'], { 'd.asc': asc }, ['d.bin']);
  return output(packed, 'd.bin');
}

function output(files: Record<string, Uint8Array>, name: string): Uint8Array {
  const contents = files[name];
  if (!contents) throw new Error(`${name} was not written.`);
  return contents;
}
