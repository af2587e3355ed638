import type { Diagnostic } from '../../contract/diagnostics.ts';
import { BenchError } from '../../errors/bench-error.ts';
import { toolchainError } from '../../errors/toolchain.ts';
import { causeFirst, Findings, withFindings } from '../diagnostics/findings.ts';
import { diagnosticLine } from '../diagnostics/text.ts';
import { NETLIST, TIMING } from '../families/family.ts';
import type { ToolResult } from '../tool-engine.ts';
import { EarlierRuns, FoundEarlier } from './earlier-runs.ts';
import { placeAndRouteProgress, RouterCircles, type StageProgress } from './progress.ts';
import { type StageContext, signalOf, toolLines } from './stage-context.ts';

/** Output of place and route. */
export interface PlacedDesign {
  /** Files for the packer. */
  files: Record<string, Uint8Array>;
  /** nextpnr's report. */
  timing: Uint8Array;
  /** The design has combinational loops, and nextpnr was allowed to accept them. */
  ignoredLoops: boolean;
  placeSeconds: number;
  routeSeconds: number;
  peakMemory: number;
}

/** Inputs of place and route. */
export interface PlaceAndRouteInputs {
  /** May be pending: nextpnr loads the part's database meanwhile. */
  netlist: Promise<Uint8Array>;
  constraints: string;
  megahertz: number;
  /** Seed of nextpnr's random numbers. Another seed gives another placement. */
  seed: number;
  /** Known from an earlier run of the same netlist. */
  ignoreLoops?: boolean;
}

/** What the output of a run says in addition to its error. */
interface Remarks {
  loop: boolean;
  tooLarge: boolean;
  /** Resources that exceed the part: `9012 of 7680 logic cell`. */
  exceeded: string[];
}

/** Result of one run. */
type Attempt =
  | { kind: 'placed'; placed: PlacedDesign }
  | { kind: 'failed'; tool: string; error: unknown; remarks: Remarks };

const FOUND =
  'reusing an earlier result: this netlist differs from it at most in block RAM contents and source lines';

const LOOPS_ADMITTED =
  'the design has a combinational loop, such as a latch; trying again with loops allowed. Timing across a loop is not checked.';

/**
 * Runs nextpnr, and once more with combinational loops allowed when that was the obstacle.
 * @throws build_too_large, build_unroutable; else the engine's error; each with diagnostics
 */
export async function placeAndRoute(
  context: StageContext,
  inputs: PlaceAndRouteInputs,
): Promise<PlacedDesign> {
  const ignoreLoops = inputs.ignoreLoops ?? false;
  // Findings of a run that is repeated are no errors of the design.
  const isolated = { ...context, findings: new Findings(context.findings.all) };
  const first = await attempt(isolated, inputs, ignoreLoops);
  if (first.kind === 'placed' || !first.remarks.loop || ignoreLoops) {
    context.findings.addAll(isolated.findings.all);
    return placedBy(first, context);
  }
  const loop: Diagnostic = { severity: 'warning', code: 'nextpnr_warning', message: LOOPS_ADMITTED };
  const latches = context.findings.all.filter(({ message }) => /latch/.test(message));
  for (const finding of [loop, ...latches]) context.build.log('place', diagnosticLine(finding));
  context.findings.add(loop);
  return placedBy(await attempt(context, inputs, true), context);
}

function placedBy(attempt: Attempt, context: StageContext): PlacedDesign {
  if (attempt.kind === 'placed') return attempt.placed;
  throw explain(attempt, context);
}

