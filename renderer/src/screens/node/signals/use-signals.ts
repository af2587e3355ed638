import type { SignalList, SignalValues } from '../../../../../server/contract/signals/signals.ts';
import { type Query, useQuery } from '../../../state/client/query.ts';

/** The bench's maximum for a design. */
const ALL = 20_000;
/** Poll interval of live values, ms. */
const LOOK_MS = 500;
/** The same of the clock's state, which only another caller changes without this page. */
const LOOK_AT_CLOCK_MS = 2000;

/** The signals of the running design. */
export const useSignalList = (fpgaId: number, buildId: string | undefined): Query<SignalList> =>
  useQuery(buildId === undefined ? undefined : ['signals', fpgaId, buildId], (service, signal, [, fpga_id]) =>
    service.listSignals({ fpga_id, limit: ALL }, { signal }),
  );

/**
 * Polls the values of signals, and whether the clock is paused.
 * @param names undefined while no view shows values
 */
export function useLiveValues(fpgaId: number, names: readonly string[] | undefined): Query<SignalValues> {
  return useQuery(
    names && ['values', fpgaId, names.join(' ')],
    (service, signal, [, fpga_id]) => service.readSignals({ fpga_id, names: [...(names ?? [])] }, { signal }),
    { every: names?.length === 0 ? LOOK_AT_CLOCK_MS : LOOK_MS, keep: true },
  );
}
