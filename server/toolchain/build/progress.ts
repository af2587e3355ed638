import type { Stage } from '../../contract/jobs/jobs.ts';

/** Steps of synthesis with their progress, measured on designs of a few hundred LUTs. */
const SYNTHESIS: [RegExp, number][] = [
  [/Executing HIERARCHY pass/, 0.05],
  [/Executing PROC pass/, 0.1],
  [/Executing FLATTEN pass/, 0.15],
  [/Executing FSM pass/, 0.22],
  [/Executing ALUMACC pass/, 0.3],
  [/Executing MEMORY_LIBMAP pass/, 0.36],
  [/Executing MEMORY_MAP pass/, 0.5],
  [/Executing ICE40_WRAPCARRY|Executing TECHMAP pass/, 0.55],
  [/Executing DFFLEGALIZE pass/, 0.62],
  [/Executing ABC9? pass|Executing ABC9_OPS pass/, 0.72],
  [/Executing OPT_LUT pass/, 0.88],
  [/Executing AUTONAME pass/, 0.94],
  [/Executing JSON backend/, 0.98],
];

/** How far a stage is, 0 to 1. */
export interface StageProgress {
  stage: Stage;
  fraction: number;
}

/** Reads progress from Yosys's output; null for lines without progress. */
export function synthesisProgress(): (line: string) => StageProgress | null {
  let fraction = 0;
  return (line) => {
    if (!line.includes('Executing ')) return null;
    const step = SYNTHESIS.find(([pattern, at]) => at > fraction && pattern.test(line));
    if (!step) return null;
    fraction = step[1];
    return { stage: 'synthesis', fraction };
  };
}

/** Reads progress from nextpnr's output, and separates place from route. */
export function placeAndRouteProgress(): (line: string) => StageProgress {
  let stage: 'place' | 'route' = 'place';
  let fraction = 0;
  let arcs = 0;
  const reach = (value: number) => {
    fraction = Math.min(1, Math.max(fraction, value));
  };
  return (line) => {
    if (stage === 'place') {
      if (/^Info: Routing\b|^Info: Running router/.test(line)) {
        stage = 'route';
        fraction = 0;
      } else if (/Packing constants/.test(line)) reach(0.1);
      else if (/Device utilisation/.test(line)) reach(0.2);
      else if (/Creating initial analytic placement|Running Static placer/.test(line)) reach(0.25);
      else if (/at iteration #(\d+), type ALL/.test(line)) reach(fraction + 0.04 * (1 - fraction));
      else if (/^Info: iter=\d+ /.test(line)) reach(fraction + 0.02 * (0.75 - fraction));
      else if (/HeAP Placer Time|Running simulated annealing placer/.test(line)) reach(0.75);
      else if (/^Info: {3}at iteration #\d+: temp/.test(line)) reach(fraction + 0.2 * (1 - fraction));
      else if (/SA placement time/.test(line)) reach(0.98);
    }
    if (stage === 'route') {
      const total = /Routing (\d+) arcs/.exec(line);
      if (total) arcs = Number(total[1]);
      const left = /^Info: +\d+ \|(?:[^|]*\|){2} *(\d+)\|/.exec(line);
      if (left && arcs > 0) reach(0.95 * (1 - Number(left[1]) / arcs));
      if (/Router\d time|Program finished/.test(line)) reach(1);
    }
    return { stage, fraction };
  };
}

/** Router steps without progress that count as endless: a minimum, and a number for each connection. */
const MIN_IDLE_STEPS = 20_000;
const IDLE_STEPS_BY_ARC = 4;

/** Detects in nextpnr's output that its router rips up and reroutes the same connections without end. */
export class RouterCircles {
  #arcs = 0;
  #least = Number.POSITIVE_INFINITY;
  #since = 0;

  /** Takes a line of output; true when the router makes no progress. */
  add(line: string): boolean {
    const [, arcs] = /^Info: Routing (\d+) arcs\./.exec(line) ?? [];
    if (arcs !== undefined) this.#arcs = Number(arcs);
    const [, steps, remaining] = /^Info:\s+(\d+) \|[ \d]+\|[ \d]+\|\s*(\d+)\|/.exec(line) ?? [];
    if (steps === undefined || remaining === undefined) return false;
    if (Number(remaining) < this.#least) {
      this.#least = Number(remaining);
      this.#since = Number(steps);
    }
    return Number(steps) - this.#since >= Math.max(MIN_IDLE_STEPS, IDLE_STEPS_BY_ARC * this.#arcs);
  }
}
