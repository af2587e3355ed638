import { mkdirSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { appRoot } from '../../server/paths.ts';
import { type Area, measureAreas, mergeRuns, table, verdict } from './areas.ts';
import { compareRuns, readStoredRun } from './compare.ts';

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
  tasks: async () => (await import('./gui-tasks.ts')).measureTasks(),
  draft: async () => (await import('./draft.ts')).measureDraft(),
};

/** Outputs of the report: the tables, and errors of the command itself. */
interface BenchOutput {
  write(text: string): void;
  warn(text: string): void;
}

/** The command's options. */
interface Request {
  areas: string[];
  /** Number of measurements of each area. All areas take turns, so that a slow minute does not affect one area only. */
  runs: number;
  against: string | undefined;
}

/** @throws Error with a sentence for the person */
function parseRequest(args: string[], known: readonly string[]): Request {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { runs: { type: 'string', default: '1' }, against: { type: 'string' } },
  });
  const unknown = positionals.filter((area) => !known.includes(area));
  if (unknown.length > 0) throw new Error(`No such area: ${unknown.join(', ')}. Areas: ${known.join(', ')}.`);
  const runs = Number(values.runs);
  if (!Number.isInteger(runs) || runs < 1 || runs > 20) throw new Error('--runs is a number from 1 to 20.');
  return { areas: positionals.length > 0 ? positionals : [...known], runs, against: values.against };
}

/**
 * `npm run bench [-- area… --runs N --against FILE]`: measures on this machine, prints tables, and writes the same as
 * JSON to release/bench.json (or the file that WISHBENCH_BENCH_JSON names). With --against it compares with the JSON
 * of an earlier run.
 * Resolves with the exit code: 1 when an area could not be measured or a figure is worse than in the earlier run, 2 when
 * the arguments are wrong.
 */
export default async function bench(
  args: string[],
  areas: Record<string, Area> = AREAS,
  output: BenchOutput = {
    write: (text) => process.stdout.write(text),
    warn: (text) => process.stderr.write(text),
  },
): Promise<number> {
  let request: Request;
  let before: ReturnType<typeof readStoredRun> | undefined;
  try {
    request = parseRequest(args, Object.keys(areas));
    before = request.against === undefined ? undefined : readStoredRun(request.against);
  } catch (error) {
    output.warn(`${error instanceof Error ? error.message : String(error)}\n`);
    return 2;
  }
  const cpu = os.cpus()[0]?.model.trim() ?? 'unknown CPU';
  const machine = `${os.cpus().length} × ${cpu}, ${(os.totalmem() / 2 ** 30).toFixed(0)} GiB, Node ${process.version}, ${os.platform()} ${os.release()}`;
  output.write(`${machine}\n`);
  const chosen = Object.fromEntries(Object.entries(areas).filter(([area]) => request.areas.includes(area)));
  const runs = [];
  for (let run = 0; run < request.runs; run++) runs.push(await measureAreas(chosen, output.write));
  const measured = mergeRuns(runs);
  if (runs.length > 1)
    for (const [area, figures] of Object.entries(measured.figures)) output.write(table(area, figures));
  const file = process.env['WISHBENCH_BENCH_JSON'] ?? path.join(appRoot, 'release', 'bench.json');
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(
    file,
    `${JSON.stringify({ machine, measured: new Date().toISOString(), ...measured }, null, 2)}\n`,
  );
  const comparison = before && compareRuns(before, measured.figures);
  if (comparison) output.write(comparison.text);
  output.write(`\n${verdict(measured)} JSON: ${file}\n`);
  return Object.keys(measured.failures).length > 0 || (comparison && comparison.worse > 0) ? 1 : 0;
}
