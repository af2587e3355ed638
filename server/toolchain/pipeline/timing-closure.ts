import type { ToolContext } from '../toolchain.ts';
import { type PlaceAndRouteInputs, type PlacedDesign, placeAndRoute } from './place-and-route.ts';
import type { StageContext } from './stage-context.ts';
import { readTiming } from './statistics.ts';

export type TimedDesign = { placed: PlacedDesign } & ReturnType<typeof readTiming>;

/** Placements that are tried at most. */
const ATTEMPTS = 4;

/** Fmax varies by a tenth or two with the seed: a target that is farther off is not worth another try. */
const WITHIN_REACH = 0.8;

/**
 * Places and routes, again with other seeds while the timing target is missed but within reach, and gives the
 * fastest. The seeds are always the same, so a build can be repeated.
 */
export async function closeTiming(
  context: StageContext,
  inputs: Omit<PlaceAndRouteInputs, 'seed' | 'ignoreLoops'>,
): Promise<TimedDesign> {
  const { megahertz } = inputs;
  let best = await timed(context, { ...inputs, seed: 1 });
  let { placeSeconds, routeSeconds } = best.placed;
  for (let seed = 2; seed <= ATTEMPTS; seed++) {
    const fmax = best.timing.fmax_mhz;
    if (best.timing.met || fmax === null || fmax < WITHIN_REACH * megahertz) break;
    context.build.log(
      'route',
      `Fmax ${fmax} MHz is below the target of ${megahertz} MHz: placing and routing again, with seed ${seed} of ${ATTEMPTS}`,
    );
    const { ignoredLoops } = best.placed;
    const next = await timed(asPartOfRouting(context), { ...inputs, seed, ignoreLoops: ignoredLoops });
    placeSeconds += next.placed.placeSeconds;
    routeSeconds += next.placed.routeSeconds;
    if ((next.timing.fmax_mhz ?? 0) > fmax) best = next;
  }
  return { ...best, placed: { ...best.placed, placeSeconds, routeSeconds } };
}

async function timed(context: StageContext, inputs: PlaceAndRouteInputs): Promise<TimedDesign> {
  const placed = await placeAndRoute(context, inputs);
  return { placed, ...readTiming(placed.timing, inputs.megahertz) };
}

/** A further try is under the stage that the build has reached: no stage comes twice. */
function asPartOfRouting(context: StageContext): StageContext {
  const build: ToolContext = {
    ...context.build,
    log: (_stage, line) => context.build.log('route', line),
    progress: () => {},
  };
  return { ...context, build };
}
