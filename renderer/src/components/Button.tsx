import { type ButtonHTMLAttributes, type ReactNode, type Ref, useImperativeHandle } from 'react';
import './button.css';
import { useFocusWhenDisabled } from './focus-when-disabled.ts';
import { Icon, type IconName } from './Icon.tsx';

interface Props extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** One `primary` per view; `danger` for actions that lose something. */
  kind?: 'primary' | 'plain' | 'quiet' | 'danger';
  icon?: IconName;
  /** Keys for the same action, shown next to the label. */
  keys?: string;
  busy?: boolean;
  children?: ReactNode;
  ref?: Ref<HTMLButtonElement>;
}

export function Button({ kind = 'plain', icon, keys, busy, children, className = '', ref, ...rest }: Props) {
  const button = useFocusWhenDisabled(rest.disabled);
  useImperativeHandle<HTMLButtonElement | null, HTMLButtonElement | null>(ref, () => button.current, [
    button,
  ]);
  return (
    <button
      ref={button}
      type="button"
      className={`button button-${kind} ${className}`}
      aria-busy={busy || undefined}
      {...rest}
    >
      {icon && <Icon name={icon} />}
      {children}
      {keys && (
        <span className="button-keys" aria-hidden="true">
          {keys}
        </span>
      )}
    </button>
  );
}

interface IconButtonProps extends Omit<Props, 'children' | 'icon'> {
  icon: IconName;
  /** Tooltip and accessible name. */
  label: string;
}

export function IconButton({ icon, label, kind = 'quiet', className = '', ...rest }: IconButtonProps) {
  return (
    <Button
      kind={kind}
      icon={icon}
      className={`button-icon ${className}`}
      aria-label={label}
      title={label}
      {...rest}
    />
  );
}
