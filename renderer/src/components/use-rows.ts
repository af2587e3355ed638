import { type CSSProperties, useCallback, useLayoutEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';

/** Maximum distance from the end that counts as the end, pixels. */
const AT_END = 24;
/** Maximum rows above those in sight while a list follows its end: every new row replaces them all. */
const FEW = 8;

interface LongList {
  count: number;
  /** Height of a row, pixels. */
  row: number;
  /** Rows drawn beyond each edge, for quick scrolling. */
  beyond: number;
  /** Whether the end stays in sight when rows come. */
  follow?: boolean;
  /** A person has scrolled away from the end, or back to it. */
  onFollow?(follow: boolean): void;
}

/** A long list whose rows all have the same height: which rows to draw, and in what. */
interface Rows {
  /** Of the element that scrolls. */
  ref(element: HTMLElement | null): void;
  /** Indexes of the rows to draw. */
  drawn: readonly number[];
  /** Of the element around the drawn rows: as high as all, with space before the drawn ones. */
  style: CSSProperties;
  /** Brings a row into sight: into the middle, or no further than needed. */
  show(index: number, place: 'middle' | 'nearest'): void;
}

/** Draws of a long list only what is in sight. Nothing depends on the number of rows. */
export function useRows({ count, row, beyond, follow = false, onFollow }: LongList): Rows {
  const [scroller, setScroller] = useState<HTMLElement | null>(null);
  const element = useRef<HTMLElement>(null);
  const ref = useCallback((one: HTMLElement | null) => {
    element.current = one;
    setScroller(one);
  }, []);
  const [first, setFirst] = useState(0);
  const [fit, setFit] = useState(0);
  const top = useRef(0);
  const onChange = useRef(onFollow);
  onChange.current = onFollow;
  const height = count * row;
  useLayoutEffect(() => {
    if (!scroller) return;
    const look = () => {
      setFirst(Math.floor(scroller.scrollTop / row));
      setFit(Math.ceil(scroller.clientHeight / row) + 1);
    };
    const onScroll = () => {
      const { scrollTop, scrollHeight, clientHeight } = scroller;
      const atEnd = scrollHeight - scrollTop - clientHeight < AT_END;
      // Only a person scrolls up: new rows before the event are no reason to stop following.
      const turned = atEnd ? scrollTop > top.current : scrollTop < top.current;
      top.current = scrollTop;
      // In this frame already: it would be drawn without the rows.
      flushSync(() => {
        if (atEnd !== follow && turned) onChange.current?.(atEnd);
        if (!follow || !atEnd) look();
      });
    };
    look();
    const sizes = new ResizeObserver(look);
    sizes.observe(scroller);
    scroller.addEventListener('scroll', onScroll, { passive: true });
    return () => {
      sizes.disconnect();
      scroller.removeEventListener('scroll', onScroll);
    };
  }, [scroller, row, follow]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: every new row moves the end, and every new size
  useLayoutEffect(() => {
    if (follow && scroller) scroller.scrollTop = scroller.scrollHeight;
  }, [scroller, follow, height, fit]);
  const last = Math.max(0, count - fit);
  const from = follow ? last - Math.min(beyond, FEW) : Math.min(first, last) - beyond;
  const start = Math.max(0, from);
  const end = follow ? count : Math.min(count, first + fit + beyond);
  return {
    ref,
    drawn: Array.from({ length: Math.max(0, end - start) }, (_, index) => start + index),
    // In the flow: a row of its own layer, moved to its place, costs twice as much to draw.
    style: { height, paddingTop: start * row, overflowAnchor: 'none' },
    show(index, place) {
      if (!element.current) return;
      const { scrollTop, clientHeight } = element.current;
      const bottom = (index + 1) * row - clientHeight;
      element.current.scrollTop =
        place === 'middle'
          ? index * row - (clientHeight - row) / 2
          : Math.min(index * row, Math.max(bottom, scrollTop));
    },
  };
}
