import { useLayoutEffect, useRef } from 'react';

/**
 * A ref for a button that keeps the focus while it is disabled: browsers take the focus from a disabled one, and whoever
 * works with keys would be nowhere after the first press.
 */
export function useFocusWhenDisabled(disabled: boolean | undefined) {
  const ref = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    const button = ref.current;
    if (!button || !disabled || document.activeElement !== button) return;
    button.disabled = false;
    button.setAttribute('aria-disabled', 'true');
    const refuse = (event: Event) => {
      event.preventDefault();
      event.stopImmediatePropagation();
    };
    const release = () => {
      button.removeAttribute('aria-disabled');
      button.removeEventListener('click', refuse);
      button.removeEventListener('blur', leave);
    };
    const leave = () => {
      release();
      button.disabled = true;
    };
    button.addEventListener('click', refuse);
    button.addEventListener('blur', leave);
    return release;
  }, [disabled]);
  return ref;
}
