import { useMemo, useRef } from 'react';
import type { DecoderRow } from '../../../../../../server/contract/signals/decoders.ts';
import { type Decoded, decode } from '../decoders/decode.ts';
import type { Traces } from '../recording/trace.ts';
import type { Lane } from './lanes.ts';
import { framesOfTransfers, type TransferTrace } from './transactions.ts';

/**
 * What the decoders of the rows find in a recording, by key. Each decodes once for its settings and the recording: 65,536
 * samples take some milliseconds, and drawing only looks frames up.
 */
export function useDecoded(
  lanes: readonly Lane[],
  traces: Traces | undefined,
  transfers: TransferTrace | null,
): ReadonlyMap<string, Decoded> {
  const found = useRef(new WeakMap<DecoderRow, { traces: Traces; decoded: Decoded }>());
  const bus = useMemo(() => (transfers ? framesOfTransfers(transfers) : null), [transfers]);
  return useMemo(() => {
    const all = new Map<string, Decoded>();
    for (const lane of lanes) {
      if (lane.kind === 'transfers' && bus) all.set(lane.key, { frames: bus });
      if (lane.kind !== 'decoder' || !traces) continue;
      const last = found.current.get(lane.row);
      const decoded = last?.traces === traces ? last.decoded : decode(lane.row, traces);
      found.current.set(lane.row, { traces, decoded });
      all.set(lane.key, decoded);
    }
    return all;
  }, [lanes, traces, bus]);
}
