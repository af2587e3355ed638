import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { appRoot } from '../../server/paths.ts';
import type { Figure } from './figure.ts';

/** Areas in the order in which they are measured, each a module with one measuring function. */
const AREAS: Record<string, () => Promise<Figure[]>> = {
  fabric: async () => (await import('./fabric.ts')).measureFabric(),
  toolchain: async () => (await import('./toolchain.ts')).measureToolchain(),
  service: async () => {
    const native = (await import('./native.ts')).measureNative();
    return (await import('./service.ts')).measureService(await native);
  },
  link: async () => (await import('./link.ts')).measureLink(),
  boards: async () => (await import('./boards.ts')).measureBoards(),
  gui: async () => (await import('./gui.ts')).measureGui(),
};

const number = (value: number): string =>
  !Number.isFinite(value) ? '–' : value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2);

function table(area: string, figures: Figure[]): string {
  const rows = figures.map((figure) => [
    figure.name,
    `${number(figure.value)} ${figure.unit}`,
    figure.target,
    figure.target === '' ? '' : figure.met ? 'met' : 'MISSED',
  ]);
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => (row[column] ?? '').length), 0));
  const line = (row: string[]) =>
    row
      .map((cell, column) => (column === 1 ? cell.padStart(widths[1]!) : cell.padEnd(widths[column]!)))
      .join('   ')
      .trimEnd();
  return `\n${area}\n${rows.map((row) => `  ${line(row)}`).join('\n')}\n`;
}

/**
 * `npm run bench [-- area…]`: measures on this machine, prints tables, and writes the same as JSON to
 * release/bench.json (or the file that WISHBENCH_BENCH_JSON names).
 */
export default async function bench(args: string[]): Promise<number> {
  const wanted = args.length > 0 ? args : Object.keys(AREAS);
  const unknown = wanted.filter((area) => AREAS[area] === undefined);
  if (unknown.length > 0) {
    process.stderr.write(`No such area: ${unknown.join(', ')}. Areas: ${Object.keys(AREAS).join(', ')}.\n`);
    return 2;
  }
  const cpu = os.cpus()[0]?.model.trim() ?? 'unknown CPU';
  const machine = `${os.cpus().length} × ${cpu}, ${(os.totalmem() / 2 ** 30).toFixed(0)} GiB, Node ${process.version}, ${os.platform()} ${os.release()}`;
  process.stdout.write(`${machine}\n`);
  const result: Record<string, Figure[]> = {};
  for (const area of wanted) {
    const figures = await AREAS[area]!();
    result[area] = figures;
    process.stdout.write(table(area, figures));
  }
  const file = process.env.WISHBENCH_BENCH_JSON ?? path.join(appRoot, 'release', 'bench.json');
  if (!existsSync(path.dirname(file))) mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(
    file,
    `${JSON.stringify({ machine, measured: new Date().toISOString(), figures: result }, null, 2)}\n`,
  );
  const missed = Object.values(result)
    .flat()
    .filter((figure) => !figure.met);
  process.stdout.write(
    `\n${missed.length === 0 ? 'Every target is met.' : `${missed.length} target(s) missed.`} JSON: ${file}\n`,
  );
  return 0;
}
