import type { ReactNode } from 'react';
import { sentence } from '../../../server/contract/sentences.ts';
import { explain } from '../state/page/explain.ts';
import { text } from '../text/text.ts';
import './empty.css';
import { Button } from './Button.tsx';
import { Icon, type IconName } from './Icon.tsx';

/** Nothing here yet, and what makes something be here. */
export function EmptyState({
  icon,
  title,
  children,
  action,
  page = false,
}: {
  icon: IconName;
  title: string;
  /** It is all there is on the page: its title is the page's. */
  page?: boolean;
  children?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className="empty">
      <Icon name={icon} size={28} />
      {page ? <h1 className="empty-title">{title}</h1> : <p className="empty-title">{title}</p>}
      {children && <div className="empty-text">{children}</div>}
      {action && <div className="empty-action">{action}</div>}
    </div>
  );
}

export function ErrorState({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const { message, remedy } = explain(error);
  return (
    <div className="empty" role="alert">
      <span className="empty-bad">
        <Icon name="error" size={28} />
      </span>
      <p className="empty-title">{message}</p>
      {remedy && <div className="empty-text">{remedy}</div>}
      {onRetry && (
        <div className="empty-action">
          <Button icon="repeat" onClick={onRetry}>
            {text.tryAgain}
          </Button>
        </div>
      )}
    </div>
  );
}

/** Something is on its way; appears only when it takes long enough to be noticed (in CSS). */
export function Loading({ label = text.loading }: { label?: string }) {
  return (
    <p className="loading" role="status">
      {label}
    </p>
  );
}

/** An error beside what caused it: what happened, what to do. */
export function InlineError({ error }: { error: unknown }) {
  const { message, remedy } = explain(error);
  return (
    <p className="inline-error" role="alert">
      <Icon name="error" />
      <span>
        {sentence(message)} {remedy && <span className="inline-remedy">{remedy}</span>}
      </span>
    </p>
  );
}
