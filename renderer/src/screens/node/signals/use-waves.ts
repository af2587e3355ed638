import { useRef, useState } from 'react';
import { ServiceError } from '../../../../../server/contract/client/failures.ts';
import type { WaveRow } from '../../../../../server/contract/signals/waves.ts';
import { showRefusal } from '../../../state/actions/actions.ts';
import { useBench } from '../../../state/client/context.tsx';
import { useQuery } from '../../../state/client/query.ts';

const NONE: readonly WaveRow[] = [];

interface Waves {
  /** Undefined until loaded: a change before that would overwrite the stored rows. */
  rows: readonly WaveRow[] | undefined;
  change(rows: readonly WaveRow[]): void;
}

/**
 * The watched signals of a design: those stored with it, and this window's changes.
 * @param mayKeep the window may change the stored rows
 */
export function useWaves(designId: string | null, mayKeep: boolean): Waves {
  const client = useBench();
  const { data, error, put } = useQuery(
    designId === null ? undefined : ['waves', designId],
    async (service, signal, [, design_id]): Promise<readonly WaveRow[]> => {
      try {
        return (await service.getDesignWaves({ design_id }, { signal })).rows;
      } catch (error) {
        if (error instanceof ServiceError && error.code === 'no_waves') return NONE;
        throw error;
      }
    },
    { live: true },
  );
  const [own, setOwn] = useState<readonly WaveRow[]>(NONE);
  // One request at a time: the service could otherwise store an earlier change last.
  const keeping = useRef<Promise<unknown>>(Promise.resolve());
  const last = useRef<readonly WaveRow[]>(NONE);
  const known = designId === null || data !== undefined || error !== undefined;
  return {
    rows: known ? (data ?? own) : undefined,
    change(rows) {
      setOwn(rows);
      if (designId === null) return;
      put(rows);
      if (!mayKeep) return;
      last.current = rows;
      keeping.current = keeping.current.then(async () => {
        // Only the current rows; a later change sends its own.
        if (last.current !== rows) return;
        await client.service
          .putDesignWaves({ design_id: designId, body: { rows: [...rows] } })
          .catch((error) => showRefusal(client, error));
      });
    },
  };
}
