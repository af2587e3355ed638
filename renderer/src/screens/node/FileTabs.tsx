import { useEffect, useRef } from 'react';
import type { DesignFile } from '../../state/files/design-file.ts';
import { text } from '../../text/text.ts';

/** The files of a project, a button each; files with errors have a mark. */
export function FileTabs({
  files,
  shown,
  faulty,
  onSelect,
}: {
  files: readonly DesignFile[];
  shown: string;
  /** Paths of the files with errors. */
  faulty: ReadonlySet<string>;
  onSelect(path: string): void;
}) {
  const button = useRef<HTMLButtonElement>(null);
  // Scrolls to the chosen file, which another view may have chosen.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the button is another one when another file is shown
  useEffect(() => {
    button.current?.scrollIntoView?.({ block: 'nearest' });
  }, [shown]);
  return (
    <nav className="file-tabs" aria-label={text.node.files}>
      {files.map(({ name }) => (
        <button
          key={name}
          type="button"
          className="file-tab mono"
          ref={name === shown ? button : undefined}
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
