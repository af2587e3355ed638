// The rows of a slowest path.
import type { BuildReport } from '../../../../server/contract/designs/uploads.ts';

type PathStep = BuildReport['timing']['critical_path'][number];

/** A step of a path, with the arrival after it. */
export interface ArrivedStep extends PathStep {
  /** Place in the path. */
  index: number;
  /** ns from the begin of the path. */
  at: number;
}

/** A row: one step, or the steps of a carry chain together. */
export type PathRow = { kind: 'step'; step: ArrivedStep } | { kind: 'chain'; steps: readonly ArrivedStep[] };

/** Minimum carries of a chain; fewer are shown as they are. */
const MIN_CHAIN = 4;

/**
 * The length of the carry chain that begins at a step, in steps; 0 without one. The carries of a chain have one delay,
 * and the wires between them are part of the cells: most take no time, and none takes longer than two carries.
 */
function chainAt(steps: readonly ArrivedStep[], from: number): number {
  const first = steps[from];
  if (first?.type !== 'logic' || first.delay_ns <= 0) return 0;
  let [at, carries, direct] = [from, 1, 0];
  for (;;) {
    const [wire, next] = [steps[at + 1], steps[at + 2]];
    if (wire?.type !== 'routing' || wire.delay_ns > 2 * first.delay_ns) break;
    if (next?.type !== 'logic' || next.delay_ns !== first.delay_ns) break;
    if (wire.delay_ns === 0) direct += 1;
    carries += 1;
    at += 2;
  }
  return carries >= MIN_CHAIN && 2 * direct >= carries - 1 ? at - from + 1 : 0;
}

/** The rows of a path: carry chains are one row each. */
export function pathRows(path: readonly PathStep[]): PathRow[] {
  let at = 0;
  const steps = path.map((step, index): ArrivedStep => {
    at += step.delay_ns;
    return { ...step, at, index };
  });
  const rows: PathRow[] = [];
  for (let index = 0; index < steps.length; ) {
    const length = chainAt(steps, index);
    const step = steps[index] as ArrivedStep;
    rows.push(
      length > 0 ? { kind: 'chain', steps: steps.slice(index, index + length) } : { kind: 'step', step },
    );
    index += Math.max(1, length);
  }
  return rows;
}
