import type { BuildReport } from '../../contract/designs.ts';
import type { Diagnostic } from '../../contract/diagnostics.ts';
import { diagnosticLine } from '../diagnostics/text.ts';

/** The lines that most readers look for: what is used of the part, and whether the timing target is met. */
export function describeResult(
  utilisation: BuildReport['utilisation'],
  timing: BuildReport['timing'],
): string[] {
  const used = utilisation
    .filter((row) => row.used > 0)
    .map(({ resource, used: count, available }) => {
      const share = available > 0 ? ` (${Math.round((100 * count) / available)} %)` : '';
      return `${count} of ${available} ${resource}${share}`;
    });
  return [`used: ${used.join(', ')}`, describeTiming(timing)];
}

function describeTiming(timing: BuildReport['timing']): string {
  if (timing.fmax_mhz === null) return 'timing: no path from register to register';
  return timing.met ? figures(timing) : diagnosticLine(missedTiming(timing));
}

const figures = ({ fmax_mhz: fmax, target_mhz: target }: BuildReport['timing']): string =>
  `timing: Fmax ${fmax} MHz, target ${target} MHz`;

/** The finding that the timing target is not met, about the signal at the end of the critical path. */
export function missedTiming(timing: BuildReport['timing']): Diagnostic {
  const net = timing.critical_path.at(-1)?.to;
  return {
    severity: 'warning',
    code: 'nextpnr_warning',
    message: `${figures(timing)}: not met, the design may not work at this clock`,
    ...(net !== undefined && { net }),
  };
}
