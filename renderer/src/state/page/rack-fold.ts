import type { NodeTab } from './routes.ts';

/** Where the rack stands next to a node: next to a view that needs the width, or next to any other. */
export type RackPlace = 'wide-view' | 'other-view';

/** From this width on, CSS pixels, even the source and the waves have room next to the rack. */
export const ROOM_FOR_BOTH = 1600;

/** Views that take all the width they get. */
const WIDE_VIEWS: ReadonlySet<NodeTab> = new Set(['design', 'signals']);

export const rackPlaceOf = (tab: NodeTab, roomForBoth: boolean): RackPlace =>
  !roomForBoth && WIDE_VIEWS.has(tab) ? 'wide-view' : 'other-view';

/** What a person chose in each place: true is the strip. */
export type RackChoices = Readonly<Partial<Record<RackPlace, boolean>>>;

/** Whether the rack is a strip: as the person chose for this place, else only next to a view that needs the width. */
export const isRackFolded = (choices: RackChoices, place: RackPlace): boolean =>
  choices[place] ?? place === 'wide-view';
