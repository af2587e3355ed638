/** The lines that most readers look for: what is used of the part, and whether the timing target is met. */
import type { BuildReport } from '../../contract/designs.ts';
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

function describeTiming({ fmax_mhz: fmax, target_mhz: target, met }: BuildReport['timing']): string {
  if (fmax === null) return 'timing: no path from register to register';
  const figures = `timing: Fmax ${fmax} MHz, target ${target} MHz`;
  return met ? figures : `warning: ${figures}: not met, the design may not work at this clock`;
}
