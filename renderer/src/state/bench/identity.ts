import { createStore } from 'zustand/vanilla';
import { type Memory, readStored, writeStored } from '../page/preferences.ts';

/** The key of this window, with its owner. */
export interface SignedIn {
  apiKey: string;
  username: string;
  /** This window made the key: signing out revokes it. */
  minted: boolean;
  /** The person stays signed in: the browser keeps the key after the tab closes. */
  kept: boolean;
}

export interface Identity {
  signedIn: SignedIn | undefined;
  /** The desktop window's operator token; only in memory, never stored, never in an address. */
  operatorToken: string | undefined;
}

const KEY = 'wishbench.key';

function checked(stored: unknown): SignedIn | undefined {
  const { apiKey, username, minted, kept }: { [K in keyof SignedIn]?: unknown } =
    typeof stored === 'object' && stored !== null ? stored : {};
  if (typeof apiKey !== 'string' || typeof username !== 'string') return undefined;
  return { apiKey, username, minted: minted === true, kept: kept === true };
}

/** The stored sign-in, of the tab or of the browser. */
export const signedInOf = (tabMemory: Memory | undefined, memory: Memory | undefined): SignedIn | undefined =>
  checked(readStored(tabMemory, KEY)) ?? checked(readStored(memory, KEY));

/**
 * Who calls. Session storage has the key, so a reload keeps the sign-in and a new tab asks again. If the person wants
 * to stay signed in, local storage has it.
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
