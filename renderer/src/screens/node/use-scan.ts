import type { ScanResult } from '../../../../server/contract/designs.ts';
import type { SubmitOptions } from '../../../../server/contract/jobs.ts';
import type { DesignFile } from '../../state/design-file.ts';
import { type Query, useQuery } from '../../state/query.ts';

/** What the matcher found, or that it is looked for. */
export type Scan = Pick<Query<ScanResult>, 'data' | 'busy' | 'error'>;

/** Asks the service what it finds in a file, again whenever the file or an option that matters changes. No file: nothing is asked. */
export function useScan(file: DesignFile | undefined, { top, addressing, ties }: SubmitOptions): Scan {
  const options: SubmitOptions = {
    ...(top !== undefined && { top }),
    ...(addressing !== undefined && { addressing }),
    ...(ties !== undefined && { ties }),
  };
  return useQuery(
    file && ['scan', file, JSON.stringify(options)],
    (service, signal, [, design]) => service.scanDesign({ body: { file: design, ...options } }, { signal }),
    { keep: true },
  );
}
