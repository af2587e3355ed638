import Type from 'typebox';
import { type Check, checkOf, parseAs } from '../../contract/check.ts';
import type { BuildReport } from '../../contract/designs.ts';
import { toolchainError } from '../../errors/toolchain.ts';
import { signalName } from '../diagnostics/signal-names.ts';
import type { PartUse } from '../flows/flow.ts';

const isStatistics = checkOf(
  Type.Object({
    design: Type.Optional(
      Type.Object({
        num_cells_by_type: Type.Optional(Type.Record(Type.String(), Type.Integer({ minimum: 0 }))),
      }),
    ),
  }),
);

const Place = Type.Object({ cell: Type.Optional(Type.String()), port: Type.Optional(Type.String()) });

const isReport = checkOf(
  Type.Object({
    utilization: Type.Optional(
      Type.Record(Type.String(), Type.Object({ used: Type.Integer(), available: Type.Integer() })),
    ),
    fmax: Type.Optional(
      Type.Record(Type.String(), Type.Object({ achieved: Type.Number(), constraint: Type.Number() })),
    ),
    critical_paths: Type.Optional(
      Type.Array(
        Type.Object({
          from: Type.String(),
          to: Type.String(),
          path: Type.Array(
            Type.Object({
              delay: Type.Number(),
              from: Place,
              to: Place,
              type: Type.String(),
              net: Type.Optional(Type.String()),
            }),
          ),
        }),
      ),
    ),
  }),
);

/** A report of a tool as data. @throws tool_failed where it is not what this bench knows */
function reportOf<T>(tool: string, text: string, check: Check<T>): T {
  const report = parseAs(text, check);
  if (report === null)
    throw toolchainError('tool_failed', {
      message: `The report of ${tool} could not be read.`,
      remedy: `Use a version of ${tool} that this bench knows: the list of tools shows the embedded one.`,
      details: { tool, report: text.slice(0, 1000) },
    });
  return report;
}

/** Cell type → how many there are in the flattened design. Yosys adds log text around the JSON of `stat`. */
export function cellCounts(statistics: Uint8Array): Record<string, number> {
  const text = Buffer.from(statistics).toString();
  const json = text.slice(text.indexOf('{\n'), text.lastIndexOf('}') + 1);
  const { design } = reportOf('Yosys', json, isStatistics);
  return design?.num_cells_by_type ?? {};
}

/** What nextpnr's report says of the part and of timing. */
export function readTiming(
  report: Uint8Array,
  targetMegahertz: number,
): { part: PartUse; timing: BuildReport['timing'] } {
  const parsed = reportOf('nextpnr', Buffer.from(report).toString(), isReport);
  const clocks = Object.entries(parsed.fmax ?? {});
  // The slowest clock limits the design; the bench gives it one, but a design may make more of its own.
  const slowest = clocks.reduce<[string, number] | null>(
    (least, [clock, { achieved }]) => (least === null || achieved < least[1] ? [clock, achieved] : least),
    null,
  );
  const fmax = slowest === null ? null : Math.round(slowest[1] * 100) / 100;
  const path = parsed.critical_paths?.find(
    ({ from, to }) => from === to && slowest !== null && from === `posedge ${slowest[0]}`,
  );
  const longest = path ?? parsed.critical_paths?.[0];
  return {
    part: parsed.utilization ?? {},
    timing: {
      fmax_mhz: fmax,
      target_mhz: targetMegahertz,
      met: fmax === null || fmax >= targetMegahertz,
      critical_path: (longest?.path ?? []).map(({ delay, from, to, type, net }) => ({
        from: signalName(type === 'routing' && net ? net : (from.cell ?? '')),
        to: signalName(to.cell ?? ''),
        delay_ns: Math.round(delay * 1000) / 1000,
        type,
      })),
    },
  };
}
