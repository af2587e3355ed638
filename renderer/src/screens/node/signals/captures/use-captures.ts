import { useMemo, useState } from 'react';
import type { SavedCapture } from '../../../../../../server/contract/signals/saved-captures.ts';
import type { CaptureView } from '../../../../../../server/contract/signals/signals.ts';
import { useBenchStore } from '../../../../state/client/context.tsx';
import { useQuery } from '../../../../state/client/query.ts';
import type { Look } from '../../../../state/page/routes.ts';
import { useSharedView } from '../../../../state/page/share.ts';
import { Comparison } from '../recording/differences.ts';
import { samplesFrom } from '../recording/samples.ts';
import { Traces } from '../recording/trace.ts';

/** A recording: of the node, or kept with the design. */
export type CaptureRef = { of: 'node' | 'design'; view: CaptureView };

export const keyOf = ({ of, view }: CaptureRef): string => `${of} ${view.capture_id}`;

const NONE: readonly CaptureView[] = [];
const NONE_SAVED: readonly SavedCapture[] = [];

/** The samples of a recording. */
function useTraces(fpgaId: number, designId: string | null, ref: CaptureRef | undefined) {
  return useQuery(
    ref && ['samples', fpgaId, designId, ref.of, ref.view.capture_id],
    async (service, signal, [, fpga_id, design_id, of, capture_id]) => {
      const format = 'bin' as const;
      const bytes =
        of === 'node'
          ? await service.exportCapture({ fpga_id, capture_id, format }, { signal })
          : await service.exportDesignCapture({ design_id: design_id ?? '', capture_id, format }, { signal });
      return ref && new Traces(samplesFrom(ref.view, bytes));
    },
    // The previous recording stays visible until the next.
    { keep: true },
  );
}

/** The recordings of a running design: which there are, which one is shown, and with which one it is compared. */
export function useCaptures(
  fpgaId: number,
  buildId: string | undefined,
  designId: string | null,
  look: Look = {},
) {
  const announced = useBenchStore(
    ({ captures }) => captures,
    (all) => all[fpgaId],
  );
  const { data: all = NONE } = useQuery(
    ['captures', fpgaId, buildId, announced],
    (service, signal, [, fpga_id]) => service.listCaptures({ fpga_id }, { signal }),
    { live: true, keep: true },
  );
  const { data: saved = NONE_SAVED, reload } = useQuery(
    designId === null ? undefined : ['saved captures', designId],
    (service, signal, [, design_id]) => service.listDesignCaptures({ design_id }, { signal }),
    { live: true, keep: true },
  );
  const [shownKey, setShown] = useState(look['capture'] ?? '');
  const [comparedKey, setCompared] = useState(look['other'] ?? '');

  const ofBuild = all.filter(({ build_id }) => build_id === buildId);
  const refs: CaptureRef[] = [
    ...ofBuild
      .filter(({ state, samples }) => state !== 'running' && samples > 0)
      .map((view) => ({ of: 'node' as const, view })),
    ...saved.map(({ capture: view }) => ({ of: 'design' as const, view })),
  ];
  const newest = refs.find(({ of }) => of === 'node');
  const shown = refs.find((ref) => keyOf(ref) === shownKey) ?? newest;
  const compared = refs.find((ref) => keyOf(ref) === comparedKey);
  // A link names the recording that it is about, also where the newest is shown.
  useSharedView(() => ({
    look: { capture: shown && keyOf(shown), other: compared && keyOf(compared) },
  }));
  const samples = useTraces(fpgaId, designId, shown);
  const others = useTraces(fpgaId, designId, compared);
  const traces =
    samples.data && (shown?.of === 'design' || samples.data.samples.view.build_id === buildId)
      ? samples.data
      : undefined;
  const other =
    compared && others.data?.samples.view.capture_id === compared.view.capture_id ? others.data : undefined;
  const comparison = useMemo(
    () => (traces && other ? new Comparison(traces, other) : undefined),
    [traces, other],
  );
  return {
    /** The last recording of the node, under way or ended. */
    capture: ofBuild[0],
    refs,
    saved,
    shown: shown && shown === newest && shownKey === '' ? undefined : shown,
    compared,
    traces,
    comparison,
    error: samples.error ?? others.error,
    setShown,
    setCompared,
    reload,
  };
}

export type Captures = ReturnType<typeof useCaptures>;
