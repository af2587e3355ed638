import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { Button } from './Button.tsx';
import type { IconName } from './Icon.tsx';
import './popover.css';

interface Props {
  /** The name of the button and of its panel. */
  label: string;
  icon: IconName;
  /** A short text on the button, such as a count. */
  mark?: string;
  className?: string;
  children: ReactNode;
}

/**
 * A button with a panel below it, over the content. Escape closes it and returns the focus; so does a click elsewhere,
 * or focus that leaves it.
 */
export function Popover({ label, icon, mark, className = '', children }: Props) {
  const [open, setOpen] = useState(false);
  const id = useId();
  const frame = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!open) return;
    const closeElsewhere = (event: Event) => {
      if (!frame.current?.contains(event.target as Node)) setOpen(false);
    };
    document.addEventListener('pointerdown', closeElsewhere);
    document.addEventListener('focusin', closeElsewhere);
    return () => {
      document.removeEventListener('pointerdown', closeElsewhere);
      document.removeEventListener('focusin', closeElsewhere);
    };
  }, [open]);
  return (
    // Escape reaches the frame from whatever in the panel has the focus.
    // biome-ignore lint/a11y/noStaticElementInteractions: see above
    <div
      className={`popover ${className}`}
      ref={frame}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !open) return;
        event.preventDefault();
        event.stopPropagation();
        setOpen(false);
        button.current?.focus();
      }}
    >
      <Button
        ref={button}
        kind="quiet"
        icon={icon}
        className={mark === undefined ? 'button-icon' : ''}
        aria-label={label}
        title={label}
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => setOpen(!open)}
      >
        {mark}
      </Button>
      {open && (
        <section className="popover-panel" id={id} aria-label={label}>
          {children}
        </section>
      )}
    </div>
  );
}
