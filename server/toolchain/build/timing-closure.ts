import { sentence } from '../../contract/sentences.ts';
import { BenchError } from '../../errors/bench-error.ts';
import type { ToolContext } from '../build-request.ts';
import { Findings } from '../diagnostics/findings.ts';
import { type PlaceAndRouteInputs, type PlacedDesign, placeAndRoute, RouterLoop } from './place-and-route.ts';
import type { StageContext } from './stage-context.ts';
import { readTiming } from './statistics.ts';

/** A placed design with its timing. */
export type TimedDesign = { placed: PlacedDesign } & ReturnType<typeof readTiming>;

/** Limit of placements. */
const ATTEMPTS = 4;

/** Fmax varies by 10 to 20 % with the seed. Further from the target another try is useless. */
const WITHIN_REACH = 0.8;

interface ClosureInputs extends Omit<PlaceAndRouteInputs, 'seed' | 'ignoreLoops'> {
  /** Netlist for the first try: the same design with placement hints. */
  first?: Promise<Uint8Array>;
}

/**
 * Places and routes. While the timing target is missed but within reach it tries other seeds, and returns the fastest
 * result. The seeds are always the same, so that a build can be repeated.
 */
export async function closeTiming(
  context: StageContext,
  { first, ...inputs }: ClosureInputs,
): Promise<TimedDesign> {
  const { megahertz } = inputs;
  let best = await firstOf(context, { ...inputs, seed: 1 }, first ?? inputs.netlist);
  let { placeSeconds, routeSeconds } = best.placed;
  for (let seed = 2; seed <= ATTEMPTS; seed++) {
    const fmax = best.timing.fmax_mhz;
    if (best.timing.met || fmax === null || fmax < WITHIN_REACH * megahertz) break;
    context.build.log(
      'route',
      `Fmax ${fmax} MHz is below the target of ${megahertz} MHz: placing and routing again, with seed ${seed} of ${ATTEMPTS}`,
    );
    const { ignoredLoops } = best.placed;
    const next = await unlessInCircles(
      timed(asPartOfRouting(context), { ...inputs, seed, ignoreLoops: ignoredLoops }),
    );
    if (next === null) continue;
    placeSeconds += next.placed.placeSeconds;
    routeSeconds += next.placed.routeSeconds;
    if ((next.timing.fmax_mhz ?? 0) > fmax) best = next;
  }
  return { ...best, placed: { ...best.placed, placeSeconds, routeSeconds } };
}

/** Errors of a placer for a design that another placer may place. */
const OF_THE_PLACER = /^(?:build_too_large|build_unroutable|tool_crashed|tool_failed)$/;

/** The first try. When it fails with hints, it is repeated with the plain netlist. */
async function firstOf(
  context: StageContext,
  inputs: PlaceAndRouteInputs,
  first: Promise<Uint8Array>,
): Promise<TimedDesign> {
  let routing = false;
  const build: ToolContext = {
    ...context.build,
    progress(stage, fraction) {
      routing ||= stage === 'route';
      context.build.progress(stage, fraction);
    },
  };
  // Findings of a try that is repeated are no errors of the design.
  const isolated = { ...context, build, findings: new Findings([], context.findings) };
  const [tried, again] = [await settled(timed(isolated, { ...inputs, netlist: first })), inputs.netlist];
  const { error } = tried;
  if (
    error instanceof BenchError &&
    OF_THE_PLACER.test(error.code) &&
    (await settled(first)).value !== (await settled(again)).value
  ) {
    context.build.log(
      routing ? 'route' : 'place',
      `${sentence(error.message)} Trying again without placement hints.`,
    );
    return routed(routing ? asPartOfRouting(context) : context, inputs);
  }
  if (inCircles(error)) return routed(context, inputs, error);
  context.findings.addAll(isolated.findings.all);
  if (tried.value === undefined) throw error;
  return tried.value;
}

const inCircles = (error: unknown): error is BenchError =>
  error instanceof BenchError && error.cause instanceof RouterLoop;

/** Resolves with null when the router made no progress. */
const unlessInCircles = (work: Promise<TimedDesign>): Promise<TimedDesign | null> =>
  work.catch((error: unknown) => {
    if (inCircles(error)) return null;
    throw error;
  });

/**
 * Places and routes with one seed after the other while nextpnr's router makes no progress. That happens now and then,
 * when two connections want each other's place.
 * @param failed the failure with the first seed
 */
async function routed(
  context: StageContext,
  inputs: PlaceAndRouteInputs,
  failed: BenchError | null = null,
): Promise<TimedDesign> {
  let { seed } = inputs;
  let error = failed;
  for (;;) {
    if (error !== null) {
      seed++;
      if (seed > ATTEMPTS) throw error;
      const again = `Placing and routing again, with seed ${seed} of ${ATTEMPTS}.`;
      context.build.log('route', `${sentence(error.message)} ${again}`);
    }
    const isolated = { ...context, findings: new Findings([], context.findings) };
    const tried = await settled(
      timed(error === null ? isolated : asPartOfRouting(isolated), { ...inputs, seed }),
    );
    if (inCircles(tried.error)) {
      error = tried.error;
      continue;
    }
    context.findings.addAll(isolated.findings.all);
    if (tried.value === undefined) throw tried.error;
    return tried.value;
  }
}

const settled = <T>(work: Promise<T>): Promise<{ value?: T; error?: unknown }> =>
  work.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );

async function timed(context: StageContext, inputs: PlaceAndRouteInputs): Promise<TimedDesign> {
  const placed = await placeAndRoute(context, inputs);
  return { placed, ...readTiming(placed.timing, inputs.megahertz) };
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
