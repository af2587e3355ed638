// The newest notice, in the top bar: it covers no readout and moves nothing.
import { useEffect, useState } from 'react';
import { useBench, useBenchStore } from '../state/client/context.tsx';
import { dismissToast, type Toast } from '../state/page/toasts.ts';
import { text } from '../text/text.ts';
import { Button, IconButton } from './Button.tsx';
import { Icon, type IconName } from './Icon.tsx';
import { NoticeActions, NoticeText } from './notices/NoticeActions.tsx';
import './toasts.css';

/** How long a toast is shown, ms; the list of notices has it afterwards. */
const SHOWN_FOR = 6000;
const BAD_SHOWN_FOR = 15_000;

const ICONS: Record<Toast['tone'], IconName> = {
  plain: 'info',
  good: 'complete',
  warn: 'warning',
  bad: 'error',
};
export const toneIcon = (tone: Toast['tone']): IconName => ICONS[tone];

function ToastItem({ toast, others }: { toast: Toast; others: number }) {
  const client = useBench();
  // Who reads or uses it keeps it.
  const [held, setHeld] = useState(false);
  const { id, tone, duration = tone === 'bad' ? BAD_SHOWN_FOR : SHOWN_FOR } = toast;
  useEffect(() => {
    if (held || duration === Number.POSITIVE_INFINITY) return;
    const timer = setTimeout(() => dismissToast(client.toasts, id), duration);
    return () => clearTimeout(timer);
  }, [client, id, duration, held]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: pointing only keeps it; its buttons have the actions
    <div
      className={`toast toast-${tone}`}
      role={tone === 'bad' || tone === 'warn' ? 'alert' : 'status'}
      onMouseEnter={() => setHeld(true)}
      onMouseLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <Icon name={ICONS[tone]} />
      <div className="toast-text">
        <p>
          <NoticeText text={toast.text} about={toast.about} />
        </p>
        {toast.remedy && <p className="muted">{toast.remedy}</p>}
      </div>
      <NoticeActions about={toast.about} />
      {toast.action && (
        <Button
          onClick={() => {
            toast.action?.run();
            dismissToast(client.toasts, id);
          }}
        >
          {toast.action.label}
        </Button>
      )}
      {others > 0 && <span className="toast-others muted">{text.notices.more(others)}</span>}
      <IconButton icon="close" label={text.dismiss} onClick={() => dismissToast(client.toasts, id)} />
    </div>
  );
}

/** The newest toast, and the live region for screen readers. The next one appears when it leaves. */
export function Toasts() {
  const { toasts, announcement } = useBenchStore((client) => client.toasts);
  const newest = toasts.at(-1);
  return (
    <>
      <div className="toasts">
        {newest && <ToastItem key={newest.id} toast={newest} others={toasts.length - 1} />}
      </div>
      <p className="sr-only" role="status" aria-live="polite">
        {announcement}
      </p>
    </>
  );
}