async function attempt(
  context: StageContext,
  inputs: PlaceAndRouteInputs,
  ignoreLoops: boolean,
): Promise<Attempt> {
  const { engine, family, board, build, clock } = context;
  const { tool, args, files, outputs } = family.placeAndRoute(board, { ...inputs, ignoreLoops });
  const earlier = new EarlierRuns(context, { tool, args, files });
  const progress = placeAndRouteProgress();
  const lines = toolLines(context, tool);
  const remarks: Remarks = { loop: false, tooLarge: false, exceeded: [] };
  const circles = new RouterCircles();
  const enough = new AbortController();
  let reached: StageProgress = { stage: 'place', fraction: 0 };
  let began = 0;
  let routing = 0;
  inputs.netlist.then(
    () => {
      began = clock.monotonic();
      build.progress('place', 0);
    },
    () => {},
  );
  try {
    const result: ToolResult = await engine.run({
      tool,
      args,
      files,
      late: { [NETLIST]: earlier.elseNetlist(inputs.netlist) },
      outputs,
      deadline: context.deadlines.place,
      onLine(line) {
        const { stage, fraction } = progress(line);
        if (stage === 'route' && routing === 0) routing = clock.monotonic();
        remark(remarks, line, family.resources);
        if (circles.add(line)) enough.abort(new RouterLoop());
        earlier.read(line);
        if (!enough.signal.aborted) lines.pass(stage, line);
        if (stage !== reached.stage || fraction > reached.fraction) {
          reached = { stage, fraction };
          build.progress(stage, fraction);
        }
      },
      ...signalOf(context, enough.signal),
    });
    const ended = clock.monotonic();
    const timing = result.files[TIMING];
    if (!timing || outputs.some((name) => !result.files[name]))
      throw toolchainError('tool_failed', { message: `${tool} produced no result.` });
    const placed = routing === 0 ? ended : routing;
    earlier.keep(result.files);
    return {
      kind: 'placed',
      placed: {
        files: result.files,
        timing,
        ignoredLoops: ignoreLoops,
        placeSeconds: (placed - began) / 1000,
        routeSeconds: (ended - placed) / 1000,
        peakMemory: result.peakMemory ?? 0,
      },
    };
  } catch (error) {
    const timing = error instanceof FoundEarlier ? error.outputs[TIMING] : undefined;
    if (error instanceof FoundEarlier && timing) {
      build.log('place', FOUND);
      build.progress('route', 1);
      const placeSeconds = (clock.monotonic() - began) / 1000;
      const seconds = { placeSeconds, routeSeconds: 0 };
      const placed = { files: error.outputs, timing, ignoredLoops: ignoreLoops, ...seconds, peakMemory: 0 };
      return { kind: 'placed', placed };
    }
    const inCircles = enough.signal.aborted && !build.signal?.aborted;
    return { kind: 'failed', tool, error: inCircles ? unroutable(enough.signal.reason) : error, remarks };
  } finally {
    lines.end();
  }
}

/** The router repeats itself without progress, and the run was ended. Another placement may be routable. */
export class RouterLoop extends Error {}

const unroutable = (cause: unknown): BenchError =>
  toolchainError('build_unroutable', {
    message: 'The router made no progress: it kept rerouting the same connections.',
    cause,
  });

function remark(remarks: Remarks, line: string, names: Record<string, string>): void {
  if (/combinat(?:ional|orial) loops?\b|logic loop/i.test(line)) remarks.loop = true;
  if (
    /no Bels remaining|at utili[sz]ation limit|Unable to (?:place|find legal placement for) cell|failed to legali[sz]e/i.test(
      line,
    )
  )
    remarks.tooLarge = true;
  const [, resource, used, available] = /^Info:\s+(\w+):\s*(\d+)\/\s*(\d+)\s+\d+%/.exec(line) ?? [];
  if (resource && Number(used) > Number(available)) {
    remarks.tooLarge = true;
    remarks.exceeded.push(`${Number(used)} of ${Number(available)} ${names[resource] ?? resource}`);
  }
}

function explain(
  { tool, error, remarks }: Extract<Attempt, { kind: 'failed' }>,
  { board, findings }: StageContext,
): unknown {
  if (!(error instanceof BenchError) || (error.code !== 'tool_failed' && error.code !== 'tool_crashed'))
    return withFindings(error, findings.all);
  if (remarks.tooLarge) {
    const needs = remarks.exceeded.length > 0 ? `: it needs ${remarks.exceeded.join(', ')}` : '';
    const tooLarge: Diagnostic = {
      severity: 'error',
      code: 'build_too_large',
      message: `the design does not fit the ${board.fpga.part}${needs}`,
    };
    return toolchainError('build_too_large', {
      message: `The design does not fit the ${board.fpga.part}${needs}.`,
      diagnostics: causeFirst([tooLarge, ...findings.all]),
      cause: error,
    });
  }
  if (error.code === 'tool_crashed') return withFindings(error, findings.all);
  return toolchainError('build_unroutable', {
    message: `The design could not be placed and routed: ${error.message.replace(`${tool}: ERROR: `, '')}`,
    diagnostics: causeFirst(findings.all),
    cause: error,
  });
}
