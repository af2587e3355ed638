import type { ReactNode } from 'react';
import { sentence } from '../../../server/contract/sentences.ts';
import type { Query } from '../state/client/query.ts';
import { explain } from '../state/page/explain.ts';
import { text } from '../text/text.ts';
import './empty.css';
import { Button } from './Button.tsx';
import { Icon, type IconName } from './Icon.tsx';

/** An empty view, with the way to fill it. */
export function EmptyState({
  icon,
  title,
  text,
  action,
  page = false,
}: {
  icon: IconName;
  title: string;
  text?: string;
  /** The page has nothing else: its title is the page's heading. */
  page?: boolean;
  action?: ReactNode;
}) {
  return (
    <div className="empty">
      <Icon name={icon} size={28} />
      {page ? <h1 className="empty-title">{title}</h1> : <p className="empty-title">{title}</p>}
      {text && <div className="empty-text">{text}</div>}
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

/** A waiting view. CSS shows it only after a delay. */
export function Loading({ label = text.loading }: { label?: string }) {
  return (
    <p className="loading" role="status">
      {label}
    </p>
  );
}

/** In place of an answer that has not come: a wait, or why the request failed. */
export function Pending({ query: { error, reload } }: { query: Pick<Query<unknown>, 'error' | 'reload'> }) {
  return error === undefined ? <Loading /> : <ErrorState error={error} onRetry={reload} />;
}

/** An error next to its cause, with its remedy. */
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
