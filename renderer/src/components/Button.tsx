import { type ButtonHTMLAttributes, type MouseEvent, type ReactNode, type Ref, useState } from 'react';
import './button.css';
import { Icon, type IconName } from './Icon.tsx';

/** The focus is its own matter: whoever follows it does so with `onFocusCapture` and `onBlurCapture`. */
interface Props extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'onFocus' | 'onBlur'> {
  /** One `primary` per view; `danger` for actions that lose something. */
  kind?: 'primary' | 'plain' | 'quiet' | 'danger';
  icon?: IconName;
  /** Keys for the same action, shown next to the label. */
  keys?: string;
  busy?: boolean;
  children?: ReactNode;
  ref?: Ref<HTMLButtonElement>;
}

const refuse = (event: MouseEvent) => event.preventDefault();

/**
 * A focused button that is disabled is so by name only: browsers take the focus from a disabled one, and whoever works
 * with keys would be nowhere after the first press.
 */
export function Button({
  kind = 'plain',
  icon,
  keys,
  busy,
  children,
  className = '',
  disabled = false,
  onClick,
  ...rest
}: Props) {
  const [focused, setFocused] = useState(false);
  return (
    <button
      type="button"
      className={`button button-${kind} ${className}`}
      aria-busy={busy || undefined}
      aria-disabled={(disabled && focused) || undefined}
      disabled={disabled && !focused}
      onFocus={() => setFocused(true)}
      onBlur={() => setFocused(false)}
      onClick={disabled ? refuse : onClick}
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
