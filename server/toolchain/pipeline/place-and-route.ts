import { BenchError } from '../../errors/bench-error.ts';
import { toolchainError } from '../../errors/toolchain.ts';
import { NETLIST, TIMING } from '../flows/flow.ts';
import type { ToolResult } from '../toolchain.ts';
import { placeAndRouteProgress } from './progress.ts';
import { passLine, type StageContext, signalOf } from './stage-context.ts';

export interface PlacedDesign {
  /** What the packer reads. */
  files: Record<string, Uint8Array>;
  /** nextpnr's report. */
  timing: Uint8Array;
  /** The design has loops of gates, and the tool was told to admit them. */
  ignoredLoops: boolean;
  placeSeconds: number;
  routeSeconds: number;
  peakMemory: number;
}

export interface PlaceAndRouteInputs {
  /** May still be under way: the tool loads the part's database meanwhile. */
  netlist: Promise<Uint8Array>;
  constraints: string;
  megahertz: number;
  /** Where the tool's random numbers begin: another seed is another placement. */
  seed: number;
  /** Known from an earlier run of the same netlist. */
  ignoreLoops?: boolean;
}

/** What one run has said that its error does not. */
interface Remarks {
  loop: boolean;
  tooLarge: boolean;
  /** Resources of which more is needed than there is: `9012 of 7680 logic cell`. */
  exceeded: string[];
}

/**
 * nextpnr, once more with combinational loops admitted when that is what it stumbles over.
 * @throws build_too_large, build_unroutable, else as the engine rejects
 */
export async function placeAndRoute(
  context: StageContext,
  inputs: PlaceAndRouteInputs,
): Promise<PlacedDesign> {
  const first = await attempt(context, inputs, inputs.ignoreLoops ?? false);
  if ('placed' in first) return first.placed;
  if (!first.remarks.loop || inputs.ignoreLoops) throw explain(first.error, first.remarks, context);
  context.build.log(
    'place',
    'warning: the design has a combinational loop, as latches are; trying again with loops admitted. Timing across a loop is not checked.',
  );
  for (const { file, line, message } of context.diagnostics.filter(({ message: text }) => /latch/.test(text)))
    context.build.log('place', `warning: ${file}:${line}: ${message}`);
  const second = await attempt(context, inputs, true);
  if ('placed' in second) return second.placed;
  throw explain(second.error, second.remarks, context);
}

async function attempt(
  context: StageContext,
  inputs: PlaceAndRouteInputs,
  ignoreLoops: boolean,
): Promise<{ placed: PlacedDesign } | { error: unknown; remarks: Remarks }> {
  const { engine, flow, board, build } = context;
  const { tool, args, files, outputs } = flow.placeAndRoute(board, { ...inputs, ignoreLoops });
  const progress = placeAndRouteProgress();
  const remarks: Remarks = { loop: false, tooLarge: false, exceeded: [] };
  let reached: { stage: string; fraction: number } = { stage: 'place', fraction: 0 };
  let began = 0;
  let routing = 0;
  inputs.netlist.then(
    () => {
      began = performance.now();
      build.progress('place', 0);
    },
    () => {},
  );
  try {
    const result: ToolResult = await engine.run({
      tool,
      args,
      files,
      late: { [NETLIST]: inputs.netlist },
      outputs,
      deadline: context.deadlines.place,
      onLine(line) {
        const { stage, fraction } = progress(line);
        if (stage === 'route' && routing === 0) routing = performance.now();
        remark(remarks, line, flow.resources);
        passLine(context, stage, line);
        if (stage !== reached.stage || fraction > reached.fraction) {
          reached = { stage, fraction };
          build.progress(stage, fraction);
        }
      },
      ...signalOf(context),
    });
    const ended = performance.now();
    const timing = result.files[TIMING];
    if (!timing || outputs.some((name) => !result.files[name]))
      throw toolchainError('tool_failed', { message: `${tool} ended without a result.` });
    const placed = routing === 0 ? ended : routing;
    return {
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
    return { error, remarks };
  }
}

function remark(remarks: Remarks, line: string, names: Record<string, string>): void {
  if (/combinat(?:ional|orial) loops?\b|logic loop/i.test(line)) remarks.loop = true;
  if (/no Bels remaining|at utili[sz]ation limit|Unable to place cell|failed to legali[sz]e/i.test(line))
    remarks.tooLarge = true;
  const [, resource, used, available] = /^Info:\s+(\w+):\s*(\d+)\/\s*(\d+)\s+\d+%/.exec(line) ?? [];
  if (resource && Number(used) > Number(available)) {
    remarks.tooLarge = true;
    remarks.exceeded.push(`${Number(used)} of ${Number(available)} ${names[resource] ?? resource}`);
  }
}

function explain(error: unknown, remarks: Remarks, { board, flow }: StageContext): unknown {
  if (!(error instanceof BenchError) || (error.code !== 'tool_failed' && error.code !== 'tool_crashed'))
    return error;
  const { tool } = flow.placeAndRoute(board, { constraints: '', megahertz: 1, seed: 1, ignoreLoops: false });
  if (remarks.tooLarge)
    return toolchainError('build_too_large', {
      message: `The design does not fit the ${board.fpga.part}${remarks.exceeded.length > 0 ? `: it needs ${remarks.exceeded.join(', ')}` : ''}.`,
      cause: error,
    });
  if (error.code === 'tool_crashed') return error;
  return toolchainError('build_unroutable', {
    message: `The design could not be placed and routed: ${error.message.replace(`${tool}: ERROR: `, '')}`,
    cause: error,
  });
}
