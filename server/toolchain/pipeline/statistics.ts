import type { BuildReport } from '../../contract/designs.ts';
import type { PartUse } from '../flows/flow.ts';
import { signalName } from './signal-names.ts';

interface YosysStatistics {
  design?: { num_cells_by_type?: Record<string, number> };
}

interface NextpnrPlace {
  cell?: string;
  port?: string;
}

interface NextpnrReport {
  utilization?: PartUse;
  fmax?: Record<string, { achieved: number; constraint: number }>;
  critical_paths?: {
    from: string;
    to: string;
    path: { delay: number; from: NextpnrPlace; to: NextpnrPlace; type: string; net?: string }[];
  }[];
}

/** Cell type → how many there are in the flattened design. Yosys adds log text around the JSON of `stat`. */
export function cellCounts(statistics: Uint8Array): Record<string, number> {
  const text = Buffer.from(statistics).toString();
  const json = text.slice(text.indexOf('{\n'), text.lastIndexOf('}') + 1);
  const { design } = JSON.parse(json) as YosysStatistics;
  return design?.num_cells_by_type ?? {};
}

/** What nextpnr's report says of the part and of timing. */
export function readTiming(
  report: Uint8Array,
  targetMegahertz: number,
): { part: PartUse; timing: BuildReport['timing'] } {
  const parsed = JSON.parse(Buffer.from(report).toString()) as NextpnrReport;
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
