import { useRef, useState } from 'react';
import type { Waves } from '../../../../../server/contract/signals/waves.ts';
import { showRefusal } from '../../../state/actions/actions.ts';
import { useBench } from '../../../state/client/context.tsx';
import { useQuery } from '../../../state/client/query.ts';

const NONE: Waves = { rows: [] };

interface DesignWaves {
  /** Undefined until loaded: a change before that would overwrite what is stored. */
  waves: Waves | undefined;
  change(waves: Waves): void;
}

/**
 * The waveform view of a design: what is stored with it, and this window's changes.
 * @param mayKeep the window may change what is stored
 */
export function useWaves(designId: string | null, mayKeep: boolean): DesignWaves {
  const client = useBench();
  const { data, error, put } = useQuery(
    designId === null ? undefined : ['waves', designId],
    async (service, signal, [, design_id]): Promise<Waves> =>
      (await service.getDesignWaves({ design_id }, { signal })) ?? NONE,
    { live: true },
  );
  const [own, setOwn] = useState<Waves>(NONE);
  // One request at a time: the service could otherwise store an earlier change last.
  const keeping = useRef<Promise<unknown>>(Promise.resolve());
  const last = useRef<Waves>(NONE);
  const known = designId === null || data !== undefined || error !== undefined;
  return {
    waves: known ? (data ?? own) : undefined,
    change(waves) {
      setOwn(waves);
      if (designId === null) return;
      put(waves);
      if (!mayKeep) return;
      last.current = waves;
      keeping.current = keeping.current.then(async () => {
        // Only the current view; a later change sends its own.
        if (last.current !== waves) return;
        await client.service
          .putDesignWaves({ design_id: designId, body: waves })
          .catch((error) => showRefusal(client, error));
      });
    },
  };
}
