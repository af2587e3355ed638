import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import type { Netlist } from '../../../../server/boards/virtual/netlist/netlist.ts';
import { embeddedVersion } from '../../../../server/toolchain/engines/embedded/tool-packages.ts';
import { SOAK } from '../../soak.ts';
import { designSource } from './bridge.ts';
import { busyDesignsSource, busySource } from './busy.ts';
import { softCpuSource } from './soft-cpu.ts';
import { closeTools, parseNetlist, synthesise, type YosysModule } from './tools.ts';
import { netlistOf } from './yosys-netlist.ts';

/**
 * Designs whose netlists are stored next to the tests as Yosys made them, by their file names: synthesis takes 35 s of
 * the processor, and the tests begin after it.
 */
export const RECORDED = {
  'soft-cpu': () => softCpuSource(),
  'soft-cpu-barrel': () => softCpuSource(true),
  'busy-designs': busyDesignsSource,
  lfsr: () => byItself('lfsr'),
  digest: () => byItself('digest'),
  fir: () => byItself('fir'),
  shifters: () => designSource('shifters.v'),
  products: () => designSource('products.v'),
};
export type RecordedDesign = keyof typeof RECORDED;

const byItself = (name: 'lfsr' | 'digest' | 'fir'): string => `${busySource(name)}
module top (input wire clk, input wire rx, output wire tx); ${name} made (clk, rx, tx); endmodule`;

/** Contents of a file. */
interface Recording {
  /** Digest of the source and of the version of Yosys. */
  identity: string;
  module: YosysModule;
}

/** How the files come about. */
const REMEDY = 'Run `npm run generate -- netlists`.';

const fileOf = (name: RecordedDesign): URL => new URL(`./designs/netlists/${name}.json.br`, import.meta.url);

const identityOf = (source: string): string =>
  createHash('sha256')
    .update(`${embeddedVersion('yosys')}\n${source}`)
    .digest('hex');

/** Synthesises a design. Returns its module `top` without unused logic. */
async function synthesised(source: string): Promise<YosysModule> {
  const { top } = parseNetlist(await synthesise(source)).modules;
  if (!top) throw new Error('Yosys has left out the design.');
  const cells = Object.entries(top.cells).map(([name, { type, parameters, connections }]) => [
    name,
    { type, parameters, connections },
  ]);
  return { ports: top.ports, cells: Object.fromEntries(cells) };
}

const NAMES = Object.keys(RECORDED) as RecordedDesign[];

const readRecording = (name: RecordedDesign): Recording | null =>
  existsSync(fileOf(name)) ? JSON.parse(brotliDecompressSync(readFileSync(fileOf(name))).toString()) : null;

/** Name of a design → what its file was recorded from. */
export const recordedNetlists = (): Record<string, string | undefined> =>
  Object.fromEntries(NAMES.map((name) => [name, readRecording(name)?.identity]));

/** The same, of today's sources and Yosys. */
export const currentNetlists = (): Record<string, string> =>
  Object.fromEntries(NAMES.map((name) => [name, identityOf(RECORDED[name]())]));

/** Synthesises the designs whose files are out of date, and writes these. */
export async function recordNetlists(): Promise<void> {
  const current = currentNetlists();
  for (const name of NAMES.filter((one) => readRecording(one)?.identity !== current[one])) {
    const recording: Recording = { identity: current[name]!, module: await synthesised(RECORDED[name]()) };
    writeFileSync(fileOf(name), brotliCompressSync(JSON.stringify(recording)));
  }
  await closeTools();
}

/**
 * The netlist of a design, as recorded; in `npm run soak` as Yosys makes it now.
 * @throws Error when it was recorded of another source or by another Yosys, or when Yosys makes another one
 */
export async function recordedNetlist(name: RecordedDesign): Promise<Netlist> {
  const source = RECORDED[name]();
  const recording = readRecording(name);
  if (recording?.identity !== identityOf(source))
    throw new Error(`The netlist of ${name} is of another source, or of another Yosys. ${REMEDY}`);
  if (SOAK) {
    const now = await synthesised(source);
    if (JSON.stringify(now) !== JSON.stringify(recording.module))
      throw new Error(`Yosys does not make the netlist of ${name} that was recorded. ${REMEDY}`);
  }
  return netlistOf(recording.module);
}
