import type { BuildReport } from '../../../../server/contract/designs.ts';
import type { Diagnostic } from '../../../../server/contract/diagnostics.ts';
import type { Job } from '../../../../server/contract/jobs.ts';
import { useEffect, useMemo, useState } from 'react';
import { sourcePlaces } from '../../state/log-document.ts';
import { useLog } from '../../state/use-log.ts';
import { useBench } from '../../state/context.tsx';
import { hasEnded } from '../../state/jobs.ts';

export interface BuildDetails {
  source: Uint8Array | undefined;
  report: BuildReport | undefined;
  diagnostics: readonly Diagnostic[];
  /** Why the source is not there. */
  error: unknown;
}

/** The report of a build, once there is one. */
export function useReport(job: Job | undefined): { report: BuildReport | undefined; error: unknown } {
  const client = useBench();
  const [state, setState] = useState<{ id?: string; report?: BuildReport; error?: unknown }>({});
  const id = job?.job_id;
  const complete = job?.status === 'complete';
  const node = job?.fpga_id;
  useEffect(() => {
    if (id === undefined || node === undefined || !complete) return;
    const abort = new AbortController();
    client.service.report(node, id, abort.signal).then(
      (report) => setState({ id, report }),
      (error: unknown) => {
        if (!abort.signal.aborted) setState({ id, error });
      },
    );
    return () => abort.abort();
  }, [client, node, id, complete]);
  const own = state.id === id;
  return { report: own ? state.report : undefined, error: own ? state.error : undefined };
}

/** Messages with a place in the source, as the build's log names them. */
function useLogDiagnostics(job: Job): Diagnostic[] {
  const log = useLog(job.fpga_id, job.job_id);
  const version = log?.document.version;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the document changes in place; its version tells
  return useMemo(() => {
    const found = new Map<string, Diagnostic>();
    for (const { text, level, body } of log?.document.lines ?? []) {
      if (level !== 'error' && level !== 'warning') continue;
      const [place] = sourcePlaces(text);
      if (!place) continue;
      const before = text.slice(body, place.from).replace(/^(?:error|warning): /, '');
      const message = `${before}${text.slice(place.to).replace(/^:\s*/, '')}`.trim();
      found.set(`${place.line} ${message}`, { level, file: place.file, line: place.line, message });
    }
    return [...found.values()];
  }, [log, version]);
}

export function useBuildDetails(job: Job): BuildDetails {
  const client = useBench();
  const { fpga_id: node, job_id: id } = job;
  const [source, setSource] = useState<{ id: string; bytes?: Uint8Array; error?: unknown } | undefined>();
  useEffect(() => {
    const abort = new AbortController();
    client.service.source(node, id, abort.signal).then(
      (bytes) => setSource({ id, bytes }),
      (error: unknown) => {
        if (!abort.signal.aborted) setSource({ id, error });
      },
    );
    return () => abort.abort();
  }, [client, node, id]);
  const { report } = useReport(hasEnded(job) ? job : undefined);
  const fromLog = useLogDiagnostics(job);
  const own = source?.id === id ? source : undefined;
  const diagnostics = report && report.diagnostics.length > 0 ? report.diagnostics : fromLog;
  return { source: own?.bytes, report, diagnostics, error: own?.error };
}
