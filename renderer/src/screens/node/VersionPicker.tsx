import { formatAgo } from '../../format/time.ts';
import { text } from '../../text/text.ts';
import type { VersionChoice } from './use-comparison.ts';
import type { Version } from './use-versions.ts';

const t = text.node.versions;

function nameOf({ at, ok, fmax }: Version): string {
  const what = !ok ? t.failed : fmax === null ? t.built : t.fmax(fmax.toFixed(1));
  return t.version(formatAgo(Date.parse(at), Date.now()), what);
}

function Choice({
  label,
  none,
  versions,
  chosen,
  onChoose,
}: {
  label: string;
  /** The choice without a version. */
  none: string;
  versions: readonly Version[];
  chosen: string | undefined;
  onChoose(jobId: string | undefined): void;
}) {
  return (
    <select
      className="input design-versions"
      aria-label={label}
      value={chosen ?? ''}
      onChange={(event) => onChoose(event.target.value || undefined)}
    >
      <option value="">{none}</option>
      {versions.map((version) => (
        <option key={version.job_id} value={version.job_id}>
          {nameOf(version)}
        </option>
      ))}
    </select>
  );
}

/** Chooses a version of the design to compare with, and then the version to compare. */
export function VersionPicker({
  versions,
  own,
  choice,
  onChoose,
}: {
  versions: readonly Version[];
  /** The build of the view's source, which cannot differ from itself. */
  own: string | undefined;
  choice: VersionChoice;
  onChoose(choice: VersionChoice): void;
}) {
  const { shown, original } = choice;
  const others = versions.filter(({ job_id, source_sha256 }) => job_id !== own && source_sha256 !== null);
  if (others.length === 0) return null;
  return (
    <>
      {original !== undefined && (
        <Choice
          label={t.shown}
          none={t.current}
          versions={others.filter(({ job_id }) => job_id !== original)}
          chosen={shown}
          onChoose={(jobId) => onChoose({ shown: jobId, original })}
        />
      )}
      <Choice
        label={t.label}
        none={t.none}
        versions={others.filter(({ job_id }) => job_id !== shown)}
        chosen={original}
        // Without an original there is nothing to compare: the view's own source comes back.
        onChoose={(jobId) => onChoose({ shown: jobId === undefined ? undefined : shown, original: jobId })}
      />
    </>
  );
}
