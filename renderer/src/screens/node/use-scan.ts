import { useEffect, useMemo, useRef, useState } from 'react';
import type { Declaration } from '../../../../server/contract/designs/declarations.ts';
import type { ScanResult } from '../../../../server/contract/designs/uploads.ts';
import type { SubmitOptions } from '../../../../server/contract/jobs/jobs.ts';
import { type Query, useQuery } from '../../state/client/query.ts';
import type { DesignFile } from '../../state/files/design-file.ts';
import { uploadOf } from '../../state/files/upload.ts';

/** The matcher result, or the pending request for it. */
export type Scan = Pick<Query<ScanResult>, 'data' | 'busy' | 'error'>;

/** Pause after the last key before a scan, ms. */
const TYPED_FOR = 100;

type Files = readonly DesignFile[];

const paths = (files: Files | undefined): string | undefined => files?.map(({ name }) => name).join('\n');

/** The files; while the person types, their last settled version. */
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
 * Scans a design, and again after each change of a file or a relevant option. A new scan aborts the pending one.
 * Without files there is no scan.
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
  // The same object on every key in between: its views need not render.
  return useMemo(() => ({ data, error, busy }), [data, error, busy]);
}

const NONE: readonly Declaration[] = [];

/** The declarations of the last scan that could read the sources: while one types, most cannot. */
export function useDeclarations({ data }: Scan): readonly Declaration[] {
  const last = useRef(NONE);
  if (data?.declarations !== undefined) last.current = data.declarations;
  return last.current;
}
