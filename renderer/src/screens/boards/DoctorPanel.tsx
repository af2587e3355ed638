import type { Finding } from '../../../../server/contract/boards.ts';
import { useState } from 'react';
import { Badge, type Tone } from '../../components/Badge.tsx';
import { Button } from '../../components/Button.tsx';
import { InlineError } from '../../components/Empty.tsx';
import type { IconName } from '../../components/Icon.tsx';
import { useBench } from '../../state/context.tsx';
import { text } from '../../text/text.ts';

const t = text.doctor;

const LOOKS: Record<Finding['status'], { tone: Tone; icon: IconName }> = {
  ok: { tone: 'reserved', icon: 'complete' },
  warning: { tone: 'warn', icon: 'warning' },
  problem: { tone: 'error', icon: 'error' },
  skipped: { tone: 'idle', icon: 'info' },
};

/** Examines what stands between this computer and its boards: each finding with its remedy. */
export function DoctorPanel() {
  const client = useBench();
  const [findings, setFindings] = useState<Finding[] | undefined>();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const examine = async () => {
    setBusy(true);
    setError(undefined);
    try {
      setFindings(await client.service.doctor());
    } catch (reason) {
      setError(reason);
    } finally {
      setBusy(false);
    }
  };
  return (
    <section className="panel" aria-label={t.title} aria-busy={busy}>
      <header className="row">
        <h2>{t.title}</h2>
        <p className="muted">{t.text}</p>
        <Button className="push" busy={busy} disabled={busy} onClick={() => void examine()}>
          {busy ? t.running : findings ? t.again : t.run}
        </Button>
      </header>
      {error !== undefined && <InlineError error={error} />}
      {findings?.length === 0 && <p role="status">{t.healthy}</p>}
      {findings && findings.length > 0 && (
        <ul className="findings" role="status">
          {findings.map(({ id, title, status, message, remedy }) => {
            const look = LOOKS[status];
            return (
              <li key={id} className="finding">
                <Badge tone={look.tone} icon={look.icon}>
                  {t.statuses[status]}
                </Badge>
                <div>
                  <p>
                    <strong>{title}.</strong> {message}
                  </p>
                  {remedy && <pre className="finding-remedy">{remedy}</pre>}
                </div>
              </li>
            );
          })}
        </ul>
      )}
    </section>
  );
}
