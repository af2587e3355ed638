// A button that opens a list of actions.
import { type KeyboardEvent, useLayoutEffect, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { Button, IconButton } from './Button.tsx';
import type { IconName } from './Icon.tsx';
import './menu.css';

export interface MenuItem {
  label: string;
  run(): void;
  disabled?: boolean;
}

interface MenuProps {
  /** Accessible name, and the text of a button that is not only an icon. */
  label: string;
  icon: IconName;
  iconOnly?: boolean;
  disabled?: boolean;
  /** Called when it opens: a list may depend on that moment. */
  items(): readonly MenuItem[];
}

/** Distance from the button and from the edges of the window, CSS pixels. */
const GAP = 4;

/** A menu below its button. Arrow keys move, Enter chooses, Escape closes; the focus returns to the button. */
export function Menu({ label, icon, iconOnly = false, disabled, items }: MenuProps) {
  const [open, setOpen] = useState<{ list: readonly MenuItem[]; at: DOMRect } | undefined>();
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = menu.current;
    if (!element || !open) return;
    const { width, height } = element.getBoundingClientRect();
    const below = open.at.bottom + GAP;
    const top = below + height <= window.innerHeight ? below : open.at.top - GAP - height;
    const left = Math.min(open.at.right - width, window.innerWidth - width - GAP);
    element.style.left = `${Math.max(GAP, left)}px`;
    element.style.top = `${Math.max(GAP, top)}px`;
    element.querySelector<HTMLElement>('[role="menuitem"]:not([aria-disabled="true"])')?.focus();
    // What moves under an open menu would leave it somewhere else.
    const close = () => setOpen(undefined);
    window.addEventListener('resize', close);
    return () => window.removeEventListener('resize', close);
  }, [open]);
  const close = () => {
    setOpen(undefined);
    button.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    const all = [...event.currentTarget.querySelectorAll<HTMLElement>('[role="menuitem"]')];
    const at = all.indexOf(document.activeElement as HTMLElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1 + all.length, Home: 0, End: all.length - 1 }[event.key];
    event.stopPropagation();
    if (to !== undefined) all[to % all.length]?.focus();
    else if (event.key === 'Escape' || event.key === 'Tab') close();
    else return;
    event.preventDefault();
  };
  const shared = {
    ref: button,
    icon,
    kind: 'quiet',
    disabled,
    'aria-haspopup': 'menu',
    'aria-expanded': open !== undefined,
    onClick: () => {
      const at = button.current?.getBoundingClientRect();
      if (open) close();
      else if (at) setOpen({ list: items(), at });
    },
  } as const;
  return (
    <>
      {iconOnly ? <IconButton label={label} {...shared} /> : <Button {...shared}>{label}</Button>}
      {open &&
        createPortal(
          <>
            <div className="menu-away" onPointerDown={close} />
            <div
              ref={menu}
              className="menu"
              role="menu"
              aria-label={label}
              tabIndex={-1}
              onKeyDown={onKeyDown}
            >
              {open.list.map((item) => (
                <button
                  key={item.label}
                  type="button"
                  role="menuitem"
                  tabIndex={-1}
                  aria-disabled={item.disabled || undefined}
                  onClick={() => {
                    if (item.disabled) return;
                    close();
                    item.run();
                  }}
                >
                  {item.label}
                </button>
              ))}
            </div>
          </>,
          document.body,
        )}
    </>
  );
}
