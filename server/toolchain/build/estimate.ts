import type { BuildEstimate } from '../../contract/jobs/utilisation.ts';
import { describeEstimate } from './describe-result.ts';
import type { StageContext } from './stage-context.ts';
import { cellCounts } from './statistics.ts';
import type { SynthesisResult } from './synthesis.ts';

/**
 * Reports the estimate of a build after synthesis, in the log and to listeners. Users then know size and speed before
 * place and route, which takes most of the time of a large design.
 * @param fmax MHz; null when it is unknown
 * @param target MHz
 */
export function reportEstimate(
  { family, board, build }: StageContext,
  { statistics }: SynthesisResult,
  fmax: number | null,
  target: number,
): void {
  const cells = cellCounts(statistics);
  const estimate: BuildEstimate = {
    fmax_mhz: fmax === null ? null : Math.round(fmax * 10) / 10,
    target_mhz: target,
    utilisation: family.utilisation(cells, family.partUse(cells, board)).filter(({ used }) => used > 0),
  };
  build.log('place', describeEstimate(estimate));
  build.estimated?.(estimate);
}
