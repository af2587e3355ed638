import type { ScanResult } from '../../../../server/contract/designs.ts';
import type { SubmitOptions } from '../../../../server/contract/jobs.ts';
import { useEffect, useState } from 'react';
import type { DesignFile } from '../../api/service.ts';
import { useBench } from '../../state/context.tsx';

export interface Scan {
  result: ScanResult | undefined;
  busy: boolean;
  error?: unknown;
}

/** Asks the service what it finds in a file, again whenever the file or an option that matters changes. No file: nothing is asked. */
export function useScan(file: DesignFile | undefined, options: SubmitOptions): Scan {
  const client = useBench();
  const [scan, setScan] = useState<Scan>({ result: undefined, busy: true });
  const { top, addressing, ties } = options;
  const tied = JSON.stringify(ties ?? {});
  useEffect(() => {
    if (file === undefined) return;
    const abort = new AbortController();
    setScan((before) => ({ result: before.result, busy: true }));
    const chosen: SubmitOptions = {
      ...(top !== undefined && { top }),
      ...(addressing !== undefined && { addressing }),
      ties: JSON.parse(tied),
    };
    client.service.scan(file, chosen, abort.signal).then(
      (result) => setScan({ result, busy: false }),
      (error: unknown) => {
        if (!abort.signal.aborted) setScan({ result: undefined, busy: false, error });
      },
    );
    return () => abort.abort();
  }, [client, file, top, addressing, tied]);
  return scan;
}
