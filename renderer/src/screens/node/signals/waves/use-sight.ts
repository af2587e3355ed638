import { type RefObject, useEffect, useState } from 'react';

/** The visible part of a scrolling element, and the width of its picture, CSS pixels. */
export interface Sight {
  top: number;
  height: number;
  width: number;
}

/** Follows the visible part of an element. @param step of `top`: the browser scrolls the rest */
export function useSight(scroller: RefObject<HTMLElement | null>, step: number): Sight {
  const [sight, setSight] = useState<Sight>({ top: 0, height: 400, width: 600 });
  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const plot = element.querySelector('.waves-side');
    const look = () => {
      const top = Math.floor(element.scrollTop / step) * step;
      const next = { top, height: element.clientHeight, width: plot?.clientWidth ?? 0 };
      setSight((before) =>
        before.top === next.top && before.height === next.height && before.width === next.width
          ? before
          : next,
      );
    };
    element.addEventListener('scroll', look, { passive: true });
    const sizes = new ResizeObserver(look);
    sizes.observe(element);
    if (plot) sizes.observe(plot);
    look();
    return () => {
      element.removeEventListener('scroll', look);
      sizes.disconnect();
    };
  }, [scroller, step]);
  return sight;
}
