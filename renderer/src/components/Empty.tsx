import type { ReactNode } from 'react';
import { ServiceError, UnreachableError } from '../api/errors.ts';
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
}: {
  icon: IconName;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className="empty">
      <Icon name={icon} size={28} />
      <p className="empty-title">{title}</p>
      {children && <div className="empty-text">{children}</div>}
      {action && <div className="empty-action">{action}</div>}
    </div>
  );
}

/** The sentences for any error: the service's own where it answered. */
export function explain(error: unknown): { message: string; remedy: string | undefined } {
  if (error instanceof ServiceError) {
    const fields = error.fields.map(({ loc, msg }) => `${loc.slice(1).join('.')} ${msg}`.trim());
    return { message: error.message, remedy: fields.length > 0 ? `${fields.join('; ')}.` : error.remedy };
  }
  if (error instanceof UnreachableError)
    return { message: text.error.unreachable, remedy: text.error.unreachableRemedy };
  return { message: text.error.unexpected, remedy: error instanceof Error ? error.message : undefined };
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
        {message} {remedy && <span className="inline-remedy">{remedy}</span>}
      </span>
    </p>
  );
}
