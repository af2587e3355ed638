import type { Clock } from '../../clock.ts';
import type { BuildReport } from '../../contract/designs.ts';
import type { Stage } from '../../contract/jobs.ts';
import { toolchainError } from '../../errors/toolchain.ts';
import { Findings, withFindings } from '../diagnostics/findings.ts';
import { FLOWS } from '../flows/index.ts';
import {
  GATEWARE_PARAMETERS,
  GATEWARE_TOP,
  gatewareParameters,
  gatewareSources,
  noDesignSource,
} from '../gateware.ts';
import { readCommand, requireMatch, scanSource } from '../scan/scan.ts';
import type { PreparedSource } from '../scan/source.ts';
import type { BuildRequest, ToolContext, ToolEngine } from '../toolchain.ts';
import { WRAPPER_MODULE, wrapDesign } from '../wrap/wrap.ts';
import { describeResult, missedTiming } from './describe-result.ts';
import { type Deadlines, passLine, type StageContext, signalOf } from './stage-context.ts';
import { cellCounts } from './statistics.ts';
import { synthesise } from './synthesis.ts';
import { closeTiming } from './timing-closure.ts';

export interface BuildRun {
  request: BuildRequest;
  /** The request's source, made fit for the tools and translated to Verilog where it was another language. */
  source: PreparedSource;
  buildId: string;
  constraints: string;
  engine: ToolEngine;
  versions: Record<string, string>;
  deadlines: Deadlines;
  context: ToolContext;
  clock: Clock;
}

export interface FinishedBuild {
  bitstream: Uint8Array;
  report: BuildReport;
}

const WRAPPER = `${WRAPPER_MODULE}.v`;

/** Every stage of one build: scan, synthesis, place and route, pack. Rejects with a BenchError. */
export async function runBuild(run: BuildRun): Promise<FinishedBuild> {
  const { request, engine, context } = run;
  const began = run.clock.monotonic();
  const scan = await scanSource(run.source, request, engine, context);
  const design = requireMatch(scan);
  const scanSeconds = (run.clock.monotonic() - began) / 1000;
  const stage = stageContext(run, scan.source.filename, new Findings(scan.diagnostics));
  const gateware = await gatewareSources();
  // The design is read last: what its compiler directives change stays with it.
  const read = [
    ...Object.keys(gateware).map((name) => `read_verilog ${name}`),
    `read_verilog ${WRAPPER}`,
    readCommand(scan.source),
  ];
  const files = {
    ...gateware,
    [GATEWARE_PARAMETERS]: parameters(run),
    [WRAPPER]: wrapDesign(design),
    [scan.source.filename]: scan.source.text,
  };
  const built = await implement(
    stage,
    { files, read, top: GATEWARE_TOP },
    run.constraints,
    targetOf(request),
  );
  const report: BuildReport = {
    build_id: run.buildId,
    board: request.board.id,
    part: `${request.board.fpga.part}-${request.board.fpga.package}`,
    engine: engine.name,
    cached: false,
    design,
    utilisation: built.utilisation,
    timing: built.timing,
    seconds: { scan: round(scanSeconds), ...built.seconds },
    versions: run.versions,
    peak_memory_bytes: built.peakMemory,
    diagnostics: [...stage.findings.all],
    bitstream_size: built.bitstream.length,
  };
  return { bitstream: built.bitstream, report };
}

/** The bitstream of the base SoC without a design. */
export async function buildBaseSoc(
  run: Pick<BuildRun, 'constraints' | 'engine' | 'deadlines' | 'context' | 'clock'> & {
    board: BuildRequest['board'];
  },
): Promise<Uint8Array> {
  const sources = { ...(await gatewareSources()), ...(await noDesignSource()) };
  const stage: StageContext = {
    ...run,
    flow: FLOWS[run.board.fpga.family],
    filename: '',
    build: run.context,
    findings: new Findings(),
  };
  const read = [`read_verilog ${Object.keys(sources).join(' ')}`];
  const files = { ...sources, [GATEWARE_PARAMETERS]: gatewareParameters(run.board, '0') };
  const megahertz = run.board.clock.hz / 1e6;
  const built = await implement(stage, { files, read, top: GATEWARE_TOP }, run.constraints, megahertz);
  return built.bitstream;
}

function stageContext(run: BuildRun, filename: string, findings: Findings): StageContext {
  const { request, engine, deadlines, context, clock } = run;
  const flow = FLOWS[request.board.fpga.family];
  return { engine, flow, board: request.board, filename, deadlines, build: context, clock, findings };
}

const targetOf = ({ board, options }: BuildRequest) => options.timing_target_mhz ?? board.clock.hz / 1e6;
const round = (seconds: number) => Math.round(seconds * 1000) / 1000;

function parameters({ request, buildId }: BuildRun): string {
  try {
    return gatewareParameters(request.board, buildId);
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
}

/** From sources to bitstream: synthesis, place and route, pack, and what they tell about the result. */
async function implement(
  stage: StageContext,
  sources: { files: Record<string, string>; read: string[]; top: string },
  constraints: string,
  megahertz: number,
): Promise<Implemented> {
  const synthesis = synthesise(stage, sources);
  const netlist = synthesis.then((result) => result.netlist);
  // Started beside synthesis: it reads the part's database and then waits for the netlist.
  const placing = closeTiming(stage, { netlist, constraints, megahertz });
  placing.catch(() => {});
  const synthesised = await synthesis.catch(async (error: unknown) => {
    await placing.catch(() => {}); // its thread ends before the failure is reported
    throw error;
  });
  const { placed, part, timing } = await placing;
  const utilisation = stage.flow.utilisation(cellCounts(synthesised.statistics), part);
  for (const line of describeResult(utilisation, timing)) stage.build.log('route', line);
  if (!timing.met) stage.findings.add(missedTiming(timing));
  const packed = await pack(stage, placed.files);
  return {
    bitstream: packed.bitstream,
    utilisation,
    timing,
    seconds: {
      synthesis: round(synthesised.seconds),
      place: round(placed.placeSeconds),
      route: round(placed.routeSeconds),
      pack: round(packed.seconds),
    },
    // Synthesis and the waiting place and route tool exist at the same time.
    peakMemory: (synthesised.peakMemory ?? 0) + placed.peakMemory,
  };
}

async function pack(stage: StageContext, files: Record<string, Uint8Array>) {
  const { tool, args, outputs, bitstream: name, ...own } = stage.flow.pack(stage.board);
  stage.build.progress('pack', 0);
  const result = await stage.engine
    .run({
      tool,
      args,
      files: { ...files, ...own.files },
      outputs,
      deadline: stage.deadlines.pack,
      onLine: (line) => passLine(stage, 'pack', tool, line),
      ...signalOf(stage),
    })
    .catch((error: unknown) => {
      throw withFindings(error, stage.findings.all);
    });
  const bitstream = result.files[name];
  if (!bitstream) throw toolchainError('tool_failed', { message: `${tool} ended without a bitstream.` });
  stage.build.log('pack', `bitstream of ${bitstream.length} bytes`);
  stage.build.progress('pack', 1);
  return { bitstream, seconds: result.seconds };
}
