import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { loadCatalogue, VIRTUAL_BOARD } from '../../server/boards/catalogue/index.ts';
import { silentLogger } from '../../server/log.ts';
import type { BuildResult } from '../../server/toolchain/build-request.ts';
import { createToolchain } from '../../server/toolchain/index.ts';
import { softCpuSource } from '../support/boards/virtual/soft-cpu.ts';
import { atMost, type Figure, longest, median, reported } from './figure.ts';
import { type BenchDesign, echoDesign, prepareNative } from './native.ts';
import { ownTarget } from './own-target.ts';

/** Runs of each kind, in turns with those that they are compared with. */
const ROUNDS = 3;
const CONCURRENT_BUILDS = 8;

interface Timed {
  result: BuildResult;
  seconds: number;
}

/**
 * Makes a build; another comment makes it another design to the cache.
 * @param target of the clock, MHz: another one makes it another design to place and route
 */
type Build = (design: BenchDesign, comment: number | string, target: number) => Promise<Timed>;

/**
 * Builds from source to bitstream, without programming a board. The echo example: the first in a new toolchain, warm
 * ones, from the cache, several at once. The echo example and a soft CPU: the installed tools for comparison, in turns.
 */
export async function measureToolchain(): Promise<Figure[]> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'wishbench-bench-'));
  const toolchain = createToolchain({ dataDir: folder, logger: silentLogger });
  const board = loadCatalogue().get(VIRTUAL_BOARD)!;
  const build: Build = async ({ source, filename }, comment, target) => {
    const options = { timing_target_mhz: target };
    const request = { source: Buffer.from(`${source}// ${comment}\n`), filename, board, options };
    const began = performance.now();
    const result = await toolchain.build(request, {
      log: () => {},
      progress: () => {},
      started: async () => {},
    });
    return { result, seconds: (performance.now() - began) / 1000 };
  };
  const echo = echoDesign();
  try {
    const target = ownTarget();
    const first = await build(echo, 0, target);
    const ofEcho = await measureWarm('Echo', echo, build, 0.7);
    const hits: number[] = [];
    for (let i = 1; i <= ROUNDS; i++) {
      const { result, seconds } = await build(echo, 0, target);
      if (!result.cached) throw new Error('A build did not come from the cache.');
      hits.push(seconds * 1000);
    }
    const ofCpu = await measureWarm('Soft CPU', softCpuSlave(), build, 1);
    const began = performance.now();
    const together = await Promise.all(
      Array.from({ length: CONCURRENT_BUILDS }, (_, i) => build(echo, 100 + i, ownTarget())),
    );
    const total = (performance.now() - began) / 1000;
    const { slots } = toolchain;
    return [
      atMost('Echo, first build of a new toolchain, one run', first.seconds, 's', 3),
      ...ofEcho,
      atMost('Echo, from the cache', median(hits), 'ms', 60, { runs: hits }),
      ...ofCpu,
      reported(`${CONCURRENT_BUILDS} echoes at once, ${slots.total} slots: the last`, total, 's'),
      reported('  the median', median(together.map(({ seconds }) => seconds)), 's'),
    ];
  } finally {
    await toolchain.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Warm builds in turns with those of the installed tools. @param limit of the one in terms of the other */
async function measureWarm(
  name: string,
  design: BenchDesign,
  build: Build,
  limit: number,
): Promise<Figure[]> {
  const native = await prepareNative(design);
  try {
    const compared = native.isInstalled();
    const warm: Timed[] = [];
    const peers: number[] = [];
    const edited: number[] = [];
    for (let i = 1; i <= ROUNDS; i++) {
      if (compared) peers.push(native.build());
      const target = ownTarget();
      warm.push(await build(design, i, target));
      edited.push((await build(design, `edited ${i}`, target)).seconds);
    }
    const seconds = warm.map((one) => one.seconds);
    const reports = warm.map(({ result }) => result.report);
    const cells = reports[0]?.utilisation.find(({ resource }) => resource === 'logic cell')?.used ?? 0;
    const peak = longest(reports.map((report) => report.peak_memory_bytes ?? 0));
    return [
      ...(compared
        ? [
            reported(`${name}, installed yosys + nextpnr-ice40 + icepack`, median(peers), 's', {
              runs: peers,
            }),
          ]
        : []),
      reported(`${name} (${cells} logic cells), warm build`, median(seconds), 's', { runs: seconds }),
      ...(['scan', 'synthesis', 'place', 'route', 'pack'] as const).map((stage) =>
        reported(`  of which ${stage}`, median(reports.map((report) => report.seconds[stage] ?? 0)), 's'),
      ),
      ...(compared
        ? [atMost(`${name}, warm build against installed tools`, median(seconds) / median(peers), '×', limit)]
        : []),
      reported(`${name}, a comment edited after that`, median(edited), 's', { runs: edited }),
      reported(`${name}, peak memory of the tools of one build`, peak / 2 ** 20, 'MiB'),
    ];
  } finally {
    native.dispose();
  }
}

/** The soft CPU of the virtual board's tests on a bus: its input is written, its results are read. */
function softCpuSlave(): BenchDesign {
  const [cpu = ''] = /^module soft_cpu[\s\S]*?^endmodule$/m.exec(softCpuSource()) ?? [];
  return {
    filename: 'soft_cpu.v',
    source: `${cpu}
module soft_cpu_slave (
  input clk, input rst,
  input wb_cyc, input wb_stb, input wb_we, input [31:0] wb_adr, input [31:0] wb_dat_w,
  output [31:0] wb_dat_r, output reg wb_ack
);
  reg [15:0] in = 0;
  wire [31:0] signature;
  wire flag;
  soft_cpu cpu (.clk(clk), .in(in), .signature(signature), .flag(flag));
  assign wb_dat_r = wb_adr[2] ? {31'b0, flag} : signature;
  always @(posedge clk) begin
    wb_ack <= wb_cyc & wb_stb & ~wb_ack & ~rst;
    if (wb_cyc & wb_stb & wb_we) in <= wb_dat_w[15:0];
  end
endmodule
`,
  };
}
