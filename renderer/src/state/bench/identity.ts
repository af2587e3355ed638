import { createStore } from 'zustand/vanilla';
import { type Memory, readStored, writeStored } from '../page/preferences.ts';

/** A key that this window calls with, and whose it is. */
export interface SignedIn {
  apiKey: string;
  username: string;
  /** Handed out to this window, so that signing out ends it. */
  minted: boolean;
  /** The person wants to stay signed in: the browser keeps the key when the tab is closed. */
  kept: boolean;
}

export interface Identity {
  signedIn: SignedIn | undefined;
  /** The desktop window's operator token; in memory only, never stored, never in an address. */
  operatorToken: string | undefined;
}

const KEY = 'wishbench.key';

function checked(stored: unknown): SignedIn | undefined {
  const { apiKey, username, minted, kept }: { [K in keyof SignedIn]?: unknown } =
    typeof stored === 'object' && stored !== null ? stored : {};
  if (typeof apiKey !== 'string' || typeof username !== 'string') return undefined;
  return { apiKey, username, minted: minted === true, kept: kept === true };
}

/** Who is signed in, as it was kept for the tab or for good. */
export const signedInOf = (tabMemory: Memory | undefined, memory: Memory | undefined): SignedIn | undefined =>
  checked(readStored(tabMemory, KEY)) ?? checked(readStored(memory, KEY));

/**
 * Who calls. A key is kept for the tab's lifetime (session storage) so that a reload does not sign out, or for good where
 * the person says so; otherwise a new tab asks again.
 */
export function createIdentityStore(tabMemory: Memory | undefined, memory: Memory | undefined) {
  const store = createStore<Identity>(() => ({
    signedIn: signedInOf(tabMemory, memory),
    operatorToken: undefined,
  }));
  store.subscribe(({ signedIn }, { signedIn: before }) => {
    if (signedIn === before) return;
    writeStored(tabMemory, KEY, signedIn);
    writeStored(memory, KEY, signedIn?.kept ? signedIn : undefined);
  });
  return store;
}
