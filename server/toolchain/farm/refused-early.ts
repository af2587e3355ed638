import type { Clock } from '../../clock.ts';
import { toolchainError } from '../../errors/toolchain.ts';
import type { EarlyScan } from '../build/early-scan.ts';
import type { BuildContext } from '../build-request.ts';

/** A build that a worker takes sooner is not looked at, ms. */
const LOOK_AFTER_MS = 300;

/**
 * Waits for a build on the farm, and looks at the design meanwhile: one that cannot be right leaves the queue and is told so,
 * however long the line is.
 * @param look null where there is nothing to say @throws what the build throws, and the error of a refused design
 */
export async function raceRefusal<T>({
  build,
  look,
  context,
  signal,
  clock,
}: {
  build(context: BuildContext, signal: AbortSignal): Promise<T>;
  look(signal: AbortSignal): Promise<EarlyScan | null>;
  context: BuildContext;
  signal: AbortSignal;
  clock: Clock;
}): Promise<T> {
  const [ends, looking] = [new AbortController(), new AbortController()];
  const abort = () => ends.abort(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  let begun = false;
  const started = async () => {
    if (ends.signal.aborted) throw toolchainError('build_aborted');
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
        // The worker will find out what there is to find.
        () => {},
      );
    });
  });
  try {
    const building = build({ ...context, started }, ends.signal);
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
    signal.removeEventListener('abort', abort);
  }
}
