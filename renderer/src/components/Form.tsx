import type { FormHTMLAttributes, ReactNode } from 'react';
import { useAct } from '../state/actions/use-act.ts';
import { Button } from './Button.tsx';
import { InlineError } from './Empty.tsx';

interface Props extends Omit<FormHTMLAttributes<HTMLFormElement>, 'action' | 'onSubmit'> {
  /** What the form does; a refusal stays with it. */
  run(): Promise<unknown>;
  /** Text of its button. */
  action: string;
  /** It cannot be sent yet. */
  disabled?: boolean;
  /** Buttons before that of the form. */
  others?: ReactNode;
}

/** A form that runs one action at a time, with its button at the end. */
export function Form({ run, action, disabled = false, others, className = '', children, ...form }: Props) {
  const { busy, error, submit } = useAct(undefined, { inline: true });
  return (
    <form className={`stack ${className}`} onSubmit={submit(run)} {...form}>
      {children}
      {error !== undefined && <InlineError error={error} />}
      <div className="row-end">
        {others}
        <Button kind="primary" type="submit" busy={busy} disabled={busy || disabled}>
          {action}
        </Button>
      </div>
    </form>
  );
}
