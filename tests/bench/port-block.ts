import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { loadCatalogue, VIRTUAL_BOARD } from '../../server/boards/catalogue/index.ts';
import { silentLogger } from '../../server/log.ts';
import { resourcePath } from '../../server/paths.ts';
import { createToolchain } from '../../server/toolchain/index.ts';
import type { Toolchain } from '../../server/toolchain/toolchain.ts';
import { atMost, type Figure, median, reported } from './figure.ts';
import { lanesSource } from './floorplan.ts';

const PAIRS = 3;
/** 16 bits in and 16 out, which go straight through: all that they cost is the port block. */
const PORTS = 'input wire [15:0] sw, output wire [15:0] led,';
const THROUGH = 'assign led = sw;';
/** Lanes of 32 cells: with the bench they fill half of an HX8K. */
const HALF = 95;

interface Costs {
  /** Seconds of the processor, of this process with all its threads. */
  processor: number;
  /** Seconds of all stages, and of reading names and places beside the last. */
  whole: number;
  symbols: number;
  cells: number;
}

/** @param mark makes it a design of its own, so that nothing comes from the cache */
async function build(toolchain: Toolchain, source: string, mark: string): Promise<Costs> {
  const board = loadCatalogue().get(VIRTUAL_BOARD);
  if (!board) throw new Error('The catalogue has no virtual board.');
  const before = process.cpuUsage();
  let symbols = Number.NaN;
  const { report } = await toolchain.build(
    { source: Buffer.from(`${source}// ${mark}\n`), filename: 'design.v', board, options: {} },
    {
      started: async () => {},
      progress() {},
      log(_, line) {
        const [, read] = /names and places were read in ([\d.]+) s/.exec(line) ?? [];
        if (read !== undefined) symbols = Number(read);
      },
    },
  );
  const { user, system } = process.cpuUsage(before);
  const whole = Object.values(report.seconds).reduce((sum, one) => sum + one, 0);
  const cells = report.utilisation.find(({ resource }) => resource === 'logic cell')?.used ?? Number.NaN;
  return { processor: (user + system) / 1e6, whole, symbols, cells };
}

/**
 * What ports beside the bus, and keeping names and places, cost a build: the same design with and without ports, in turns,
 * in processor time, which a busy machine does not change much. Of a design with hardly a cell of its own the port block is
 * a good part; the target is for one that fills half of the chip.
 */
export async function measurePortBlock(): Promise<Figure[]> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'wishbench-bench-ports-'));
  const toolchain = createToolchain({ dataDir: folder, logger: silentLogger, engine: 'embedded' });
  const echo = readFileSync(resourcePath('examples', 'echo.v'), 'utf8');
  const pairs = async (plain: string, ports: string) => {
    const times: [Costs, Costs][] = [];
    for (let k = 0; k < PAIRS; k++)
      times.push([await build(toolchain, plain, `${k}`), await build(toolchain, ports, `${k}`)]);
    const share = (of: (pair: [Costs, Costs]) => number) => 100 * median(times.map(of));
    return {
      cells: times[0]?.[0].cells ?? Number.NaN,
      more: share(([without, having]) => having.processor / without.processor - 1),
      kept: share(([, having]) => having.symbols / having.whole),
    };
  };
  try {
    await build(toolchain, echo, 'first');
    const small = await pairs(
      echo,
      echo.replace('module echo (', `module echo (${PORTS}`).replace('endmodule', `  ${THROUGH}\nendmodule`),
    );
    const half = await pairs(lanesSource(HALF), lanesSource(HALF, PORTS, THROUGH));
    return [
      reported('port block of 16 + 16 bits, processor time of a build of the echo memory', small.more, '%'),
      reported('the same: names and places read, beside packing, of its time', small.kept, '%'),
      reported('logic cells of a design that fills half of an HX8K', half.cells, ''),
      atMost('port block of 16 + 16 bits, processor time of its build', half.more, '%', 5),
      atMost('the same: names and places read, beside packing, of its time', half.kept, '%', 5),
    ];
  } finally {
    await toolchain.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
