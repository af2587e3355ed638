import type { Clock } from '../../clock.ts';
import { toolchainError } from '../../errors/toolchain.ts';
import type { EarlyScan, LookEarly } from '../build/early-scan.ts';
import type { BuildContext } from '../build-request.ts';

/** A build that a worker takes within this time is not scanned here, ms. */
const LOOK_AFTER_MS = 300;

/**
 * Waits for a build on the farm, and scans the design meanwhile. A refused design leaves the queue at once.
 * @throws what the build throws, or the error of a refused design
 */
export async function raceRefusal<T>({
  build,
  look,
  context,
  signal: outer,
  clock,
}: {
  build(context: BuildContext, signal: AbortSignal): Promise<T>;
  look: LookEarly;
  context: BuildContext;
  signal: AbortSignal;
  clock: Clock;
}): Promise<T> {
  const [ends, looking] = [new AbortController(), new AbortController()];
  const signal = AbortSignal.any([outer, ends.signal]);
  let begun = false;
  const started = async () => {
    if (signal.aborted) throw toolchainError('build_aborted');
    begun = true;
    looking.abort();
    await context.started();
  };
  let cancel = () => {};
  const refused = new Promise<Extract<EarlyScan, { kind: 'refused' }>>((resolve) => {
    cancel = clock.after(LOOK_AFTER_MS, () => {
      if (looking.signal.aborted) return;
      look(looking.signal).then(
        (early) => {
          if (early?.kind === 'refused' && !begun) resolve(early);
        },
        // The worker will report the problem.
        () => {},
      );
    });
  });
  try {
    const building = build({ ...context, started }, signal);
    const end = await Promise.race([building.then((built) => ({ built })), refused]);
    if ('built' in end) return end.built;
    ends.abort(end.error);
    await building.catch(() => {});
    await context.started();
    for (const line of end.lines) context.log(...line);
    throw end.error;
  } finally {
    cancel();
    looking.abort();
  }
}
