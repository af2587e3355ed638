import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { untilAborted } from '../abort.ts';
import { type Clock, systemClock } from '../clock.ts';
import { DEFAULT_SETTINGS } from '../contract/bench/settings.ts';
import type { ScanResult } from '../contract/designs/uploads.ts';
import { toolchainError } from '../errors/toolchain.ts';
import type { Logger } from '../log.ts';
import { resourcePath } from '../paths.ts';
import { decodeFloorplan } from '../symbols/floorplan/encode.ts';
import { decodeSymbols } from '../symbols/symbols.ts';
import { AbortableWork } from './abortable.ts';
import type { BuildPlan } from './build/build-plan.ts';
import { slotsOfMachine } from './build/build-slots.ts';
import { BuildsHere } from './build/builds-here.ts';
import { describeResult } from './build/describe-result.ts';
import { scanEarly } from './build/early-scan.ts';
import { findInstalledTools } from './build/installed-tools.ts';
import { ScanLanes } from './build/scan-lanes.ts';
import type { BuildContext, BuildRequest, BuildResult, ToolContext } from './build-request.ts';
import { BuildCache } from './cache/build-cache.ts';
import type { CachedBuild } from './cache/build-file.ts';
import { createEmbeddedEngine, type EmbeddedEngine } from './engines/embedded/embedded-engine.ts';
import type { ForkTools } from './engines/embedded/fork-tools.ts';
import type { ConfiguredPaths } from './engines/executables.ts';
import type { FoundSandbox } from './engines/sandbox/bubblewrap.ts';
import { capabilitiesOf } from './farm/capabilities.ts';
import type { BuildFarm } from './farm/farm.ts';
import type { Capability } from './farm/messages.ts';
import { type FarmPlanning, planOnFarm } from './farm/plan.ts';
import { raceRefusal } from './farm/refused-early.ts';
import { findingsOf } from './frontends/frontend.ts';
import { scanDesignSources } from './frontends/scan.ts';
import { prepareDesign } from './intake/design.ts';
import { declarationsOf } from './slave/declarations.ts';
import { Slots } from './slots.ts';
import type { Toolchain } from './toolchain.ts';

/** Options of a toolchain. An absent option has the value of the default settings. */
export interface ToolchainOptions {
  /** The cache is its subfolder builds/. */
  dataDir: string;
  logger: Logger;
  /** Builds at once. Default: as many as cores and memory allow. */
  slots?: number;
  /** Limit of the cache, bytes. */
  cacheLimitBytes?: number;
  /** Absolute paths of installed programs (nextpnr-ecp5, ghdl, python …). They take precedence over the PATH. */
  paths?: ConfiguredPaths;
  /** Memory limit of one tool, bytes. */
  memoryLimit?: number;
  /** Limit of a source file, bytes. */
  sourceLimit?: number;
  /** Whether GHDL may run without a sandbox; called for every design. Default: the setting's default. */
  vhdlWithoutSandbox?: () => boolean;
  /** Time limit of one run of a tool in a build, seconds. */
  stageDeadline?: number;
  clock?: Clock;
  /** Starts the process for the embedded tools: see createEmbeddedEngine. */
  forkTools?: ForkTools;
  /** Builds on the workers of this farm, not on this machine. */
  farm?: BuildFarm;
  /** Whether this machine scans designs that wait for a worker. Default: true. */
  lookEarly?: boolean;
  /** Finds the sandbox of the machine; a parameter for tests. */
  sandbox?: (clock: Clock) => Promise<FoundSandbox>;
}

const { toolchain: DEFAULTS, limits: DEFAULT_LIMITS } = DEFAULT_SETTINGS;

/** Lines of a build's log that are stored with the build. */
const MAX_LOG_LINES = 50_000;

/** Digest for the base SoC, which has no design: SHA-256 of the empty input. */
const NO_DESIGN = createHash('sha256').digest('hex');

