// What a page and the schema of a panel share. It has no schema, so that a page does not load one.

/** The name of the terminal in a panel's arrangement. */
export const TERMINAL_CARD = '$terminal';

/** The sizes of what a card shows. */
export const CARD_SIZES = ['small', 'medium', 'large'] as const;
export type CardSize = (typeof CARD_SIZES)[number];

/** Columns of a panel: the unit of a card's width. */
export const PANEL_COLUMNS = 12;
