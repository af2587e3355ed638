import { mkdtemp, readdir, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../../../server/clock.ts';
import type { BuildReport } from '../../../../server/contract/designs/uploads.ts';
import type { Floorplan, PlacedCell } from '../../../../server/contract/signals/floorplan.ts';
import { silentLogger } from '../../../../server/log.ts';
import { decodeFloorplan } from '../../../../server/symbols/floorplan/encode.ts';
import { BuildCache } from '../../../../server/toolchain/cache/build-cache.ts';
import { keepBuilt } from '../../../support/built.ts';
import { LAYERED } from '../../../support/layered-design.ts';

let dataDir: string;
let plan: Floorplan;
let report: BuildReport;

beforeAll(async () => {
  dataDir = await mkdtemp(path.join(os.tmpdir(), 'wishbench-floorplan-'));
  await keepBuilt(dataDir, [LAYERED]);
  const [id = ''] = await readdir(path.join(dataDir, 'builds'));
  const build = await new BuildCache(path.join(dataDir, 'builds'), 1e9, silentLogger, systemClock).get(id);
  plan = decodeFloorplan(build!.floorplan!)!;
  report = build!.report!;
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

const moduleOf = ({ module }: PlacedCell) => plan.modules[module]!;
const lines = LAYERED.source.split('\n');
const row = (resource: string) => report.utilisation.find((one) => one.resource === resource)!;
const count = (wanted: (cell: PlacedCell) => boolean) => plan.cells.filter(wanted).length;

describe('the floorplan of a build', () => {
  test('has every cell of the chip once, in a tile of its kind', () => {
    expect(plan.part).toBe('hx8k-ct256');
    expect([plan.tiles.length, plan.tiles[0]?.length]).toEqual([34, 34]);
    expect(count(({ kind }) => kind === 'logic')).toBe(row('logic cell').used);
    expect(count(({ kind }) => kind === 'ram')).toBe(row('BRAM').used);
    expect(count(({ kind }) => kind === 'io')).toBe(row('IO').used);
    expect(count(({ kind }) => kind === 'buffer')).toBe(row('global buffer').used);
    const places = plan.cells.map(({ kind, x, y, z }) => `${kind} ${x} ${y} ${z}`);
    expect(new Set(places).size).toBe(places.length);
    const letters = { logic: 'L', ram: 'R', io: 'I', buffer: 'I' } as Record<string, string>;
    for (const { kind, x, y } of plan.cells) expect(plan.tiles[y]?.[x]).toBe(letters[kind]);
  });

  test('lists each module with its resources', () => {
    const own = plan.modules.filter(({ whose }) => whose === 'design');
    expect(own.map(({ path: at, module }) => [at, module])).toEqual([
      ['', 'layered'],
      ['fold', 'slow'],
      ['one', 'adder'],
      ['two', 'adder'],
    ]);
    const [top, fold, one, two] = own;
    expect(top?.ram).toBe(1);
    // Sixteen registers each, as the source has them, and a carry chain for each sum.
    expect([one?.ff, two?.ff, fold?.ff]).toEqual([16, 16, 16]);
    expect(one?.carry).toBeGreaterThanOrEqual(14);
    expect(fold?.lut).toBeGreaterThanOrEqual(3 * 15);
    expect(lines[(one?.line ?? 0) - 1]).toContain('module adder');
    for (const field of ['cells', 'ff', 'lut', 'carry', 'ram'] as const) {
      const sum = plan.modules.reduce((all, module) => all + module[field], 0);
      const cells = plan.cells.filter(({ kind, parts }) =>
        field === 'cells' ? true : field === 'ram' ? kind === 'ram' : parts?.includes(field),
      );
      expect(sum).toBe(cells.length);
    }
  });

  test('names the design’s registers as in the source, with their declaration line', () => {
    // Registers that synthesis has put around the memory are none of the source.
    const registers = plan.cells.filter(
      (cell) => moduleOf(cell).whose === 'design' && cell.parts?.includes('ff') && !cell.between,
    );
    expect(registers.length).toBeGreaterThan(80);
    for (const { name, line, file } of registers) {
      const base = name.replace(/\[\d+\]$/, '');
      expect(plan.files[file ?? -1]).toBe('layered.v');
      expect(lines[(line ?? 0) - 1], `${name} in line ${line}`).toMatch(new RegExp(`\\b${base}\\b`));
    }
    const sums = registers.filter((cell) => moduleOf(cell).path === 'two').map(({ name }) => name);
    expect(sums.sort()).toEqual(Array.from({ length: 16 }, (_, bit) => `sum[${bit}]`).sort());
  });

  test('marks the bench’s own cells and names no design files for them', () => {
    const bench = plan.cells.filter((cell) => moduleOf(cell).whose === 'bench');
    expect(bench.length).toBeGreaterThan(300);
    for (const { file } of bench) expect(file).toBeUndefined();
    const paths = plan.modules.filter(({ whose }) => whose === 'bench').map(({ path: at }) => at);
    expect(paths).toEqual(expect.arrayContaining(['bridge', 'fifo', 'receiver', 'user']));
  });

  test('has the cells along the slowest paths, with the design’s path through the slow module', () => {
    const { all, design } = plan.paths;
    expect(all.length).toBeGreaterThan(2);
    expect(design.length).toBeGreaterThan(4);
    const modules = design.map((cell) => moduleOf(plan.cells[cell]!).path);
    expect(modules).toContain('fold');
  });
});

describe('the report of a build', () => {
  test('separates the design from the bench in every resource', () => {
    const designs = Object.fromEntries(report.utilisation.map(({ resource, design }) => [resource, design]));
    const own = plan.modules.filter(({ whose }) => whose === 'design');
    const sum = (field: 'ff' | 'carry') => own.reduce((all, one) => all + one[field], 0);
    expect(designs['FF']).toBe(sum('ff'));
    expect(designs['BRAM']).toBe(1);
    expect(designs['logic cell']).toBe(
      count((cell) => cell.kind === 'logic' && moduleOf(cell).whose === 'design'),
    );
    expect(designs).toMatchObject({ IO: 0, PLL: 0 });
    for (const { used, design } of report.utilisation) {
      expect(design).toBeGreaterThanOrEqual(0);
      expect(design).toBeLessThanOrEqual(used);
    }
  });

  test('has the slowest path of the design, whose delays sum to its own clock period', () => {
    const { fmax_mhz: fmax, critical_path: steps } = report.timing.design!;
    expect(fmax).toBeGreaterThanOrEqual(report.timing.fmax_mhz!);
    const period = steps.reduce((sum, { delay_ns: delay }) => sum + delay, 0);
    expect(1000 / period).toBeCloseTo(fmax!, 0);
    expect([steps[0]?.type, steps.at(-1)?.type]).toEqual(['clk-to-q', 'setup']);
    expect(steps.map(({ to }) => to).join(' ')).toContain('fold.');
  });
});

test.each([new Uint8Array(), Uint8Array.of(1, 2, 3), Buffer.from('{}')])(
  'invalid floorplan data decodes to null',
  (bytes) => {
    expect(decodeFloorplan(bytes)).toBeNull();
  },
);