/** A toolchain with what a farm's worker needs from it. */
export interface LocalToolchain extends Toolchain {
  /** Lists every capability that this machine can build. */
  capabilities(): Promise<Capability[]>;
  /** Reads a build from the cache; null when it is not there. */
  cachedBuild(buildId: string): Promise<CachedBuild | null>;
  /** Compiled code of the embedded tools: see EmbeddedEngine. */
  readonly code: Pick<EmbeddedEngine, 'compiled' | 'keepCode'>;
}

/** Creates the toolchain, HDL to bitstream. It loads and starts nothing before the first use or warm(). */
export function createToolchain(options: ToolchainOptions): LocalToolchain {
  const {
    dataDir,
    logger,
    paths = {},
    memoryLimit = DEFAULTS.memory_bytes,
    sourceLimit = DEFAULT_LIMITS.upload_bytes,
    cacheLimitBytes = DEFAULTS.cache_bytes,
    vhdlWithoutSandbox = () => DEFAULTS.vhdl_without_sandbox,
    stageDeadline = DEFAULTS.stage_deadline_seconds,
    clock = systemClock,
    farm,
    lookEarly = true,
  } = options;
  const embedded = createEmbeddedEngine({
    logger,
    clock,
    memoryLimit,
    ...(options.forkTools && { forkTools: options.forkTools }),
  });
  const tools = findInstalledTools({
    embedded,
    logger,
    clock,
    paths,
    memoryLimit,
    vhdlWithoutSandbox,
    ...(options.sandbox && { sandbox: options.sandbox }),
  });
  const slots = new Slots(options.slots ?? slotsOfMachine());
  const scans = new ScanLanes();
  const cache = new BuildCache(path.join(dataDir, 'builds'), cacheLimitBytes, logger, clock);
  /** Running builds by id. A design that is submitted twice at once is built once. */
  const underWay = new Map<string, Promise<unknown>>();
  // Builds reach the slots in the order of their requests, although their preparations take different times.
  const arrivals = new Slots(1);
  const here = new BuildsHere({ tools, slots, scans, cache, stageDeadline, clock });
  const work = new AbortableWork();

  async function build(
    request: BuildRequest,
    outer: BuildContext,
    signal: AbortSignal,
    arrival: Promise<() => void>,
  ): Promise<BuildResult> {
    const lines: string[] = [];
    const context: BuildContext = {
      ...outer,
      signal,
      log(stage, line) {
        if (lines.length < MAX_LOG_LINES) lines.push(`${stage}: ${line}`);
        outer.log(stage, line);
      },
      async started() {
        // An aborted build must not wait for an answer here, because it has a slot.
        await untilAborted(outer.started(), signal);
      },
    };
    const letNextIn = farm ? await farm.enter(context, signal) : () => {};
    try {
      return await admitted(request, context, signal, arrival, lines, letNextIn);
    } finally {
      letNextIn();
    }
  }

  /** @param lines the log so far; it grows with the build @param asked lets the next build ask the farm */
  async function admitted(
    request: BuildRequest,
    context: BuildContext,
    signal: AbortSignal,
    arrival: Promise<() => void>,
    lines: readonly string[],
    letNextIn: () => void,
  ): Promise<BuildResult> {
    const { design: source, digest } = await prepareDesign(request, sourceLimit);
    const withEarlyScan: FarmPlanning['withEarlyScan'] = (making) =>
      lookEarly
        ? raceRefusal({
            build: making,
            look: (stop) => scanEarly({ tools, scans, clock }, request, source, stop),
            context,
            signal,
            clock,
          })
        : making(context, signal);
    const plan = farm
      ? await planOnFarm({
          farm,
          tools,
          request,
          digest,
          source,
          context,
          signal,
          letNextIn,
          withEarlyScan,
          keep,
        })
      : await here.plan(request, source, digest, context, lines);
    const { id } = plan;
    if (request.expected !== undefined && request.expected !== id)
      throw toolchainError('build_other_version');

    const leaveArrivals = await arrival;
    for (;;) {
      const hit = await fromCache(plan, context);
      if (hit) return hit;
      const other = underWay.get(id);
      if (!other) break;
      leaveArrivals();
      letNextIn();
      context.log('queue', 'the same design is being built for another job: waiting for its result');
      await untilAborted(
        other.catch(() => {}),
        signal,
      );
    }

    const making = plan.make();
    underWay.set(id, making);
    leaveArrivals(); // from here it waits in the line for a slot
    try {
      return { buildId: id, ...(await making), cached: false };
    } finally {
      underWay.delete(id);
    }
  }

  const keep = (id: string, built: CachedBuild): Promise<void> => cache.put(id, built);

  async function fromCache(plan: BuildPlan, context: BuildContext): Promise<BuildResult | null> {
    const { id } = plan;
    let entry = await cache.get(id);
    if (!entry) {
      entry = await plan.find();
      if (entry) await keep(id, entry);
    }
    if (!entry?.report) return null;
    await context.started();
    context.log('scan', `build ${id} found in the cache: nothing to build`);
    const report = { ...entry.report, cached: true };
    for (const line of describeResult(report.utilisation, report.timing)) context.log('scan', line);
    return { buildId: id, bitstream: entry.bitstream, report, cached: true };
  }

  async function scan(request: BuildRequest, outer: ToolContext, signal: AbortSignal): Promise<ScanResult> {
    const context = { ...outer, signal };
    const engine = tools.reader;
    const lane = await scans.enter(signal);
    try {
      const { design } = await prepareDesign(request, sourceLimit);
      const frontend = tools.frontends.of(design.language);
      const verilog = await frontend.translate(request, design, context).catch(findingsOf);
      if (Array.isArray(verilog)) return { matched: null, modules: [], diagnostics: verilog };
      const found = await scanDesignSources(verilog.source, verilog.request, engine, context, () =>
        lane.takesLong(),
      );
      const { matched, modules, diagnostics } = found;
      const declarations = declarationsOf(found.source);
      return { matched, modules, diagnostics, ...(declarations.length > 0 && { declarations }) };
    } finally {
      lane.end();
    }
  }

  return {
    build(request, context) {
      const arrival = arrivals.acquire();
      const building = work.run(context.signal, (signal) => build(request, context, signal, arrival));
      return building.finally(() => void arrival.then((leave) => leave()));
    },

    scan: (request, context) => work.run(context.signal, (signal) => scan(request, context, signal)),

    baseBitstream(board) {
      const ready = resourcePath('base', `${board.id}.bin`);
      if (existsSync(ready)) return readFile(ready);
      return work.run(undefined, (signal) => here.base(board, NO_DESIGN, signal));
    },

    engines: () => tools.list(),

    async languages() {
      const known = await tools.frontends.languages();
      if (!farm || known.every(({ refusal }) => refusal === null)) return known;
      // A worker may read a language that this machine cannot.
      const offered = farm.languages;
      return known.map((one) => (offered.has(one.language) ? { ...one, refusal: null } : one));
    },

    async symbols(buildId) {
      const { symbols = null } = (await cache.get(buildId)) ?? {};
      return symbols && decodeSymbols(symbols);
    },

    async floorplan(buildId) {
      const { floorplan = null } = (await cache.get(buildId)) ?? {};
      return floorplan && decodeFloorplan(floorplan);
    },

    ...(farm && { farm }),

    get slots() {
      return farm ? farm.slots : slots;
    },

    capabilities: () => capabilitiesOf(tools),

    cachedBuild: (buildId) => cache.get(buildId),

    code: embedded,

    warm: () => embedded.warm(),

    async close() {
      farm?.detach();
      await Promise.all([work.close(), embedded.close(), tools.close()]);
      farm?.close();
    },
  };
}
