import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { constraintsOf } from '../boards/catalogue/index.ts';
import type { BoardDefinition } from '../boards/definition.ts';
import { type Clock, systemClock } from '../clock.ts';
import type { ScanResult } from '../contract/designs.ts';
import { DEFAULT_SETTINGS } from '../contract/settings.ts';
import { toolchainError } from '../errors/toolchain.ts';
import type { Logger } from '../log.ts';
import { resourcePath } from '../paths.ts';
import { BuildCache } from './cache/build-cache.ts';
import { createEmbeddedEngine } from './embedded/embedded-engine.ts';
import { translate } from './frontend/translate.ts';
import { gatewareHash } from './gateware.ts';
import { type EngineChoice, findInstalledTools } from './installed-tools.ts';
import type { ConfiguredPaths } from './native/executables.ts';
import { type Arrival, ArrivalQueue } from './pipeline/arrival-queue.ts';
import { buildId } from './pipeline/build-id.ts';
import { BuildSlots, slotsOfMachine } from './pipeline/build-slots.ts';
import { describeResult } from './pipeline/describe-result.ts';
import { buildBaseSoc, type FinishedBuild, runBuild } from './pipeline/run-build.ts';
import { DEFAULT_DEADLINES, type Deadlines } from './pipeline/stage-context.ts';
import { scanSource } from './scan/scan.ts';
import { type PreparedSource, prepareSource } from './scan/source.ts';
import type {
  BuildContext,
  BuildRequest,
  BuildResult,
  ToolContext,
  Toolchain,
  ToolEngine,
} from './toolchain.ts';

/** What a toolchain is made of; what is left out is as in the default settings. */
export interface ToolchainOptions {
  /** The cache lies below it, in builds/. */
  dataDir: string;
  logger: Logger;
  /** `auto`: the embedded tools for what they can build, the installed ones for the rest. */
  engine?: EngineChoice;
  /** Builds at once; what cores and memory allow when absent. */
  slots?: number;
  /** Bytes of the cache. */
  cacheLimitBytes?: number;
  /** Absolute paths of installed programs (yosys, nextpnr-ecp5, ghdl, python …) instead of the PATH. */
  paths?: ConfiguredPaths;
  /** Bytes that one tool may hold. */
  memoryLimit?: number;
  /** Bytes of a source file. */
  sourceLimit?: number;
  /** Seconds that each stage may take. */
  deadlines?: Partial<Deadlines>;
  clock?: Clock;
}

const { toolchain: DEFAULTS, limits: DEFAULT_LIMITS } = DEFAULT_SETTINGS;

/** Scans outside a build at once: each is short. */
const SCANS = 2;

/** Lines of a build's log that are kept with it. */
const KEPT_LINES = 50_000;

/** A build that has to be made. */
interface Making {
  request: BuildRequest;
  source: PreparedSource;
  id: string;
  constraints: string;
  engine: ToolEngine;
  versions: Record<string, string>;
}

