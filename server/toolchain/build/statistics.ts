import Type from 'typebox';
import { type Check, checkOf, parseAs } from '../../contract/check.ts';
import type { BuildReport } from '../../contract/designs/uploads.ts';
import type { Utilisation } from '../../contract/jobs/utilisation.ts';
import { toolchainError } from '../../errors/toolchain.ts';
import type { DesignUtilisation } from '../../symbols/floorplan/design-utilisation.ts';
import { signalName } from '../diagnostics/signal-names.ts';
import type { Family, PartUse } from '../families/family.ts';

const Counted = Type.Object({
  num_cells_by_type: Type.Optional(Type.Record(Type.String(), Type.Integer({ minimum: 0 }))),
});

const isStatistics = checkOf(
  Type.Object({
    design: Type.Optional(Counted),
    modules: Type.Optional(Type.Record(Type.String(), Counted)),
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

/** Parses a tool's report. @throws tool_failed when its format is unknown */
function reportOf<T>(tool: string, text: string, check: Check<T>): T {
  const report = parseAs(text, check);
  if (report === null)
    throw toolchainError('tool_failed', {
      message: `The report of ${tool} could not be read.`,
      remedy: `Use a version of ${tool} that the bench supports; the list of tools shows the embedded one.`,
      details: { tool, report: text.slice(0, 1000) },
    });
  return report;
}

/** Counts cells by type, in the flat design or its one counted module. Yosys prints log text around the JSON. */
export function cellCounts(statistics: Uint8Array): Record<string, number> {
  const text = Buffer.from(statistics).toString();
  const json = text.slice(text.indexOf('{\n'), text.lastIndexOf('}') + 1);
  const { design, modules } = reportOf('Yosys', json, isStatistics);
  return (design ?? Object.values(modules ?? {})[0])?.num_cells_by_type ?? {};
}

/** Reads part utilisation and timing from nextpnr's report. */
export function readTiming(
  report: Uint8Array,
  targetMegahertz: number,
): {
  part: PartUse;
  timing: BuildReport['timing'];
  /** Ids of the cells on the critical path. */
  critical: string[];
} {
  const parsed = reportOf('nextpnr', Buffer.from(report).toString(), isReport);
  const clocks = Object.entries(parsed.fmax ?? {});
  // The slowest clock limits the design. The bench provides one clock, but a design may generate more.
  const slowest = clocks.reduce<[string, number] | null>(
    (least, [clock, { achieved }]) => (least === null || achieved < least[1] ? [clock, achieved] : least),
    null,
  );
  const fmax = slowest === null ? null : Math.round(slowest[1] * 100) / 100;
  const path = parsed.critical_paths?.find(
    ({ from, to }) => from === to && slowest !== null && from === `posedge ${slowest[0]}`,
  );
  const longest = (path ?? parsed.critical_paths?.[0])?.path ?? [];
  return {
    critical: longest.flatMap(({ from, to }) => [from.cell ?? '', to.cell ?? '']),
    part: parsed.utilization ?? {},
    timing: {
      fmax_mhz: fmax,
      target_mhz: targetMegahertz,
      met: fmax === null || fmax >= targetMegahertz,
      critical_path: longest.map(({ delay, from, to, type, net }) =>
        pathStep({ from: from.cell ?? '', to: to.cell ?? '', net: net ?? null, ns: delay, type }),
      ),
    },
  };
}

/** A step of a path in the report's form, from the names of place and route. */
function pathStep({ from, to, net, ns, type }: OwnStep): BuildReport['timing']['critical_path'][number] {
  return {
    from: signalName(type === 'routing' && net ? net : from),
    to: signalName(to),
    delay_ns: Math.round(ns * 1000) / 1000,
    type,
  };
}

type OwnStep = NonNullable<DesignUtilisation['path']>['steps'][number];

/** Adds the slowest path of the design itself. */
export function withOwnPath(
  timing: BuildReport['timing'],
  { critical, path }: DesignUtilisation,
): BuildReport['timing'] {
  const { fmax_mhz, critical_path } = timing;
  if (critical) return { ...timing, design: { fmax_mhz, critical_path } };
  if (!path) return timing;
  const megahertz = Math.round(path.megahertz * 100) / 100;
  return { ...timing, design: { fmax_mhz: megahertz, critical_path: path.steps.map(pathStep) } };
}

/** Adds the design's share of each resource. */
export function withOwnCells(
  family: Pick<Family, 'utilisation'>,
  whole: readonly Utilisation[],
  part: PartUse,
  { cells }: DesignUtilisation,
): Utilisation[] {
  const ownPart = Object.fromEntries(
    Object.entries(part).map(([type, { available }]) => [type, { used: cells[type] ?? 0, available }]),
  );
  const own = new Map(family.utilisation(cells, ownPart).map(({ resource, used }) => [resource, used]));
  return whole.map((row) => ({ ...row, design: Math.min(row.used, own.get(row.resource) ?? 0) }));
}
