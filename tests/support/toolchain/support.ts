import type { BoardDefinition } from '../../../server/boards/definition.ts';
import { systemClock } from '../../../server/clock.ts';
import { DEFAULT_SETTINGS } from '../../../server/contract/bench/settings.ts';
import type { SubmitOptions } from '../../../server/contract/jobs/jobs.ts';
import { silentLogger } from '../../../server/log.ts';
import type { BuildRequest, ToolContext } from '../../../server/toolchain/build-request.ts';
import { createEmbeddedEngine } from '../../../server/toolchain/engines/embedded/embedded-engine.ts';
import { type DesignScan, scanDesignSources } from '../../../server/toolchain/frontends/scan.ts';
import { prepareDesign } from '../../../server/toolchain/intake/design.ts';
import type { ToolEngine } from '../../../server/toolchain/tool-engine.ts';
import { forkWithStoredRuns } from './stored-runs.ts';

/** Defaults of an engine for tests. */
export const engineOptions = {
  logger: silentLogger,
  clock: systemClock,
  memoryLimit: DEFAULT_SETTINGS.toolchain.memory_bytes,
};

/** The same, with stored runs of the tools. */
export const storedRuns = { ...engineOptions, forkTools: forkWithStoredRuns };

const embedded = createEmbeddedEngine(storedRuns);

/**
 * Yosys from compiled code, without limits between a test and the tool: however busy the machine is, it has enough
 * time.
 */
export const plainYosys: ToolEngine = {
  ...embedded,
  run: (request) => embedded.run({ ...request, deadline: 300 }),
};

const board = {
  id: 'virtual-hx8k',
  fpga: { family: 'ice40', part: 'hx8k', package: 'ct256' },
} as BoardDefinition;

const requestFor = (
  source: string | Uint8Array,
  filename = 'design.v',
  options: SubmitOptions = {},
): BuildRequest => ({
  source: typeof source === 'string' ? new TextEncoder().encode(source) : source,
  filename,
  board,
  options,
});

/** A context that keeps the lines of the log. */
function recording(): ToolContext & { lines: string[] } {
  const lines: string[] = [];
  return { lines, log: (_, line) => lines.push(line), progress: () => {} };
}

/** Scans a source with the real Yosys. */
export async function scanText(
  source: string | Uint8Array,
  filename = 'design.v',
  options: SubmitOptions = {},
  engine: ToolEngine = plainYosys,
): Promise<DesignScan & { log: string[] }> {
  const context = recording();
  const request = requestFor(source, filename, options);
  const { design } = await prepareDesign(request);
  const scan = await scanDesignSources(design, request, engine, context);
  return { ...scan, log: context.lines };
}
