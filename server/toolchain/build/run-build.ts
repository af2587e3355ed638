import { userClock } from '../../boards/definition.ts';
import type { Clock } from '../../clock.ts';
import type { BuildReport } from '../../contract/designs/uploads.ts';
import type { Stage } from '../../contract/jobs/jobs.ts';
import { toolchainError } from '../../errors/toolchain.ts';
import type { BuildRequest, ToolContext } from '../build-request.ts';
import { Findings } from '../diagnostics/findings.ts';
import { familyOf } from '../families/index.ts';
import { type DesignScan, requireMatch, scanDesignSources } from '../frontends/scan.ts';
import type { PreparedDesign } from '../intake/prepared-design.ts';
import { namePlaces } from '../slave/name-places.ts';
import type { ToolEngine } from '../tool-engine.ts';
import { type BaseSources, baseAhead } from './ahead/base-gates.ts';
import { describeResult, missedTiming } from './describe-result.ts';
import { designSources } from './design-sources.ts';
import { reportEstimate } from './estimate.ts';
import {
  type CaptureSize,
  GATEWARE_PARAMETERS,
  GATEWARE_TOP,
  gatewareParameters,
  gatewareSources,
  noDesignSource,
} from './gateware.ts';
import { splitDesign } from './inout/split-design.ts';
import { prepareToPack } from './pack/pack-thread.ts';
import { pack } from './packing.ts';
import type { PlacedBefore } from './placed-before.ts';
import { ProbedBuild } from './probes/probed-build.ts';
import { resolveProbes } from './probes/resolve.ts';
import { type BuiltDesign, PlacementReading } from './read-placement.ts';
import type { StageContext } from './stage-context.ts';
import { cellCounts, withOwnCells, withOwnPath } from './statistics.ts';
import { type SynthesisResult, type SynthesisSources, synthesise } from './synthesis.ts';
import { closeTiming } from './timing-closure.ts';
import { bindPorts } from './wrap/bound-ports.ts';
import { WRAPPER_MODULE, wrapDesign } from './wrap/wrap.ts';

/** Inputs of one build. */
export interface BuildRun {
  request: BuildRequest;
  /** The prepared sources, translated where needed. */
  source: PreparedDesign;
  /** An earlier scan of them, with its duration. */
  scanned?: { scan: DesignScan; seconds: number };
  buildId: string;
  constraints: string;
  engine: ToolEngine;
  versions: Record<string, string>;
  /** Time limit of one run of a tool, seconds. */
  stageDeadline: number;
  context: ToolContext;
  clock: Clock;
  /** Earlier runs of place and route; absent when none counts. */
  placedBefore?: PlacedBefore;
}

/** Result of a build. */
export interface FinishedBuild {
  bitstream: Uint8Array;
  report: BuildReport;
  /** Encoded names of the design's signals; null when the family has none or reading failed. */
  symbols: Uint8Array | null;
  /** Encoded places of its cells; null in the same cases. */
  floorplan: Uint8Array | null;
}

const WRAPPER = `${WRAPPER_MODULE}.v`;

