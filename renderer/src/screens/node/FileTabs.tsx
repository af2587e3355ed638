import type { DesignFile } from '../../state/design-file.ts';
import { text } from '../../text/text.ts';

/** The files of a project: a button each, the one that is shown pressed; those with errors are marked. */
export function FileTabs({
  files,
  shown,
  faulty,
  onSelect,
}: {
  files: readonly DesignFile[];
  shown: string;
  /** Paths in which something was found that makes the build fail. */
  faulty: ReadonlySet<string>;
  onSelect(path: string): void;
}) {
  return (
    <nav className="file-tabs" aria-label={text.node.files}>
      {files.map(({ name }) => (
        <button
          key={name}
          type="button"
          className="file-tab mono"
          aria-pressed={name === shown}
          onClick={() => onSelect(name)}
        >
          {name}
          {faulty.has(name) && <span className="text-bad"> ✕</span>}
          {faulty.has(name) && <span className="sr-only">{text.node.severities.error}</span>}
        </button>
      ))}
    </nav>
  );
}
