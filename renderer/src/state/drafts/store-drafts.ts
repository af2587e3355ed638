// Drafts outlive the page: the browser stores them, a node each.
import { NODE_COUNT } from '../../../../server/contract/boards/node-count.ts';
import type { BenchClient } from '../client/bench-client.ts';
import { type Memory, readStored } from '../page/preferences.ts';
import { type Draft, drafts, otherDrafts } from './draft-store.ts';
import { decodeDrafts, encodeDrafts, type NodeDrafts } from './stored-drafts.ts';

const keyOf = (id: number): string => `wishbench.drafts.${id}`;

/** Maximum age of an unsaved change, ms: what a crash may lose. */
const SAVE_AFTER = 800;

const draftsOf = (id: number): NodeDrafts => ({
  shown: drafts.getState()[id],
  others: otherDrafts.getState()[id] ?? [],
});

/** Writes a text; false if the browser has no room or forbids it. */
function write(memory: Memory, key: string, value: string | null): boolean {
  try {
    if (value === null) memory.removeItem(key);
    else memory.setItem(key, value);
    return true;
  } catch {
    return false;
  }
}

const same = (a: readonly string[] = [], b: readonly string[] = []): boolean => a.join('\n') === b.join('\n');

/** Notes on a draft which of its files have no room. */
function noteUnstored(id: number, unstored: ReadonlyMap<Draft, readonly string[]>): void {
  const { shown, others } = draftsOf(id);
  const noted = (draft: Draft): Draft => {
    const names = unstored.get(draft) ?? draft.unstored;
    return same(names, draft.unstored) ? draft : { ...draft, unstored: names ?? [] };
  };
  if (shown && noted(shown) !== shown) drafts.setState({ [id]: noted(shown) });
  if (others.some((other) => noted(other) !== other)) otherDrafts.setState({ [id]: others.map(noted) });
}

function save(memory: Memory, id: number): void {
  const current = draftsOf(id);
  if (!current.shown && current.others.length === 0) {
    write(memory, keyOf(id), null);
    return;
  }
  const { stored, unstored } = encodeDrafts(current);
  if (write(memory, keyOf(id), JSON.stringify(stored))) noteUnstored(id, unstored);
  else noteUnstored(id, new Map([...unstored.keys()].map((draft) => [draft, draft.files.map(nameOf)])));
}

const nameOf = ({ name }: { name: string }): string => name;

function restore(memory: Memory, id: number): void {
  const { shown, others } = decodeDrafts(readStored(memory, keyOf(id)));
  drafts.setState({ [id]: shown });
  otherDrafts.setState({ [id]: others.length === 0 ? undefined : others });
}

const clients = new WeakSet<BenchClient>();

/** Restores the drafts of a bench once, and stores every change from here on. */
export function storeDrafts(client: BenchClient): void {
  const { memory } = client;
  if (memory === undefined || clients.has(client)) return;
  clients.add(client);
  const nodes = Array.from({ length: NODE_COUNT }, (_, id) => id);
  for (const id of nodes) {
    const { shown, others } = draftsOf(id);
    if (!shown && others.length === 0) restore(memory, id);
  }

  const unsaved = new Set<number>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    const changed = [...unsaved];
    unsaved.clear();
    for (const id of changed) save(memory, id);
    // What has no room was noted meanwhile; it is stored already.
    unsaved.clear();
    clearTimeout(timer);
    timer = undefined;
  };
  const note = (now: object, before: object) => {
    for (const id of nodes)
      if ((now as Record<number, unknown>)[id] !== (before as Record<number, unknown>)[id]) unsaved.add(id);
    // Not put off by the next key: a person who never pauses loses no more than another one.
    if (unsaved.size > 0) timer ??= setTimeout(flush, SAVE_AFTER);
  };
  drafts.subscribe(note);
  otherDrafts.subscribe(note);
  window.addEventListener('pagehide', flush);
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden') flush();
  });
  // Another window of this browser changed a draft: this one must not write an older one over it.
  window.addEventListener('storage', ({ key }) => {
    const id = nodes.find((one) => key?.split('@')[0] === keyOf(one));
    if (id === undefined || unsaved.has(id)) return;
    restore(memory, id);
    unsaved.delete(id);
  });
}
