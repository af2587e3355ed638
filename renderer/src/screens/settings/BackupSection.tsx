import { useState } from 'react';
import { Button } from '../../components/Button.tsx';
import { CopyText } from '../../components/CopyText.tsx';
import { saveFile } from '../../components/clipboard.ts';
import { InlineError } from '../../components/Empty.tsx';
import { useBench, useBenchStore } from '../../state/client/context.tsx';
import { text } from '../../text/text.ts';
import { Section } from './inputs.tsx';

const t = text.backup;

/** `wishbench-2026-11-28.tar.gz` */
const fileName = (now: Date): string => `wishbench-${now.toISOString().slice(0, 10)}.tar.gz`;

/** Downloads a backup, and says how to restore one. */
export function BackupSection() {
  const client = useBench();
  const folder = useBenchStore(
    (bench) => bench.status,
    ({ status }) => status?.data?.folder,
  );
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const download = async () => {
    setBusy(true);
    setError(undefined);
    try {
      await saveFile(fileName(new Date()), await client.service.makeBackup(), 'application/gzip');
    } catch (reason) {
      setError(reason);
    } finally {
      setBusy(false);
    }
  };
  // A folder may contain spaces.
  const command = `wishbench restore ${fileName(new Date())}${folder ? ` --data "${folder}"` : ''}`;
  return (
    <Section title={t.title}>
      <div className="settings-wide backup">
        <p>{t.what}</p>
        <p>
          <Button icon="download" busy={busy} disabled={busy} onClick={() => void download()}>
            {busy ? t.making : t.download}
          </Button>
        </p>
        {error !== undefined && <InlineError error={error} />}
        <h3>{t.restore}</h3>
        <ol className="backup-steps">
          <li>
            {t.run} <CopyText value={command} label={t.command} />
          </li>
          <li>{t.restart}</li>
          <li>{t.keys}</li>
        </ol>
      </div>
    </Section>
  );
}
