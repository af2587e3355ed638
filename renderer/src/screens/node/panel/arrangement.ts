import type { Panel, PanelCard } from '../../../../../server/contract/designs/panel.ts';

/** The names in their chosen order; those without a place come last, as they were. */
export function arranged(names: readonly string[], order: readonly string[] = []): string[] {
  const here = new Set(names);
  const placed = [...new Set(order)].filter((name) => here.has(name));
  return [...placed, ...names.filter((name) => !placed.includes(name))];
}

/** The names after one of them has moved to a place; a place beyond an end is that end. */
export function moved(names: readonly string[], name: string, place: number): string[] {
  const others = names.filter((one) => one !== name);
  return others.toSpliced(Math.max(0, place), 0, name);
}

/** The panel with a change of one card; what is `undefined` goes back to the default. */
export function withCard(
  panel: Panel,
  name: string,
  change: { [K in keyof PanelCard]: PanelCard[K] | undefined },
): Panel {
  const card: Record<string, unknown> = { ...panel.cards?.[name], ...change };
  for (const key of Object.keys(card)) if (card[key] === undefined || card[key] === '') delete card[key];
  const { [name]: _before, ...others } = panel.cards ?? {};
  return {
    ...panel,
    cards: Object.keys(card).length === 0 ? others : { ...others, [name]: card as PanelCard },
  };
}

/** Whether somebody changed the panel. */
export const isChanged = ({ ports, order, cards }: Panel): boolean =>
  order !== undefined || Object.keys(ports).length + Object.keys(cards ?? {}).length > 0;

/** Place and size of a card on the page. */
export type Box = Pick<DOMRect, 'left' | 'top' | 'width' | 'height'>;

/**
 * The place of a dragged card among the others: before the card under the pointer, or after it beyond its middle.
 * Null where there is none.
 * @param boxes of the cards in their order, the dragged one included
 */
export function placeAt(boxes: readonly Box[], dragged: number, x: number, y: number): number | null {
  const at = boxes.findIndex(
    ({ left, top, width, height }) => x >= left && x < left + width && y >= top && y < top + height,
  );
  const box = boxes[at];
  if (box === undefined || at === dragged) return null;
  const after = x >= box.left + box.width / 2;
  // The places count without the dragged card.
  const before = at > dragged ? at - 1 : at;
  return after ? before + 1 : before;
}
