import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { loadCatalogue, VIRTUAL_BOARD } from '../../server/boards/catalogue/index.ts';
import { silentLogger } from '../../server/log.ts';
import { resourcePath } from '../../server/paths.ts';
import { createToolchain } from '../../server/toolchain/index.ts';
import type { Toolchain } from '../../server/toolchain/toolchain.ts';
import { atMost, type Figure, reported } from './figure.ts';
import { lanesSource } from './floorplan.ts';
import { ownTarget } from './own-target.ts';

/** Builds of the echo memory with ports and without. */
const PAIRS = 3;
/** 16 bits in and 16 out, connected directly: their whole cost is the port block. */
const PORTS = 'input wire [15:0] sw, output wire [15:0] led,';
const THROUGH = 'assign led = sw;';
/**
 * Lanes of 32 cells: with the bench they fill a third to two thirds of an HX8K. The time of place and route of one
 * design means nothing, because chance placement changes it by more than ten per cent.
 */
const LANES = [57, 76, 95, 114, 133];

interface Costs {
  /** Seconds of the processor, of this process with all its threads. */
  processor: number;
  /** Seconds of all stages, and of reading names and places after the last. */
  whole: number;
  symbols: number;
  cells: number;
}

/** @param mark makes it a new design, so that nothing comes from the cache */
async function build(toolchain: Toolchain, source: string, mark: string): Promise<Costs> {
  const board = loadCatalogue().get(VIRTUAL_BOARD);
  if (!board) throw new Error('The catalogue has no virtual board.');
  const before = process.cpuUsage();
  let symbols = Number.NaN;
  const { report } = await toolchain.build(
    {
      source: Buffer.from(`${source}// ${mark}\n`),
      filename: 'design.v',
      board,
      options: { timing_target_mhz: ownTarget() },
    },
    {
      started: async () => {},
      progress() {},
      log(_, line) {
        const [, read] = /signal names and placement read in ([\d.]+) s/.exec(line) ?? [];
        if (read !== undefined) symbols = Number(read);
      },
    },
  );
  const { user, system } = process.cpuUsage(before);
  const whole = Object.values(report.seconds).reduce((sum, one) => sum + one, 0);
  const cells = report.utilisation.find(({ resource }) => resource === 'logic cell')?.used ?? Number.NaN;
  return { processor: (user + system) / 1e6, whole, symbols, cells };
}

interface Pair {
  without: Costs;
  having: Costs;
}

const sum = (pairs: readonly Pair[], of: (pair: Pair) => number) =>
  pairs.reduce((total, pair) => total + of(pair), 0);

/** Extra time of all pairs with ports, as a share of the time without, per cent. */
const more = (pairs: readonly Pair[], of: (costs: Costs) => number) =>
  100 * (sum(pairs, ({ having }) => of(having)) / sum(pairs, ({ without }) => of(without)) - 1);

/** Share of reading names and places in all stages of all pairs, per cent. */
const kept = (pairs: readonly Pair[]) =>
  (100 * sum(pairs, ({ having }) => having.symbols)) / sum(pairs, ({ having }) => having.whole);

/**
 * The cost of ports outside the bus, and of names and places, to a build: the same designs with and without ports, in
 * turns, in processor time, which a busy machine hardly changes. In a design with few cells the port block is a large
 * part; the target is for designs that fill about half of the chip.
 */
export async function measurePortBlock(): Promise<Figure[]> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'wishbench-bench-ports-'));
  const toolchain = createToolchain({ dataDir: folder, logger: silentLogger });
  const echo = readFileSync(resourcePath('examples', 'echo.v'), 'utf8');
  const ported = echo
    .replace('module echo (', `module echo (${PORTS}`)
    .replace('endmodule', `  ${THROUGH}\nendmodule`);
  const pair = async (plain: string, ports: string, mark: string): Promise<Pair> => ({
    without: await build(toolchain, plain, mark),
    having: await build(toolchain, ports, mark),
  });
  try {
    await build(toolchain, echo, 'first');
    const small: Pair[] = [];
    for (let k = 0; k < PAIRS; k++) small.push(await pair(echo, ported, `${k}`));
    const half: Pair[] = [];
    for (const lanes of LANES)
      half.push(await pair(lanesSource(lanes), lanesSource(lanes, PORTS, THROUGH), `${lanes}`));
    const each = half.map((one) => more([one], ({ processor }) => processor));
    const cells = half.map(({ without }) => without.cells);
    return [
      reported(
        'port block of 16 + 16 bits, processor time of a build of the echo memory',
        more(small, ({ processor }) => processor),
        '%',
      ),
      reported(
        'the same: logic cells',
        more(small, (costs) => costs.cells),
        '%',
      ),
      reported('the same: names and places read, beside packing, of its time', kept(small), '%'),
      reported(
        `logic cells of the least of ${LANES.length} designs about half of an HX8K`,
        Math.min(...cells),
        '',
      ),
      reported('the same: of the largest', Math.max(...cells), ''),
      atMost(
        'port block of 16 + 16 bits, processor time of their builds',
        more(half, ({ processor }) => processor),
        '%',
        5,
      ),
      reported(
        'the same: logic cells',
        more(half, (costs) => costs.cells),
        '%',
      ),
      reported('the same: processor time, the luckiest placement', Math.min(...each), '%'),
      reported('the same: processor time, the unluckiest placement', Math.max(...each), '%'),
      atMost('the same: names and places read, beside packing, of their time', kept(half), '%', 5),
    ];
  } finally {
    await toolchain.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
