import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { loadCatalogue, VIRTUAL_BOARD } from '../../server/boards/catalogue/index.ts';
import { silentLogger } from '../../server/log.ts';
import { resourcePath } from '../../server/paths.ts';
import { createToolchain } from '../../server/toolchain/index.ts';
import type { BuildResult } from '../../server/toolchain/toolchain.ts';
import { atMost, type Figure, median, reported } from './figure.ts';
import { measureNative } from './native.ts';

const WARM_BUILDS = 5;
const CONCURRENT_BUILDS = 8;

/**
 * Builds of the echo example from source to bitstream, without the programming of a board: the first in a new
 * toolchain, warm ones, from the cache, many at once, and what the installed tools take for the same.
 */
export async function measureToolchain(): Promise<Figure[]> {
  const native = await measureNative();
  const folder = mkdtempSync(path.join(os.tmpdir(), 'wishbench-bench-'));
  const toolchain = createToolchain({ dataDir: folder, logger: silentLogger });
  const source = readFileSync(resourcePath('examples', 'echo.v'), 'utf8');
  const board = loadCatalogue().get(VIRTUAL_BOARD)!;
  /** Another comment makes it another design to the cache. */
  const build = async (comment: number): Promise<{ result: BuildResult; seconds: number }> => {
    const request = {
      source: Buffer.from(`${source}// ${comment}\n`),
      filename: 'echo.v',
      board,
      options: {},
    };
    const began = performance.now();
    const result = await toolchain.build(request, {
      log: () => {},
      progress: () => {},
      started: async () => {},
    });
    return { result, seconds: (performance.now() - began) / 1000 };
  };
  try {
    const first = await build(0);
    const warm: Awaited<ReturnType<typeof build>>[] = [];
    for (let i = 1; i <= WARM_BUILDS; i++) warm.push(await build(i));
    const warmSeconds = median(warm.map(({ seconds }) => seconds));
    const hits: typeof warm = [];
    for (let i = 1; i <= WARM_BUILDS; i++) hits.push(await build(i));
    if (hits.some(({ result }) => !result.cached)) throw new Error('A build did not come from the cache.');
    const began = performance.now();
    await Promise.all(Array.from({ length: CONCURRENT_BUILDS }, (_, i) => build(100 + i)));
    const together = (performance.now() - began) / 1000;
    const peak = Math.max(...warm.map(({ result }) => result.report.peak_memory_bytes ?? 0));
    const stages = (['scan', 'synthesis', 'place', 'route', 'pack'] as const).map((stage) =>
      reported(
        `  of which ${stage}`,
        median(warm.map(({ result }) => result.report.seconds[stage] ?? 0)),
        's',
      ),
    );
    return [
      ...(native === null ? [] : [reported('Echo, installed yosys + nextpnr-ice40 + icepack', native, 's')]),
      atMost('Echo, first build of a new toolchain', first.seconds, 's', 8),
      reported('Echo, warm build', warmSeconds, 's'),
      ...stages,
      ...(native === null
        ? []
        : [atMost('Echo, warm build against installed tools', warmSeconds / native, '×', 2.5)]),
      atMost('Echo, from the cache', median(hits.map(({ seconds }) => seconds)) * 1000, 'ms', 300),
      reported(`${CONCURRENT_BUILDS} builds at once, ${toolchain.slots.total} slots`, together, 's'),
      reported('Peak memory of the tools of one build', peak / 2 ** 20, 'MiB'),
    ];
  } finally {
    await toolchain.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
