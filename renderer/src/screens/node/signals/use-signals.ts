import type {
  CaptureView,
  SignalList,
  SignalValues,
} from '../../../../../server/contract/signals/signals.ts';
import { useBenchStore } from '../../../state/client/context.tsx';
import { type Query, useQuery } from '../../../state/client/query.ts';
import { samplesFrom } from './waves/samples.ts';
import { Traces } from './waves/trace.ts';

/** The bench's maximum for a design. */
const ALL = 20_000;
/** Poll interval of live values, ms. */
const LOOK_MS = 500;

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
    { every: LOOK_MS, keep: true },
  );
}

/** The last capture of the running design, and its samples when they are there. */
export function useCapture(
  fpgaId: number,
  buildId: string | undefined,
): { capture: CaptureView | undefined; traces: Traces | undefined; error: unknown } {
  const said = useBenchStore(
    ({ captures }) => captures,
    (all) => all[fpgaId],
  );
  const { data } = useQuery(
    ['captures', fpgaId, buildId, said],
    async (service, signal, [, fpga_id]) => (await service.listCaptures({ fpga_id }, { signal }))[0] ?? null,
    { live: true, keep: true },
  );
  const capture = data?.build_id === buildId ? (data ?? undefined) : undefined;
  const ended =
    capture !== undefined && capture.state !== 'running' && capture.samples > 0 ? capture : undefined;
  const samples = useQuery(
    ended && ['samples', fpgaId, ended.capture_id],
    async (service, signal, [, fpga_id, capture_id]) => {
      const bytes = await service.exportCapture({ fpga_id, capture_id, format: 'bin' }, { signal });
      return ended && new Traces(samplesFrom(ended, bytes));
    },
    // The previous recording stays visible until the next.
    { keep: true },
  );
  const traces = samples.data?.samples.view.build_id === buildId ? samples.data : undefined;
  return { capture, traces, error: samples.error };
}
