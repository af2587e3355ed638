import { constraintsOf } from '../../boards/catalogue/index.ts';
import type { BoardDefinition } from '../../boards/definition.ts';
import type { Clock } from '../../clock.ts';
import { plural } from '../../text.ts';
import type { BuildContext, BuildRequest } from '../build-request.ts';
import type { BuildCache } from '../cache/build-cache.ts';
import type { PreparedDesign } from '../intake/prepared-design.ts';
import type { Slots } from '../slots.ts';
import type { ToolEngine } from '../tool-engine.ts';
import { baseGatesHash } from './ahead/base-gates.ts';
import { buildId } from './build-id.ts';
import type { BuildPlan } from './build-plan.ts';
import { scanEarly, waitForSlot } from './early-scan.ts';
import { gatewareHash } from './gateware.ts';
import type { InstalledTools } from './installed-tools.ts';
import { PlacedBefore } from './placed-before.ts';
import { buildBaseSoc, type FinishedBuild, runBuild } from './run-build.ts';
import type { ScanLanes } from './scan-lanes.ts';

/** What builds on this machine share. */
export interface BuildsHereOptions {
  tools: InstalledTools;
  slots: Slots;
  scans: ScanLanes;
  cache: BuildCache;
  /** Time limit of one run of a tool, seconds. */
  stageDeadline: number;
  clock: Clock;
}

/** Inputs of one build. */
interface Making {
  request: BuildRequest;
  source: PreparedDesign;
  id: string;
  constraints: string;
  engine: ToolEngine;
  versions: Record<string, string>;
}

/** Computes a build's id, with the constraints that enter it. */
export async function identify(
  request: BuildRequest,
  digest: string,
  engine: ToolEngine['name'],
  versions: Record<string, string>,
): Promise<{ id: string; constraints: string }> {
  const constraints = constraintsOf(request.board);
  const [gateware, ahead] = await Promise.all([gatewareHash(), baseGatesHash(request.board)]);
  const tools = { engine, ...versions };
  return { id: buildId({ request, digest, constraints, gateware, ahead, tools }), constraints };
}

/** Builds with the tools of this machine, as many at once as there are slots. */
export class BuildsHere {
  readonly #options: BuildsHereOptions;
  readonly #placedBefore = new PlacedBefore();

  constructor(options: BuildsHereOptions) {
    this.#options = options;
  }

  /** @param lines the log so far; it grows with the build, and is stored with the result */
  async plan(
    request: BuildRequest,
    source: PreparedDesign,
    digest: string,
    context: BuildContext,
    lines: readonly string[],
  ): Promise<BuildPlan> {
    const { tools } = this.#options;
    const engine = await tools.engineFor(request.board);
    const versions = await tools.versions(engine, request.board, source.language);
    const { id, constraints } = await identify(request, digest, engine.name, versions);
    const making = { request, source, id, constraints, engine, versions };
    return { id, find: async () => null, make: () => this.#inSlot(making, context, lines) };
  }

  async #inSlot(
    { request, source, id, constraints, engine, versions }: Making,
    context: BuildContext,
    lines: readonly string[],
  ): Promise<FinishedBuild> {
    const { tools, slots, cache, stageDeadline, clock } = this.#options;
    const frontend = tools.frontends.of(source.language);
    const { release, early } = await waitForSlot(
      slots,
      (place) =>
        context.log(
          'queue',
          `waiting for a build slot: place ${place} in line, ${plural(slots.busy, 'build')} running`,
        ),
      (signal) => scanEarly(this.#options, request, source, signal),
      context.signal,
    );
    try {
      await context.started();
      context.log('scan', `build ${id}`);
      context.log('scan', `${engine.name} tools: ${Object.values(versions).join(', ')}`);
      for (const line of early?.lines ?? []) context.log(...line);
      if (early?.kind === 'refused') throw early.error;
      const verilog = early?.verilog ?? (await frontend.translate(request, source, context));
      const placedBefore = this.#placedBefore;
      const run = { buildId: id, constraints, engine, versions, stageDeadline, context, clock, placedBefore };
      const finished = await runBuild({ ...run, ...verilog, ...(early && { scanned: early }) });
      await cache.put(id, { ...finished, log: `${lines.join('\n')}\n` });
      return finished;
    } finally {
      release();
    }
  }

  /** The bitstream of the base SoC without a design, from the cache or built. @param digest of the empty design */
  async base(board: BoardDefinition, digest: string, signal: AbortSignal): Promise<Uint8Array> {
    const { tools, slots, cache, stageDeadline, clock } = this.#options;
    const engine = await tools.engineFor(board);
    const versions = await tools.versions(engine, board, 'verilog');
    const request = { source: new Uint8Array(), filename: '', board, options: {} };
    const { id, constraints } = await identify(request, digest, engine.name, versions);
    const entry = await cache.get(id);
    if (entry) return entry.bitstream;
    const context = { log: () => {}, progress: () => {}, signal };
    const release = await slots.acquire(signal);
    try {
      const bitstream = await buildBaseSoc({ board, constraints, engine, stageDeadline, context, clock });
      await cache.put(id, { bitstream, report: null, log: '', symbols: null, floorplan: null });
      return bitstream;
    } finally {
      release();
    }
  }
}