/** HDL source to bitstream: see Toolchain. Nothing is loaded or started before it is needed or warm() is called. */
export function createToolchain(options: ToolchainOptions): Toolchain {
  const {
    dataDir,
    logger,
    engine: choice = DEFAULTS.engine,
    paths = {},
    memoryLimit = DEFAULTS.memory_bytes,
    sourceLimit = DEFAULT_LIMITS.upload_bytes,
    cacheLimitBytes = DEFAULTS.cache_bytes,
    clock = systemClock,
  } = options;
  const deadlines = { ...DEFAULT_DEADLINES, ...options.deadlines };
  const embedded = createEmbeddedEngine({ logger, clock, memoryLimit });
  const tools = findInstalledTools({ choice, embedded, logger, clock, paths, memoryLimit });
  const slots = new BuildSlots(options.slots ?? slotsOfMachine());
  const scans = new BuildSlots(SCANS);
  const cache = new BuildCache(path.join(dataDir, 'builds'), cacheLimitBytes, logger, clock);
  /** Builds under way by their id: a design that is submitted twice at once is built once. */
  const underWay = new Map<string, Promise<unknown>>();
  /** Builds come to the slots in the order in which they were asked for. */
  const arrivals = new ArrivalQueue();
  const stops = new Set<AbortController>();
  let closed = false;

  /** Calls `work` with a signal of its own, which aborts with `outer` and when the toolchain is closed. */
  async function untilClosed<T>(
    outer: AbortSignal | undefined,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const stop = new AbortController();
    const abort = () => stop.abort();
    if (closed || outer?.aborted) abort();
    outer?.addEventListener('abort', abort, { once: true });
    stops.add(stop);
    try {
      return await work(stop.signal);
    } catch (error) {
      // A tool reports the abort in its own way, or not at all when none was running.
      throw stop.signal.aborted ? toolchainError('build_aborted', { cause: error }) : error;
    } finally {
      stops.delete(stop);
      outer?.removeEventListener('abort', abort);
    }
  }

  async function build(
    request: BuildRequest,
    outer: BuildContext,
    signal: AbortSignal,
    arrival: Arrival,
  ): Promise<BuildResult> {
    const lines: string[] = [];
    const context: BuildContext = {
      ...outer,
      signal,
      log(stage, line) {
        if (lines.length < KEPT_LINES) lines.push(`${stage}: ${line}`);
        outer.log(stage, line);
      },
      async started() {
        const begun = outer.started();
        // Who does not answer must not keep the slot of a build that has been ended.
        await settledOrAborted(begun, signal);
        if (signal.aborted) throw toolchainError('build_aborted');
        await begun;
      },
    };
    const source = prepareSource(request.source, request.filename, sourceLimit);
    const engine = await tools.engineFor(request.board);
    const versions = await tools.versions(engine, request.board, source.language);
    const { id, constraints } = await identify(request, engine, versions);

    await arrival.first;
    for (;;) {
      const hit = await fromCache(id, context);
      if (hit) return hit;
      const other = underWay.get(id);
      if (!other) break;
      arrival.leave();
      context.log('queue', 'the same design is being built for another job: waiting for its result');
      await settledOrAborted(other, signal);
      if (signal.aborted) throw toolchainError('build_aborted');
    }

    const work = inSlot({ request, source, id, constraints, engine, versions }, context, lines);
    underWay.set(id, work);
    arrival.leave(); // it stands in the line for a slot
    try {
      return { buildId: id, ...(await work), cached: false };
    } finally {
      underWay.delete(id);
    }
  }

  /** @param lines what the build has logged so far and will log: kept with its result */
  async function inSlot(
    { request, source, id, constraints, engine, versions }: Making,
    context: BuildContext,
    lines: readonly string[],
  ): Promise<FinishedBuild> {
    const waiting = (position: number) =>
      context.log('queue', `waiting for a build slot: ${position} in line, ${slots.busy} builds running`);
    const release = await slots.acquire(waiting, context.signal);
    try {
      await context.started();
      context.log('scan', `build ${id}`);
      context.log('scan', `${engine.name} tools: ${Object.values(versions).join(', ')}`);
      const verilog = await translate(request, source, tools, engine, context);
      const run = { buildId: id, constraints, engine, versions, deadlines, context, clock };
      const finished = await runBuild({ ...run, ...verilog });
      await cache.put(id, { ...finished, log: `${lines.join('\n')}\n` });
      return finished;
    } finally {
      release();
    }
  }

  async function identify(request: BuildRequest, engine: ToolEngine, versions: Record<string, string>) {
    const constraints = constraintsOf(request.board);
    const gateware = await gatewareHash();
    const id = buildId({ request, constraints, gateware, tools: { engine: engine.name, ...versions } });
    return { id, constraints };
  }

  async function fromCache(id: string, context: BuildContext): Promise<BuildResult | null> {
    const entry = await cache.get(id);
    if (!entry?.report) return null;
    await context.started();
    context.log('scan', `build ${id} found in the cache: nothing has to be built`);
    const report = { ...entry.report, cached: true };
    for (const line of describeResult(report.utilisation, report.timing)) context.log('scan', line);
    return { buildId: id, bitstream: entry.bitstream, report, cached: true };
  }

  async function buildBase(board: BoardDefinition, signal: AbortSignal): Promise<Uint8Array> {
    const engine = await tools.engineFor(board);
    const versions = await tools.versions(engine, board, 'verilog');
    const request = { source: new Uint8Array(), filename: '', board, options: {} };
    const { id, constraints } = await identify(request, engine, versions);
    const entry = await cache.get(id);
    if (entry) return entry.bitstream;
    const context = { log: () => {}, progress: () => {}, signal };
    const release = await slots.acquire(() => {}, signal);
    try {
      const bitstream = await buildBaseSoc({ board, constraints, engine, deadlines, context, clock });
      await cache.put(id, { bitstream, report: null, log: '' });
      return bitstream;
    } finally {
      release();
    }
  }

  async function scan(request: BuildRequest, outer: ToolContext, signal: AbortSignal): Promise<ScanResult> {
    const context = { ...outer, signal };
    const engine = await tools.scanEngine();
    const release = await scans.acquire(() => {}, signal);
    try {
      const source = prepareSource(request.source, request.filename, sourceLimit);
      const verilog = await translate(request, source, tools, engine, context);
      const found = await scanSource(verilog.source, verilog.request, engine, context);
      const { matched, modules, diagnostics } = found;
      return { matched, modules, diagnostics };
    } finally {
      release();
    }
  }

  return {
    build(request, context) {
      const arrival = arrivals.enter();
      const work = untilClosed(context.signal, (signal) => build(request, context, signal, arrival));
      return work.finally(() => arrival.leave());
    },

    scan: (request, context) => untilClosed(context.signal, (signal) => scan(request, context, signal)),

    baseBitstream(board) {
      const ready = resourcePath('base', `${board.id}.bin`);
      if (existsSync(ready)) return readFile(ready);
      return untilClosed(undefined, (signal) => buildBase(board, signal));
    },

    engines: () => tools.list(),

    slots,

    warm() {
      if (choice !== 'native') embedded.warm();
    },

    async close() {
      closed = true;
      for (const stop of stops) stop.abort();
      await Promise.all([embedded.close(), tools.close()]);
      await Promise.allSettled(underWay.values());
    },
  };
}

/** Resolves when `work` has ended in whatever way, or when `signal` aborts. */
function settledOrAborted(work: Promise<unknown>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      signal.removeEventListener('abort', done);
      resolve();
    };
    if (signal.aborted) return resolve();
    signal.addEventListener('abort', done, { once: true });
    work.then(done, done);
  });
}