/** Runs all stages of a build: scan, synthesis, place and route, pack. Rejects with a BenchError. */
export async function runBuild(run: BuildRun): Promise<FinishedBuild> {
  const { request, engine, context } = run;
  const began = run.clock.monotonic();
  const scan = run.scanned?.scan ?? (await scanDesignSources(run.source, request, engine, context));
  const design = requireMatch(scan);
  const source = await splitDesign(scan.source, design, engine, context);
  const probes = await resolveProbes(source, design, request.options.probes, engine, context);
  const scanSeconds = (run.clock.monotonic() - began) / 1000 + (run.scanned?.seconds ?? 0);
  const stage = stageContext(run, scan.source, new Findings(scan.diagnostics));
  const { constraints, leds } = bindPorts(request.board, design.pins ?? [], run.constraints);
  const probed = probes.length > 0 ? new ProbedBuild(probes, stage) : null;
  const gateware = await gatewareSources({
    capture: probed !== null,
    terminal: design.terminal !== undefined,
  });
  const base = await baseSources(run, stage, gateware);
  const own = designSources(source, design.module);
  // The design is read last, so that its compiler directives affect no other file.
  const read = [...base.read, `read_verilog ${WRAPPER}`, ...own.read];
  const files = { ...base.files, [WRAPPER]: wrapDesign(design), ...own.files };
  const board = { ...request.board, leds };
  const sources = (): SynthesisSources => ({
    files: {
      ...files,
      [GATEWARE_PARAMETERS]: parameters(board, run.buildId, design, probed?.size ?? null),
    },
    read,
    atGates: base.atGates,
    cells: base.cells && !scan.modules.some(({ name }) => stage.family.ahead?.cellName.test(name)),
    arithmetic: scan.arithmetic,
    loaded: scan.loaded,
    whenFlat: own.whenFlat,
    top: GATEWARE_TOP,
    ...(probed && { probing: probed.probing(GATEWARE_TOP) }),
  });
  const built = await implement(stage, sources, {
    constraints,
    megahertz: targetOf(request),
    probed,
    design: { buildId: run.buildId, modules: scan.modules, files: scan.source.uploaded },
  }).catch((error: unknown) => {
    throw probed ? probed.explain(error) : error;
  });
  const report: BuildReport = {
    build_id: run.buildId,
    board: request.board.id,
    part: `${request.board.fpga.part}-${request.board.fpga.package}`,
    engine: engine.name,
    cached: false,
    design,
    ...(probed && { capture_core: probed.report() }),
    utilisation: built.utilisation,
    timing: { ...built.timing, clock_mhz: userClock(request.board).hz / 1e6 },
    seconds: { scan: round(scanSeconds), ...built.seconds },
    versions: run.versions,
    peak_memory_bytes: built.peakMemory,
    diagnostics: [...stage.findings.all],
    bitstream_size: built.bitstream.length,
  };
  const { bitstream, symbols, floorplan } = built;
  return { bitstream, report, symbols, floorplan };
}

/** Builds the bitstream of the base SoC without a design. */
export async function buildBaseSoc(
  run: Pick<BuildRun, 'constraints' | 'engine' | 'stageDeadline' | 'context' | 'clock'> & {
    board: BuildRequest['board'];
  },
): Promise<Uint8Array> {
  const sources = { ...(await gatewareSources()), ...(await noDesignSource()) };
  const stage: StageContext = {
    ...run,
    family: familyOf(run.board),
    uploaded: [],
    placeOf: () => null,
    build: run.context,
    findings: new Findings(),
  };
  const read = [`read_verilog ${Object.keys(sources).join(' ')}`];
  const files = { ...sources, [GATEWARE_PARAMETERS]: gatewareParameters(run.board, '0') };
  const megahertz = userClock(run.board).hz / 1e6;
  const whole = () => ({ files, read, top: GATEWARE_TOP, arithmetic: 0 });
  const built = await implement(stage, whole, { constraints: run.constraints, megahertz });
  return built.bitstream;
}

function stageContext(run: BuildRun, source: PreparedDesign, findings: Findings): StageContext {
  const { request, engine, stageDeadline, context, clock, placedBefore } = run;
  const { board } = request;
  const { uploaded } = source;
  const family = familyOf(board);
  const placeOf = namePlaces(source);
  const common = { engine, family, board, uploaded, placeOf, stageDeadline, build: context, clock, findings };
  return { ...common, ...(placedBefore && { placedBefore }) };
}

const targetOf = ({ board, options }: BuildRequest) => options.timing_target_mhz ?? userClock(board).hz / 1e6;
const round = (seconds: number) => Math.round(seconds * 1000) / 1000;

/** The base SoC for a build: gates where the board has valid ones, else sources. */
async function baseSources(
  { request: { board }, versions, buildId }: BuildRun,
  { family, build }: StageContext,
  sources: Record<string, string>,
): Promise<BaseSources> {
  parameters(board, buildId, {}, null); // refuses a clock that is too slow before any file is read
  const ahead = await baseAhead({ board, family, versions }, buildId, sources);
  if (ahead === null)
    return {
      files: sources,
      read: Object.keys(sources).map((name) => `read_verilog ${name}`),
      atGates: [],
      cells: false,
    };
  build.log('synthesis', 'the base SoC is already synthesised: synthesising only the design');
  return ahead;
}

