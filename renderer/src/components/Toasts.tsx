// Notices at the bottom right.
import { useEffect } from 'react';
import { useBench, useBenchStore } from '../state/client/context.tsx';
import { dismissToast, type Toast } from '../state/page/toasts.ts';
import { text } from '../text/text.ts';
import { Button, IconButton } from './Button.tsx';
import { Icon } from './Icon.tsx';
import './toasts.css';

const SHOWN_FOR = 6000;

function ToastItem({ toast }: { toast: Toast }) {
  const client = useBench();
  const { id, tone, duration = tone === 'bad' ? undefined : SHOWN_FOR } = toast;
  useEffect(() => {
    if (duration === undefined) return;
    const timer = setTimeout(() => dismissToast(client.toasts, id), duration);
    return () => clearTimeout(timer);
  }, [client, id, duration]);
  return (
    <div className={`toast toast-${tone}`} role={tone === 'bad' ? 'alert' : 'status'}>
      <Icon name={tone === 'bad' ? 'error' : tone === 'good' ? 'complete' : 'info'} />
      <div className="toast-text">
        <p>{toast.text}</p>
        {toast.remedy && <p className="muted">{toast.remedy}</p>}
      </div>
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
      <IconButton icon="close" label={text.dismiss} onClick={() => dismissToast(client.toasts, id)} />
    </div>
  );
}

/** Notices at the bottom right, and the live region for screen readers. */
export function Toasts() {
  const { toasts, announcement } = useBenchStore(
    (client) => client.toasts,
    (state) => state,
  );
  return (
    <>
      <div className="toasts">
        {toasts.map((toast) => (
          <ToastItem key={toast.id} toast={toast} />
        ))}
      </div>
      <p className="sr-only" role="status" aria-live="polite">
        {announcement}
      </p>
    </>
  );
}
