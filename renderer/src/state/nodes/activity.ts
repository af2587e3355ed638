import { createStore } from 'zustand/vanilla';
import type { ActivityEntry } from '../../../../server/contract/nodes/activity.ts';
import type { OwnJobs } from '../jobs/own-jobs.ts';
import { type Memory, readStored, writeStored } from '../page/preferences.ts';

const KEY = 'wishbench.dismissed';
/** Entries older than this at the opening of the page are not shown, ms. */
const LONG_AGO = 12 * 3_600_000;
/** Maximum entries per node. */
const MOST = 20;

interface ActivityState {
  /** Node → its entries, newest first. */
  byNode: Readonly<Partial<Record<number, readonly ActivityEntry[]>>>;
  /** Node → the highest dismissed seq. */
  dismissed: Readonly<Partial<Record<number, number>>>;
  /** The highest seq at the opening of the page: the page has seen later entries live. */
  opened: number | undefined;
}

const readDismissed = (memory: Memory | undefined): ActivityState['dismissed'] => {
  const stored = readStored(memory, KEY);
  return Object.fromEntries(
    Object.entries(typeof stored === 'object' && stored !== null ? stored : {}).filter(
      ([, seq]) => typeof seq === 'number',
    ),
  );
};

export const createActivityStore = (memory: Memory | undefined) =>
  createStore<ActivityState>(() => ({ byNode: {}, dismissed: readDismissed(memory), opened: undefined }));
export type ActivityStore = ReturnType<typeof createActivityStore>;

/** Adds entries; known ones stay as they are. */
export function addActivity(store: ActivityStore, happened: readonly ActivityEntry[]): void {
  if (happened.length === 0) return;
  const byNode = { ...store.getState().byNode };
  for (const one of happened) {
    if (one.fpga_id === null) continue;
    const before = byNode[one.fpga_id] ?? [];
    if (before.some(({ seq }) => seq === one.seq)) continue;
    byNode[one.fpga_id] = [one, ...before].sort((a, b) => b.seq - a.seq).slice(0, MOST);
  }
  store.setState({ byNode });
}

/** Takes the entries of a new stream: the first has those from before this page. */
export function loadActivity(store: ActivityStore, happened: readonly ActivityEntry[]): void {
  if (store.getState().opened === undefined)
    store.setState({ opened: Math.max(0, ...happened.map(({ seq }) => seq)) });
  addActivity(store, happened);
}

/** Hides the activity of a node until the next entry. */
export function dismissActivity(store: ActivityStore, memory: Memory | undefined, id: number): void {
  const { byNode, dismissed } = store.getState();
  const seq = byNode[id]?.[0]?.seq;
  if (seq === undefined) return;
  const next = { ...dismissed, [id]: seq };
  store.setState({ dismissed: next });
  writeStored(memory, KEY, next);
}

/** The person of this window. */
export interface Onlooker {
  owner: string;
  /** Whether the person has a name; all people without one share a name. */
  named: boolean;
  /** The name of this browser's person without a name. */
  anonymousName?: string;
  /** Jobs of this window. */
  mine: OwnJobs;
}

/** Whether this window did it. For people without a name, only the job id tells. */
export const isOwn = (
  { owner, named, anonymousName, mine }: Onlooker,
  { by, job_id, kind }: ActivityEntry,
): boolean =>
  (job_id !== null && mine.has(job_id)) ||
  (by === owner && named) ||
  // The person has just taken a name.
  (kind === 'handed_over' && by !== null && by === anonymousName);

/**
 * The newest entry to show of a node. Entries of other people and of the bench on this person's designs count, and all
 * others from while this page is open.
 */
export function eventOf(onlooker: Onlooker, state: ActivityState, id: number): ActivityEntry | undefined {
  const { byNode, dismissed, opened = 0 } = state;
  return byNode[id]?.find((one) => {
    if (one.seq <= (dismissed[id] ?? 0) || one.kind === 'taken' || isOwn(onlooker, one)) return false;
    // Only its owner minds that a request was declined.
    if (one.kind === 'declined' && one.to !== onlooker.owner) return false;
    const recent = Date.now() - Date.parse(one.at) < LONG_AGO;
    const concerned = one.owner === onlooker.owner || one.to === onlooker.owner;
    return one.seq > opened || (concerned && recent);
  });
}
