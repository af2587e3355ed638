import { useState } from 'react';
import { ServiceError } from '../../../../../server/contract/client/failures.ts';
import type { WaveRow } from '../../../../../server/contract/waves.ts';
import { showRefusal } from '../../../state/actions.ts';
import { useBench } from '../../../state/context.tsx';
import { useQuery } from '../../../state/query.ts';

const NONE: readonly WaveRow[] = [];

/**
 * Which signals of a design are watched: what is kept with it on the bench, and what was chosen here since.
 * @param mayKeep whether this window changes what is kept for everybody, or only looks on
 */
export function useWaves(
  designId: string | null,
  mayKeep: boolean,
): { rows: readonly WaveRow[]; change(rows: readonly WaveRow[]): void } {
  const client = useBench();
  const { data, put } = useQuery(
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
  return {
    rows: data ?? own,
    change(rows) {
      setOwn(rows);
      if (designId === null) return;
      put(rows);
      if (!mayKeep) return;
      client.service
        .putDesignWaves({ design_id: designId, body: { rows: [...rows] } })
        .catch((error) => showRefusal(client, error));
    },
  };
}
