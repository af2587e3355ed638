import { useEffect, useState } from 'react';
import { Button } from '../components/Button.tsx';
import { Dialog } from '../components/Dialog.tsx';
import { EmptyState } from '../components/Empty.tsx';
import { Icon } from '../components/Icon.tsx';
import { NoticeActions, NoticeText } from '../components/notices/NoticeActions.tsx';
import { Ago } from '../components/Time.tsx';
import { toneIcon } from '../components/Toasts.tsx';
import { useBench, useBenchStore } from '../state/client/context.tsx';
import { dismissAll, markSeen, type Notice } from '../state/page/notices.ts';
import { offerUndo } from '../state/page/toasts.ts';
import { text } from '../text/text.ts';
import './notices.css';

const t = text.notices;

function Entry({ notice, fresh }: { notice: Notice; fresh: boolean }) {
  const { tone, text: sentence, remedy, about, at } = notice;
  return (
    <li className={`notices-entry notices-${tone} ${fresh ? 'notices-fresh' : ''}`}>
      <Icon name={toneIcon(tone)} />
      <div>
        <p>
          <NoticeText text={sentence} about={about} />
        </p>
        {remedy && <p className="muted">{remedy}</p>}
        <p className="notices-at muted">
          <Ago at={new Date(at).toISOString()} />
          {fresh && <span className="sr-only">, {t.fresh}</span>}
        </p>
        <div className="row">
          <NoticeActions about={about} />
        </div>
      </div>
    </li>
  );
}

/** The last notices, newest first. */
export default function NoticeList({ onClose }: { onClose(): void }) {
  const client = useBench();
  const notices = useBenchStore(
    (of) => of.notices,
    (state) => state.notices,
  );
  // What was new at the opening is marked while the list is open.
  const [seenBefore] = useState(() => client.notices.getState().seenAt);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what arrives while the list is open is seen
  useEffect(() => markSeen(client.notices, Date.now()), [client, notices]);
  return (
    <Dialog
      title={t.title}
      size="side"
      onClose={onClose}
      actions={
        notices.length > 0 && (
          <Button
            onClick={() => {
              onClose();
              const undo = dismissAll(client.notices);
              offerUndo(client.toasts, t.dismissed(notices.length), undo);
            }}
          >
            {t.dismissAll}
          </Button>
        )
      }
    >
      {notices.length === 0 ? (
        <EmptyState icon="bell" title={t.none} text={t.noneText} />
      ) : (
        // A link leads to another view: the list would cover it.
        // biome-ignore lint/a11y/useKeyWithClickEvents: Enter on a link is a click
        <ol
          className="notices"
          onClick={(event) => {
            if (event.target instanceof Element && event.target.closest('a')) onClose();
          }}
        >
          {notices.map((notice) => (
            <Entry key={notice.key} notice={notice} fresh={notice.at > seenBefore} />
          ))}
        </ol>
      )}
    </Dialog>
  );
}
