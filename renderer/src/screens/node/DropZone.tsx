import { useRef, useState } from 'react';
import type { NodeView } from '../../../../server/contract/nodes/nodes.ts';
import { Button, IconButton } from '../../components/Button.tsx';
import { FileInput } from '../../components/FileInput.tsx';
import { Icon } from '../../components/Icon.tsx';
import { Ago } from '../../components/Time.tsx';
import { formatBytes } from '../../format/size.ts';
import { useBench, useBenchStore } from '../../state/client/context.tsx';
import {
  amaranthMissing,
  chooseDesign,
  openDesktopFile,
  takeFiles,
  usableExtensions,
} from '../../state/drafts/drafts.ts';
import { pickedFiles } from '../../state/drafts/dropped-files.ts';
import { navigateLater } from '../../state/page/router.ts';
import { showToast } from '../../state/page/toasts.ts';
import { text } from '../../text/text.ts';
import './pick.css';
import { forgetFile, fromBase64, type RecentFile, recentFiles } from '../../state/files/recent-files.ts';
import { Gallery } from './Gallery.tsx';

const t = text.node;

/** Opens the native file dialog of the desktop application, or the browser's. */
function PickButton({ node, primary }: { node: NodeView; primary: boolean }) {
  const client = useBench();
  const id = node.fpga_id;
  const input = useRef<HTMLInputElement | null>(null);
  return (
    <>
      <Button
        kind={primary ? 'primary' : 'plain'}
        icon="upload"
        data-submit=""
        onClick={() => (client.desktop ? void openDesktopFile(client, id) : input.current?.click())}
      >
        {primary ? t.drop.pick : t.another}
      </Button>
      <FileInput
        input={input}
        multiple
        onFiles={(files) => void takeFiles(client, id, pickedFiles(files))}
        accept={[...usableExtensions(client), '.zip', '.pcf', '.hex', '.mem', '.vh', '.svh'].join(',')}
      />
    </>
  );
}

function Recent({ id }: { id: number }) {
  const client = useBench();
  const [files, setFiles] = useState(() => recentFiles(client.memory));
  if (files.length === 0) return null;
  const choose = async (file: RecentFile) => {
    if (file.path !== undefined && client.desktop) {
      const go = navigateLater();
      const found = await client.desktop.readRecentFile(file.path);
      if (found) chooseDesign(client, id, { name: found.name, contents: found.contents }, found.path, go);
      else showToast(client.toasts, { tone: 'bad', text: t.drop.gone(file.name), remedy: t.drop.goneRemedy });
    } else if (file.contents !== undefined)
      chooseDesign(client, id, { name: file.name, contents: fromBase64(file.contents) });
  };
  return (
    <section className="pick-list">
      <h3>{t.recent}</h3>
      <ul>
        {files.map((file) => (
          <li key={`${file.path ?? ''} ${file.name}`}>
            <button type="button" className="pick-item" onClick={() => void choose(file)} title={file.path}>
              <Icon name="file" />
              <span className="mono truncate">{file.name}</span>
              <span className="muted pick-note">
                {formatBytes(file.size)}, <Ago at={file.at} />
              </span>
            </button>
            <IconButton
              icon="close"
              label={t.forget(file.name)}
              onClick={() => {
                forgetFile(client.memory, file);
                setFiles(recentFiles(client.memory));
              }}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The ways to choose a design: drop, pick, recent files, examples. */
export function DropZone({ node }: { node: NodeView }) {
  const client = useBench();
  const id = node.fpga_id;
  // The status tells the available languages.
  useBenchStore(
    ({ status }) => status,
    ({ status }) => status?.languages,
  );
  return (
    <div className="pick">
      <div className="drop">
        <Icon name="upload" size={28} />
        <p className="drop-title">{t.drop.title}</p>
        <p className="muted">{t.drop.text(amaranthMissing(client) === undefined)}</p>
        <PickButton node={node} primary />
      </div>
      <Recent id={id} />
      <Gallery node={node} />
    </div>
  );
}

/** The same in one line, next to a shown design. */
export function DropLine({ node }: { node: NodeView }) {
  return <PickButton node={node} primary={false} />;
}
