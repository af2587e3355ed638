import type { Diagnostic } from '../../contract/diagnostics.ts';
import { BenchError } from '../../errors/bench-error.ts';
import { toolchainError } from '../../errors/toolchain.ts';
import { causeFirst, withFindings } from '../diagnostics/findings.ts';
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
  /** Whether nextpnr may accept combinational loops. */
  ignoreLoops: boolean;
}

/** What the output of a run says in addition to its error. */
interface Remarks {
  loop: boolean;
  tooLarge: boolean;
  /** Resources that exceed the part: `9012 of 7680 logic cell`. */
  exceeded: string[];
}

/** Result of one run. `routed`: it has reached the stage `route`. */
export type Attempt =
  | { kind: 'placed'; placed: PlacedDesign }
  | ({ kind: 'failed'; routed: boolean } & (
      | { why: 'combinational loop'; error: unknown }
      | { why: 'other'; error: unknown }
      /** Another placement, or another placer, may succeed. */
      | { why: 'endless routing' | 'placer'; error: BenchError }
    ));

/** Error codes of a placer for a design that another placer may place. */
const OF_THE_PLACER = /^(?:build_too_large|build_unroutable|tool_crashed|tool_failed)$/;

const FOUND =
  'reusing an earlier result: this netlist differs from it at most in block RAM contents and source lines';

/** Runs nextpnr once. A failure is build_too_large, build_unroutable or the engine's error, each with diagnostics. */
export async function placeAndRoute(context: StageContext, inputs: PlaceAndRouteInputs): Promise<Attempt> {
  const { engine, family, board, build, clock } = context;
  const { tool, args, files, outputs } = family.placeAndRoute(board, inputs);
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
      deadline: context.stageDeadline,
      onLine(line) {
        const { stage, fraction } = progress(line);
        if (stage === 'route' && routing === 0) routing = clock.monotonic();
        remark(remarks, line, family.resources);
        if (circles.add(line)) enough.abort();
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
      const placed = { files: error.outputs, timing, ...seconds, peakMemory: 0 };
      return { kind: 'placed', placed };
    }
    const failed = { kind: 'failed', routed: reached.stage === 'route' } as const;
    if (enough.signal.aborted && !build.signal?.aborted)
      return { ...failed, why: 'endless routing', error: endlessRouting(context) };
    const explained = explain(error, tool, remarks, context);
    if (remarks.loop && !inputs.ignoreLoops)
      return { ...failed, why: 'combinational loop', error: explained };
    return explained instanceof BenchError && OF_THE_PLACER.test(explained.code)
      ? { ...failed, why: 'placer', error: explained }
      : { ...failed, why: 'other', error: explained };
  } finally {
    lines.end();
  }
}

const endlessRouting = ({ findings }: StageContext): BenchError =>
  toolchainError('build_unroutable', {
    message: 'The router made no progress: it kept rerouting the same connections.',
    diagnostics: causeFirst(findings.all),
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

function explain(error: unknown, tool: string, remarks: Remarks, { board, findings }: StageContext): unknown {
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
