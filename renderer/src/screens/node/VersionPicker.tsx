import { formatAgo } from '../../format/time.ts';
import { text } from '../../text/text.ts';
import type { Version } from './use-versions.ts';

const t = text.node.versions;

function nameOf({ at, ok, fmax }: Version): string {
  const what = !ok ? t.failed : fmax === null ? t.built : t.fmax(fmax.toFixed(1));
  return t.version(formatAgo(Date.parse(at), Date.now()), what);
}

/** Chooses a version of the design to compare with. */
export function VersionPicker({
  versions,
  shown,
  chosen,
  onChoose,
}: {
  versions: readonly Version[];
  /** The build of the shown source, which cannot differ from itself. */
  shown: string | undefined;
  chosen: string | undefined;
  onChoose(jobId: string | undefined): void;
}) {
  const others = versions.filter(({ job_id, source_sha256 }) => job_id !== shown && source_sha256 !== null);
  if (others.length === 0) return null;
  return (
    <select
      className="input design-versions"
      aria-label={t.label}
      value={chosen ?? ''}
      onChange={(event) => onChoose(event.target.value || undefined)}
    >
      <option value="">{t.none}</option>
      {others.map((version) => (
        <option key={version.job_id} value={version.job_id}>
          {nameOf(version)}
        </option>
      ))}
    </select>
  );
}
