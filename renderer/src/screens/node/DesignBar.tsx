import type { ReactNode } from 'react';
import type { NodeView } from '../../../../server/contract/nodes/nodes.ts';
import { Button, IconButton } from '../../components/Button.tsx';
import { saveFile } from '../../components/clipboard.ts';
import { baseName } from '../../components/WatchBadge.tsx';
import { formatBytes } from '../../format/size.ts';
import { type Draft, decodeSource } from '../../state/drafts/drafts.ts';
import type { DesignFile } from '../../state/files/design-file.ts';
import { text } from '../../text/text.ts';
import { DropLine } from './DropZone.tsx';

const t = text.node;

/** The bar above a source: size, what is not stored or not needed, versions, and what can be done with it. */
export function DesignBar({
  node,
  draft,
  files,
  file,
  onClose,
  onAgain,
  children,
}: {
  node: NodeView;
  draft: Draft | undefined;
  files: readonly DesignFile[] | undefined;
  /** The shown file. */
  file: DesignFile | undefined;
  onClose(): void;
  onAgain(): void;
  /** The versions. */
  children: ReactNode;
}) {
  const size = files?.reduce((sum, { contents }) => sum + contents.length, 0);
  const { unstored = [], aside = [] } = draft ?? {};
  return (
    <div className="design-bar">
      <span className="muted design-size">{size === undefined ? '' : formatBytes(size)}</span>
      {unstored.length > 0 && (
        <span className="text-warn truncate" title={t.drafts.unstoredNames(unstored)}>
          {t.drafts.unstored(unstored.length)}
        </span>
      )}
      {aside.length > 0 && (
        <span className="muted truncate" title={t.asideNames(aside)}>
          {t.aside(aside.length)}
        </span>
      )}
      <span className="row design-acts">
        {children}
        {file && (
          <IconButton
            icon="download"
            label={t.downloadSource}
            onClick={() => void saveFile(baseName(file.name), decodeSource(file.contents), 'text/plain')}
          />
        )}
        {draft ? (
          <Button kind="quiet" onClick={onClose}>
            {draft.edited ? t.discardEdits : t.discard}
          </Button>
        ) : (
          <>
            {/* It is there before the files: its neighbours stay in place. */}
            <Button icon="repeat" disabled={!files} onClick={onAgain}>
              {t.again}
            </Button>
            <DropLine node={node} />
          </>
        )}
      </span>
    </div>
  );
}
