import { type KeyboardEvent, type PointerEvent, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { PanelCard } from '../../../../../server/contract/designs/panel.ts';
import { PANEL_COLUMNS } from '../../../../../server/contract/designs/panel-cards.ts';
import { useBench } from '../../../state/client/context.tsx';
import { announce } from '../../../state/page/toasts.ts';
import { text } from '../../../text/text.ts';
import { moved, placeAt } from './arrangement.ts';

const t = text.panel;

/** Steps of the keys that move a card. */
const STEPS: Partial<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowUp: -1,
  ArrowRight: 1,
  ArrowDown: 1,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
};

/**
 * Follows a pointer until it is up; Escape ends it too. It listens on the window: a card that moves in the page would
 * lose a captured pointer. Returns the function that ends it early.
 */
function followPointer(
  onMove: (event: globalThis.PointerEvent) => void,
  onEnd: (kept: boolean) => void,
): () => void {
  const end = (kept: boolean) => {
    window.removeEventListener('pointermove', onMove);
    window.removeEventListener('pointerup', up);
    window.removeEventListener('pointercancel', cancel);
    window.removeEventListener('keydown', key, true);
    onEnd(kept);
  };
  const up = () => end(true);
  const cancel = () => end(false);
  const key = (event: globalThis.KeyboardEvent) => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    event.stopPropagation();
    cancel();
  };
  window.addEventListener('pointermove', onMove);
  window.addEventListener('pointerup', up);
  window.addEventListener('pointercancel', cancel);
  window.addEventListener('keydown', key, true);
  return cancel;
}

const cardsAround = (element: Element): HTMLElement[] => [
  ...(element.closest('.panel-stage')?.querySelectorAll<HTMLElement>('[data-card]') ?? []),
];

interface Options {
  name: string;
  title: string;
  card: PanelCard;
  order: readonly string[];
  onCard(change: { width: number | undefined }): void;
  onOrder(order: string[]): void;
}

/** Moves and widens one card, by pointer and by keyboard. */
export function useArranging(options: Options) {
  const { name, title, order, onOrder } = options;
  const client = useBench();
  const latest = useRef(options);
  latest.current = options;
  const [dragged, setDragged] = useState(false);
  const [width, setWidth] = useState<number>();
  const handleElement = useRef<HTMLButtonElement>(null);
  const focusAgain = useRef(false);
  const stop = useRef<() => void>(undefined);
  useEffect(() => () => stop.current?.(), []);
  // A card that moves in the page loses the focus.
  // biome-ignore lint/correctness/useExhaustiveDependencies: after each move
  useLayoutEffect(() => {
    if (focusAgain.current) handleElement.current?.focus();
    focusAgain.current = false;
  }, [order]);

  const put = (next: string[]) => {
    if (next.join() === order.join()) return;
    focusAgain.current = true;
    onOrder(next);
    announce(client.toasts, t.movedTo(title, next.indexOf(name) + 1, next.length));
  };

  const handle = {
    ref: handleElement,
    onKeyDown(event: KeyboardEvent) {
      const step = STEPS[event.key];
      if (step === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      put(moved(order, name, Math.min(order.length, order.indexOf(name) + step)));
    },
    onPointerDown(event: PointerEvent<HTMLButtonElement>) {
      if (event.button !== 0) return;
      const before = order;
      const element = event.currentTarget;
      setDragged(true);
      stop.current = followPointer(
        ({ clientX, clientY }) => {
          const cards = cardsAround(element);
          const at = cards.findIndex(({ dataset }) => dataset['card'] === name);
          const place = placeAt(
            cards.map((card) => card.getBoundingClientRect()),
            at,
            clientX,
            clientY,
          );
          const { order: now, onOrder: change } = latest.current;
          if (place !== null && now.indexOf(name) !== place) change(moved(now, name, place));
        },
        (kept) => {
          stop.current = undefined;
          setDragged(false);
          if (!kept && latest.current.order.join() !== before.join()) latest.current.onOrder([...before]);
        },
      );
    },
  };

  const edge = {
    onPointerDown(event: PointerEvent<HTMLElement>) {
      if (event.button !== 0) return;
      const card = event.currentTarget.parentElement;
      const room = card?.parentElement?.clientWidth ?? 0;
      if (!card || room === 0) return;
      event.preventDefault();
      let columns: number | undefined;
      stop.current = followPointer(
        ({ clientX }) => {
          const wanted = ((clientX - card.getBoundingClientRect().left) / room) * PANEL_COLUMNS;
          columns = Math.max(1, Math.min(PANEL_COLUMNS, Math.round(wanted)));
          setWidth(columns);
        },
        (kept) => {
          stop.current = undefined;
          setWidth(undefined);
          if (kept && columns !== undefined) latest.current.onCard({ width: columns });
        },
      );
    },
    onDoubleClick: () => latest.current.onCard({ width: undefined }),
  };
  return { dragged, handle, edge, width };
}
