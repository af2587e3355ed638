import { createStore } from 'zustand/vanilla';
import type { SignedIn } from '../api/types.ts';
import { type Memory, readStored, writeStored } from './preferences.ts';

export interface Identity {
  signedIn: SignedIn | undefined;
  /** The desktop window's operator token; in memory only, never stored, never in an address. */
  operatorToken: string | undefined;
}

const KEY = 'wishbench.key';

/**
 * Who calls. A minted key is kept for the tab's lifetime (session storage) so that a reload does not sign out;
 * a new tab asks again.
 */
export function createIdentityStore(memory: Memory | undefined) {
  const stored = readStored<SignedIn>(memory, KEY);
  const valid = typeof stored?.apiKey === 'string' && typeof stored.username === 'string';
  const store = createStore<Identity>(() => ({
    signedIn: valid ? stored : undefined,
    operatorToken: undefined,
  }));
  store.subscribe(({ signedIn }) => writeStored(memory, KEY, signedIn));
  return store;
}
export type IdentityStore = ReturnType<typeof createIdentityStore>;
