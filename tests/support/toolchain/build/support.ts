import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { loadCatalogue } from '../../../../server/boards/catalogue/index.ts';
import type { Stage, SubmitOptions } from '../../../../server/contract/jobs/jobs.ts';
import type { BuildEstimate } from '../../../../server/contract/jobs/utilisation.ts';
import type { BenchError } from '../../../../server/errors/bench-error.ts';
import { silentLogger } from '../../../../server/log.ts';
import { resourcePath } from '../../../../server/paths.ts';
import type { BuildContext, BuildRequest, BuildResult } from '../../../../server/toolchain/build-request.ts';
import { createToolchain, type ToolchainOptions } from '../../../../server/toolchain/index.ts';
import type { Toolchain } from '../../../../server/toolchain/toolchain.ts';
import { forkWithStoredRuns } from '../stored-runs.ts';

const catalogue = loadCatalogue();

export const example = (name: string): string => readFileSync(resourcePath('examples', name), 'utf8');

export const requestOf = (
  source: string | Uint8Array,
  filename = 'design.v',
  options: SubmitOptions = {},
  board = 'virtual-hx8k',
): BuildRequest => ({
  source: typeof source === 'string' ? Buffer.from(source) : source,
  filename,
  board: catalogue.get(board)!,
  options,
});

export interface Recording extends BuildContext {
  lines: { stage: Stage; line: string }[];
  progressed: { stage: Stage; fraction: number }[];
  /** With how many lines were in the log. */
  estimates: { estimate: BuildEstimate; lines: number }[];
  starts: number;
  text(): string;
}

export function record(signal?: AbortSignal): Recording {
  const recording: Recording = {
    lines: [],
    progressed: [],
    estimates: [],
    starts: 0,
    log: (stage, line) => recording.lines.push({ stage, line }),
    progress: (stage, fraction) => recording.progressed.push({ stage, fraction }),
    estimated: (estimate) => recording.estimates.push({ estimate, lines: recording.lines.length }),
    async started() {
      recording.starts++;
    },
    text: () => recording.lines.map(({ line }) => line).join('\n'),
  };
  if (signal) recording.signal = signal;
  return recording;
}

/** A toolchain with a data folder of its own and stored runs of its tools; `dispose` ends it and removes the folder. */
export function freshToolchain(options: Partial<ToolchainOptions> = {}): {
  toolchain: Toolchain;
  folder: string;
  dispose(): Promise<void>;
} {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'wishbench-toolchain-'));
  const toolchain = createToolchain({
    dataDir: folder,
    logger: silentLogger,
    forkTools: forkWithStoredRuns,
    ...options,
  });
  return {
    toolchain,
    folder,
    async dispose() {
      await toolchain.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The output of a build until its synthesis has ended, where it is aborted: for tests without place and route. */
export async function synthesised(toolchain: Toolchain, request: BuildRequest): Promise<Recording> {
  const stop = new AbortController();
  const context = record(stop.signal);
  const { progress } = context;
  context.progress = (stage, fraction) => {
    progress(stage, fraction);
    if (stage === 'synthesis' && fraction === 1) stop.abort();
  };
  const { code, message } = await refusal(toolchain.build(request, context));
  if (code !== 'build_aborted') throw new Error(message);
  return context;
}

/** The error with which a build fails. */
export const refusal = (build: Promise<BuildResult>): Promise<BenchError> =>
  build.then(
    () => {
      throw new Error('The build was expected to fail.');
    },
    (error: BenchError) => error,
  );

/** A slave of the contract around a body that drives `wb_dat_r`. */
export const slave = (body: string): string => `module design(
  input clk, input rst, input wb_cyc, input wb_stb, input wb_we, input [29:0] wb_adr,
  input [31:0] wb_dat_w, input [3:0] wb_sel, output [31:0] wb_dat_r, output reg wb_ack);
  always @(posedge clk) wb_ack <= wb_cyc & wb_stb & ~wb_ack;
${body}
endmodule
`;
