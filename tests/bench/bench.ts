import { mkdirSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { appRoot } from '../../server/paths.ts';
import { type Area, measureAreas, verdict } from './areas.ts';

/** Areas in the order in which they are measured, each a module with one measuring function. */
const AREAS: Record<string, Area> = {
  fabric: async () => (await import('./fabric.ts')).measureFabric(),
  toolchain: async () => (await import('./toolchain.ts')).measureToolchain(),
  service: async () => {
    const native = (await import('./native.ts')).measureNative();
    return (await import('./service.ts')).measureService(await native);
  },
  link: async () => (await import('./link.ts')).measureLink(),
  clients: async () => {
    const node = await (await import('./clients.ts')).measureClients();
    return [...node, ...(await (await import('./clients-python.ts')).measurePythonClient())];
  },
  boards: async () => (await import('./boards.ts')).measureBoards(),
  pins: async () => [
    ...(await (await import('./pins.ts')).measurePins()),
    ...(await (await import('./port-block.ts')).measurePortBlock()),
    ...(await (await import('./recording-cost.ts')).measureRecordingCost()),
  ],
  waves: async () => [
    ...(await (await import('./waves.ts')).measureWaves()),
    ...(await (await import('./capture-core.ts')).measureCaptureCore()),
  ],
  floorplan: async () => (await import('./floorplan.ts')).measureFloorplan(),
  farm: async () => (await import('./farm.ts')).measureFarm(),
  gui: async () => (await import('./gui.ts')).measureGui(),
};

/** Where the report goes: the tables, and what is wrong with the command itself. */
interface BenchOutput {
  write(text: string): void;
  warn(text: string): void;
}

/**
 * `npm run bench [-- area…]`: measures on this machine, prints tables, and writes the same as JSON to
 * release/bench.json (or the file that WISHBENCH_BENCH_JSON names).
 * Resolves with the exit code: 1 when an area could not be measured, 2 when there is none of a name.
 */
export default async function bench(
  args: string[],
  areas: Record<string, Area> = AREAS,
  output: BenchOutput = {
    write: (text) => process.stdout.write(text),
    warn: (text) => process.stderr.write(text),
  },
): Promise<number> {
  const wanted = args.length > 0 ? args : Object.keys(areas);
  const unknown = wanted.filter((area) => areas[area] === undefined);
  if (unknown.length > 0) {
    output.warn(`No such area: ${unknown.join(', ')}. Areas: ${Object.keys(areas).join(', ')}.\n`);
    return 2;
  }
  const cpu = os.cpus()[0]?.model.trim() ?? 'unknown CPU';
  const machine = `${os.cpus().length} × ${cpu}, ${(os.totalmem() / 2 ** 30).toFixed(0)} GiB, Node ${process.version}, ${os.platform()} ${os.release()}`;
  output.write(`${machine}\n`);
  const chosen = Object.fromEntries(Object.entries(areas).filter(([area]) => wanted.includes(area)));
  const measured = await measureAreas(chosen, output.write);
  const file = process.env['WISHBENCH_BENCH_JSON'] ?? path.join(appRoot, 'release', 'bench.json');
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(
    file,
    `${JSON.stringify({ machine, measured: new Date().toISOString(), ...measured }, null, 2)}\n`,
  );
  output.write(`\n${verdict(measured)} JSON: ${file}\n`);
  return Object.keys(measured.failures).length > 0 ? 1 : 0;
}
