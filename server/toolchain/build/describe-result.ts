import type { BuildReport } from '../../contract/designs/uploads.ts';
import type { Diagnostic } from '../../contract/diagnostics.ts';
import type { BuildEstimate, Utilisation } from '../../contract/jobs/utilisation.ts';
import { diagnosticLine } from '../diagnostics/text.ts';

/** Log lines with the result: what the design uses of the part, and whether it meets the timing target. */
export function describeResult(
  utilisation: BuildReport['utilisation'],
  timing: BuildReport['timing'],
): string[] {
  return [`used: ${describeUse(utilisation)}`, describeTiming(timing)];
}

/** One log line with the estimate. */
export function describeEstimate({ fmax_mhz: fmax, target_mhz: target, utilisation }: BuildEstimate): string {
  const missed = fmax !== null && fmax < target ? ': the target may be missed' : '';
  const clock = fmax === null ? '' : `; Fmax about ${fmax} MHz, target ${target} MHz${missed}`;
  return `estimate: ${describeUse(utilisation)}${clock}`;
}

const describeUse = (utilisation: readonly Utilisation[]): string =>
  utilisation
    .filter((row) => row.used > 0)
    .map(({ resource, used, available }) => {
      const share = available > 0 ? ` (${Math.round((100 * used) / available)} %)` : '';
      return `${used} of ${available} ${resource}${share}`;
    })
    .join(', ');

function describeTiming(timing: BuildReport['timing']): string {
  if (timing.fmax_mhz === null) return 'timing: no register-to-register path';
  return timing.met ? figures(timing) : diagnosticLine(missedTiming(timing));
}

const figures = ({ fmax_mhz: fmax, target_mhz: target }: BuildReport['timing']): string =>
  `timing: Fmax ${fmax} MHz, target ${target} MHz`;

/** Warning that the timing target is not met, about the last signal of the critical path. */
export function missedTiming(timing: BuildReport['timing']): Diagnostic {
  const net = timing.critical_path.at(-1)?.to;
  return {
    severity: 'warning',
    code: 'nextpnr_warning',
    message: `${figures(timing)}: target not met; the design may not work at this clock`,
    ...(net !== undefined && { net }),
  };
}
