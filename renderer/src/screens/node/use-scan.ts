import { useEffect, useMemo, useState } from 'react';
import type { ScanResult } from '../../../../server/contract/designs/uploads.ts';
import type { SubmitOptions } from '../../../../server/contract/jobs/jobs.ts';
import { type Query, useQuery } from '../../state/client/query.ts';
import type { DesignFile } from '../../state/files/design-file.ts';
import { uploadOf } from '../../state/files/upload.ts';

/** What the matcher found, or that it is looked for. */
export type Scan = Pick<Query<ScanResult>, 'data' | 'busy' | 'error'>;

/** Milliseconds without a key until what was typed is looked at. */
const TYPED_FOR = 100;

type Files = readonly DesignFile[];

const paths = (files: Files | undefined): string | undefined => files?.map(({ name }) => name).join('\n');

/** The files, and while they are typed into, their last version that stood still for a moment. */
function useSettled(files: Files | undefined): Files | undefined {
  const [settled, setSettled] = useState(files);
  const typing = files !== undefined && paths(settled) === paths(files);
  useEffect(() => {
    if (!typing) {
      setSettled(files);
      return;
    }
    const timer = setTimeout(() => setSettled(files), TYPED_FOR);
    return () => clearTimeout(timer);
  }, [files, typing]);
  return typing ? settled : files;
}

/**
 * Asks the service what it finds in a design, again whenever a file or an option that matters changes; a scan of an
 * older version that is under way is ended. No files: nothing is asked.
 */
export function useScan(files: Files | undefined, { top, addressing, ties, pins }: SubmitOptions): Scan {
  const settled = useSettled(files);
  const options: SubmitOptions = {
    ...(top !== undefined && { top }),
    ...(addressing !== undefined && { addressing }),
    ...(ties !== undefined && { ties }),
    ...(pins !== undefined && { pins }),
  };
  const scan = useQuery(
    settled && ['scan', settled, JSON.stringify(options)],
    async (service, signal, [, design]) =>
      service.scanDesign({ body: { file: await uploadOf(design), ...options } }, { signal }),
    { keep: true },
  );
  const { data, error } = scan;
  const busy = scan.busy || settled !== files;
  // The same at every key in between: what shows it need not be drawn again.
  return useMemo(() => ({ data, error, busy }), [data, error, busy]);
}
