import type { Diagnostic } from '../../contract/diagnostics.ts';
import { sentence } from '../../contract/sentences.ts';
import type { ToolContext } from '../build-request.ts';
import { Findings } from '../diagnostics/findings.ts';
import { diagnosticLine } from '../diagnostics/text.ts';
import { type PlaceAndRouteInputs, type PlacedDesign, placeAndRoute } from './place-and-route.ts';
import type { StageContext } from './stage-context.ts';
import { readTiming } from './statistics.ts';

/** A placed design with its timing. */
export type TimedDesign = { placed: PlacedDesign } & ReturnType<typeof readTiming>;

/** Limit of seeds. */
const ATTEMPTS = 4;

/** Fmax varies by 10 to 20 % with the seed. Further from the target another try is useless. */
const WITHIN_REACH = 0.8;

const LOOP: Diagnostic = {
  severity: 'warning',
  code: 'nextpnr_warning',
  message:
    'the design has a combinational loop, such as a latch; trying again with loops allowed. Timing across a loop is not checked.',
};

interface ClosureInputs extends Omit<PlaceAndRouteInputs, 'seed' | 'ignoreLoops'> {
  /** Netlist for the first try: the same design with placement hints. */
  first?: Promise<Uint8Array>;
}

/**
 * Places and routes, again when a run fails for a reason that another try may not have: with combinational loops allowed,
 * without placement hints, or with the next seed when the router makes no progress, as happens now and then when two
 * connections want each other's place. While the timing target is missed but within reach it tries further seeds, and
 * returns the fastest result. The seeds are always the same, so that a build can be repeated.
 */
export async function closeTiming(
  context: StageContext,
  { first, ...inputs }: ClosureInputs,
): Promise<TimedDesign> {
  const { megahertz, netlist } = inputs;
  let own: PlaceAndRouteInputs = { ...inputs, netlist: first ?? netlist, seed: 1, ignoreLoops: false };
  let stage = context;
  let best: TimedDesign | null = null;
  let [placeSeconds, routeSeconds] = [0, 0];
  for (;;) {
    // Findings of a run that is repeated are no errors of the design.
    const findings = new Findings([], context.findings);
    const run = await placeAndRoute({ ...stage, findings }, own);
    if (run.kind === 'placed' || run.routed) stage = asPartOfRouting(context);
    const { log } = stage.build;
    let cause = '';
    if (run.kind === 'placed') {
      context.findings.addAll(findings.all);
      placeSeconds += run.placed.placeSeconds;
      routeSeconds += run.placed.routeSeconds;
      const timed = { placed: run.placed, ...readTiming(run.placed.timing, megahertz) };
      if (best === null || (timed.timing.fmax_mhz ?? 0) > (best.timing.fmax_mhz ?? 0)) best = timed;
    } else if (run.why === 'combinational loop') {
      const latches = context.findings.all.filter(({ message }) => /latch/.test(message));
      for (const finding of [LOOP, ...latches]) log('place', diagnosticLine(finding));
      context.findings.add(LOOP);
      own = { ...own, ignoreLoops: true };
      continue;
    } else if (run.why !== 'other' && (await areOther(own.netlist, netlist))) {
      log('place', `${sentence(run.error.message)} Trying again without placement hints.`);
      own = { ...own, netlist };
      continue;
    } else if (run.why === 'endless routing' && (best !== null || own.seed < ATTEMPTS)) {
      cause = run.error.message;
    } else {
      context.findings.addAll(findings.all);
      throw run.error;
    }
    const seed = own.seed + 1;
    const again = `with seed ${seed} of ${ATTEMPTS}`;
    if (best !== null) {
      const { met, fmax_mhz: fmax } = best.timing;
      if (met || fmax === null || fmax < WITHIN_REACH * megahertz || seed > ATTEMPTS)
        return { ...best, placed: { ...best.placed, placeSeconds, routeSeconds } };
      log(
        'route',
        `Fmax ${fmax} MHz is below the target of ${megahertz} MHz: placing and routing again, ${again}`,
      );
    } else log('route', `${sentence(cause)} Placing and routing again, ${again}.`);
    own = { ...own, netlist, seed };
  }
}

/** Whether two netlists differ; one that could not be made has no other. */
async function areOther(one: Promise<Uint8Array>, other: Promise<Uint8Array>): Promise<boolean> {
  const [mine, usual] = await Promise.all([one, other].map((netlist) => netlist.catch(() => null)));
  return mine !== usual;
}

/** Puts a further try under the stage `route`, because no stage may come twice. */
function asPartOfRouting(context: StageContext): StageContext {
  const build: ToolContext = {
    ...context.build,
    log: (_stage, line) => context.build.log('route', line),
    progress: () => {},
  };
  return { ...context, build };
}
