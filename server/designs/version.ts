import type { StoredVersion } from '../contract/designs/designs.ts';
import type { BuildReport } from '../contract/designs/uploads.ts';
import type { Job } from '../contract/jobs/jobs.ts';
import { digestOf } from '../store/index.ts';

/** On iCE40, look-up tables are counted in logic cells. */
export const lutsOf = ({ utilisation }: BuildReport): number | null =>
  utilisation.find(({ resource }) => /^(LUT|LC)/i.test(resource))?.used ?? null;

/** The version of an ended build; `source` null where it is unreadable. */
export function versionOf(
  job: Job,
  report: BuildReport | null,
  source: { filename: string; source: Uint8Array } | null,
): StoredVersion {
  const { job_id, fpga_id, updated_at: at, started_at = at, build_id, status, failure, cached, script } = job;
  return {
    job_id,
    fpga_id,
    at,
    build_id: build_id ?? null,
    ok: status === 'complete',
    error: failure?.error ?? null,
    cached: cached ?? false,
    fmax: report?.timing.fmax_mhz ?? null,
    luts: report && lutsOf(report),
    seconds: Math.max(0, Date.parse(at) - Date.parse(started_at)) / 1000,
    filename: source?.filename ?? job.submit?.filename ?? '',
    bytes: source?.source.byteLength ?? job.submit?.size ?? 0,
    source_sha256: source && digestOf(source.source),
    script: script ?? null,
  };
}
