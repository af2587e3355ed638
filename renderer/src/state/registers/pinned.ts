import { createStore } from 'zustand/vanilla';
import { type Memory, readStored } from '../page/preferences.ts';

/** Storage key of the register view; see its map-store.ts. */
const KEY = 'wishbench.register-maps';

/** The first pinned register of a design. */
export interface Pinned {
  address: number;
  /** Its name in the design's map; undefined without one. */
  name: string | undefined;
}

/** Counts the writes of the register view, for views of pinned values to compare. */
export const pinnedVersion = createStore<{ written: number }>(() => ({ written: 0 }));

/** Announces that the pinned register may have changed. */
export const pinnedChanged = (): void => pinnedVersion.setState(({ written }) => ({ written: written + 1 }));

/** The pinned register of a design in this browser. @param design module of the design, as in the register view */
export function pinnedOf(memory: Memory | undefined, design: string): Pinned | undefined {
  const stored = readStored(memory, KEY);
  const { designs }: Stored = typeof stored === 'object' && stored !== null ? stored : {};
  const view = designs?.[design];
  const [address] = Array.isArray(view?.pinned) ? view.pinned : [];
  if (typeof address !== 'number') return undefined;
  return { address, name: typeof view?.pinnedName === 'string' ? view.pinnedName : undefined };
}

interface Stored {
  designs?: Record<string, { pinned?: unknown; pinnedName?: unknown } | undefined>;
}