function parameters(
  board: BuildRequest['board'],
  buildId: string,
  { pins, terminal }: Pick<BuildReport['design'], 'pins' | 'terminal'>,
  capture: CaptureSize | null,
): string {
  try {
    return gatewareParameters(board, buildId, pins, capture, terminal);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw toolchainError('board_clock', { message: error.message, cause: error });
  }
}

interface Implemented {
  bitstream: Uint8Array;
  utilisation: BuildReport['utilisation'];
  timing: BuildReport['timing'];
  seconds: Partial<Record<Stage, number>>;
  peakMemory: number;
  symbols: Uint8Array | null;
  floorplan: Uint8Array | null;
}

/** Goal of one build. */
interface Goal {
  constraints: string;
  megahertz: number;
  /** Signals for the capture core; null or absent without one. */
  probed?: ProbedBuild | null;
  /** The user's design; absent for the base SoC. */
  design?: BuiltDesign;
}

/** The netlist for the first try of place and route. */
function forPlacing(
  { family, board, build }: StageContext,
  { netlist, statistics }: SynthesisResult,
): Uint8Array {
  const hints = family.forPlacing?.(netlist, board, GATEWARE_TOP, cellCounts(statistics));
  if (!hints) return netlist;
  build.log('place', hints.note);
  return hints.netlist;
}

/** Runs synthesis, place and route, and pack, and reads the reports. */
async function implement(
  stage: StageContext,
  sources: () => SynthesisSources,
  { constraints, megahertz, probed, design }: Goal,
): Promise<Implemented> {
  const synthesis = synthesise(stage, sources()).then((first) =>
    probed?.refit(first) ? synthesise(stage, sources()) : first,
  );
  const netlist = synthesis.then((result) => result.netlist);
  // Place and route starts together with synthesis: it loads the part's database, then waits for the netlist.
  const placing = closeTiming(stage, {
    netlist,
    first: synthesis.then((result) => forPlacing(stage, result)),
    constraints,
    megahertz,
  });
  // The await below reports a failed synthesis.
  for (const promise of [netlist, placing]) promise.catch(() => {});
  const synthesised = await synthesis.catch(async (error: unknown) => {
    await placing.catch(() => {}); // its thread ends before the failure is reported
    throw error;
  });
  probed?.count(synthesised);
  // nextpnr now places, on one core: time to start the packer's thread.
  if (stage.family.pack(stage.board).by === 'bench') prepareToPack();
  const reading =
    design &&
    new PlacementReading(stage, design, synthesised, (fmax) =>
      reportEstimate(stage, synthesised, fmax, megahertz),
    );
  try {
    const { placed, part, timing, critical } = await placing;
    const utilisation = stage.family.utilisation(cellCounts(synthesised.statistics), part);
    for (const line of describeResult(utilisation, timing)) stage.build.log('route', line);
    if (!timing.met) stage.findings.add(missedTiming(timing));
    const [packed, placement] = await Promise.all([
      pack(stage, placed.files),
      reading ? reading.finish(placed.files, critical) : null,
    ]);
    return {
      bitstream: packed.bitstream,
      symbols: placement?.symbols ?? null,
      floorplan: placement?.floorplan ?? null,
      utilisation: placement ? withOwnCells(stage.family, utilisation, part, placement.own) : utilisation,
      timing: placement ? withOwnPath(timing, placement.own) : timing,
      seconds: {
        synthesis: round(synthesised.seconds),
        place: round(placed.placeSeconds),
        route: round(placed.routeSeconds),
        pack: round(packed.seconds),
      },
      // Synthesis and the waiting place and route exist at the same time.
      peakMemory: (synthesised.peakMemory ?? 0) + placed.peakMemory,
    };
  } finally {
    reading?.close();
  }
}
