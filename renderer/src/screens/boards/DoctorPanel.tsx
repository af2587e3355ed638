import { useState } from 'react';
import type { Finding } from '../../../../server/contract/boards/boards.ts';
import { Badge, type Tone } from '../../components/Badge.tsx';
import { Button } from '../../components/Button.tsx';
import { InlineError } from '../../components/Empty.tsx';
import type { IconName } from '../../components/Icon.tsx';
import { useQuery } from '../../state/client/query.ts';
import { text } from '../../text/text.ts';

const t = text.doctor;

const LOOKS: Record<Finding['status'], { tone: Tone; icon: IconName }> = {
  ok: { tone: 'reserved', icon: 'complete' },
  warning: { tone: 'warn', icon: 'warning' },
  problem: { tone: 'error', icon: 'error' },
  skipped: { tone: 'idle', icon: 'info' },
};

/** The doctor: checks what this computer needs to reach its boards, and shows each finding with its remedy. */
export function DoctorPanel() {
  const [requested, setRequested] = useState(false);
  const {
    data: findings,
    error,
    busy,
    reload,
  } = useQuery(requested ? ['doctor'] : undefined, (service, signal) => service.runDoctor({}, { signal }));
  const examine = () => (requested ? reload() : setRequested(true));
  return (
    <section className="panel" aria-label={t.title} aria-busy={busy}>
      <header className="row">
        <h2>{t.title}</h2>
        <p className="muted">{t.text}</p>
        <Button className="push" busy={busy} disabled={busy} onClick={examine}>
          {busy ? t.running : findings ? t.again : t.run}
        </Button>
      </header>
      {error !== undefined && <InlineError error={error} />}
      {findings?.length === 0 && <p role="status">{t.healthy}</p>}
      {findings && findings.length > 0 && (
        <ul className="findings" aria-live="polite">
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
