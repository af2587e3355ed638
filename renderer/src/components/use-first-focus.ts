import { type RefObject, useEffect } from 'react';

/** Puts the focus where the view's one action is, unless the person has it somewhere already. */
export function useFirstFocus(ref: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const { activeElement } = document;
    if (activeElement === null || activeElement === document.body) ref.current?.focus();
  }, [ref]);
}
