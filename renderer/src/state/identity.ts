import { createStore } from 'zustand/vanilla';
import { type Memory, readStored, writeStored } from './preferences.ts';

/** A key that this window calls with, and whose it is. */
export interface SignedIn {
  apiKey: string;
  username: string;
  /** Handed out to this window, so that signing out ends it. */
  minted: boolean;
}

export interface Identity {
  signedIn: SignedIn | undefined;
  /** The desktop window's operator token; in memory only, never stored, never in an address. */
  operatorToken: string | undefined;
}

const KEY = 'wishbench.key';

function checked(stored: unknown): SignedIn | undefined {
  const { apiKey, username, minted }: { [K in keyof SignedIn]?: unknown } =
    typeof stored === 'object' && stored !== null ? stored : {};
  if (typeof apiKey !== 'string' || typeof username !== 'string') return undefined;
  return { apiKey, username, minted: minted === true };
}

/**
 * Who calls. A minted key is kept for the tab's lifetime (session storage) so that a reload does not sign out;
 * a new tab asks again.
 */
export function createIdentityStore(memory: Memory | undefined) {
  const store = createStore<Identity>(() => ({
    signedIn: checked(readStored(memory, KEY)),
    operatorToken: undefined,
  }));
  store.subscribe(({ signedIn }) => writeStored(memory, KEY, signedIn));
  return store;
}
