import { createStore } from 'zustand/vanilla';
import { type Memory, readStored } from '../page/preferences.ts';

/** Where the register view keeps what is pinned; see its map-store.ts. */
const KEY = 'wishbench.register-maps';

/** The register that was pinned first for a design. */
export interface Pinned {
  address: number;
  /** Its name in the map of the design; undefined where it has none. */
  name: string | undefined;
}

/** Counts what the register view has written there: what those compare who show a pinned value. */
export const pinnedVersion = createStore<{ written: number }>(() => ({ written: 0 }));

/** Says that something else may be pinned now. */
export const pinnedChanged = (): void => pinnedVersion.setState(({ written }) => ({ written: written + 1 }));

/** What is pinned for a design in this browser. @param design module of the design, as the register view knows it */
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
