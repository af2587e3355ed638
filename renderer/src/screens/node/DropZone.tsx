import { useRef, useState } from 'react';
import { Button, IconButton } from '../../components/Button.tsx';
import { InlineError } from '../../components/Empty.tsx';
import { Icon } from '../../components/Icon.tsx';
import { Ago } from '../../components/Time.tsx';
import { formatBytes } from '../../format/size.ts';
import { showRefusal } from '../../state/actions.ts';
import { useBench } from '../../state/context.tsx';
import { chooseDesign, HDL_EXTENSIONS, openDesktopFile, takeFiles } from '../../state/drafts.ts';
import { useQuery } from '../../state/query.ts';
import { showToast } from '../../state/toasts.ts';
import { text } from '../../text/text.ts';
import './pick.css';
import { contentsOf, forgetFile, type RecentFile, recentFiles } from '../../state/recent-files.ts';

const t = text.node;

/** Opens the native dialog of the desktop application, or the browser's. */
function PickButton({ id, primary }: { id: number; primary: boolean }) {
  const client = useBench();
  const input = useRef<HTMLInputElement>(null);
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
      <input
        ref={input}
        type="file"
        hidden
        accept={HDL_EXTENSIONS.join(',')}
        onChange={(event) => {
          if (event.target.files) void takeFiles(client, id, event.target.files);
          event.target.value = '';
        }}
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
      const found = await client.desktop.readRecentFile(file.path);
      if (found) chooseDesign(client, id, { name: found.name, contents: found.contents }, found.path);
      else showToast(client.toasts, { tone: 'bad', text: t.drop.gone(file.name), remedy: t.drop.goneRemedy });
    } else if (file.contents !== undefined)
      chooseDesign(client, id, { name: file.name, contents: contentsOf(file.contents) });
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

function Examples({ id }: { id: number }) {
  const client = useBench();
  const { data: examples, error } = useQuery(['examples'], (service, signal) =>
    service.listExamples({}, { signal }),
  );
  const choose = async (file: string) => {
    try {
      chooseDesign(client, id, { name: file, contents: await client.service.getExample({ file }) });
    } catch (reason) {
      showRefusal(client, reason);
    }
  };
  if (error !== undefined) return <InlineError error={error} />;
  if (!examples || examples.length === 0) return null;
  return (
    <section className="pick-list">
      <h3>{t.examples}</h3>
      <ul>
        {examples.map(({ file, language, description }) => (
          <li key={file}>
            <button type="button" className="pick-item" onClick={() => void choose(file)}>
              <Icon name="file" />
              <span className="mono pick-name">{file}</span>
              <span className="muted truncate pick-text">{description}</span>
              <span className="muted pick-note">{language}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Where a design comes from: dropped, picked, used before, or an example. */
export function DropZone({ id }: { id: number }) {
  return (
    <div className="pick">
      <div className="drop">
        <Icon name="upload" size={28} />
        <p className="drop-title">{t.drop.title}</p>
        <p className="muted">{t.drop.text}</p>
        <PickButton id={id} primary />
      </div>
      <div className="pick-lists">
        <Recent id={id} />
        <Examples id={id} />
      </div>
    </div>
  );
}

/** The same in one line, where a design is shown already. */
export function DropLine({ id }: { id: number }) {
  return <PickButton id={id} primary={false} />;
}
