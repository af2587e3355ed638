import { createStore } from 'zustand/vanilla';
import type { ActivityEntry } from '../../../../server/contract/nodes/activity.ts';
import type { OwnJobs } from '../jobs/own-jobs.ts';
import { type Memory, readStored, writeStored } from '../page/preferences.ts';

const KEY = 'wishbench.dismissed';
/** What is older when the page is opened has been noticed, or matters no more. Milliseconds. */
const LONG_AGO = 12 * 3_600_000;
/** Of one node. */
const MOST = 20;

interface ActivityState {
  /** Of each node, newest first. */
  byNode: Readonly<Partial<Record<number, readonly ActivityEntry[]>>>;
  /** Of each node, the highest seq that was dismissed. */
  dismissed: Readonly<Partial<Record<number, number>>>;
  /** The highest seq there was when the page was opened: what came after was seen as it happened. */
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

/** Adds what happened; what is known already is left as it is. */
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

/** A stream began: the first tells what there was before this page. */
export function loadActivity(store: ActivityStore, happened: readonly ActivityEntry[]): void {
  if (store.getState().opened === undefined)
    store.setState({ opened: Math.max(0, ...happened.map(({ seq }) => seq)) });
  addActivity(store, happened);
}

/** Takes the event line of a node away, until something else happens. */
export function dismissActivity(store: ActivityStore, memory: Memory | undefined, id: number): void {
  const { byNode, dismissed } = store.getState();
  const seq = byNode[id]?.[0]?.seq;
  if (seq === undefined) return;
  const next = { ...dismissed, [id]: seq };
  store.setState({ dismissed: next });
  writeStored(memory, KEY, next);
}

/** Who looks at the bench through this window. */
interface Onlooker {
  owner: string;
  /** Whether the person has a name; those without one are all called the same. */
  named: boolean;
  /** Jobs that this window asked for. */
  mine: OwnJobs;
}

/** Whether this window asked for it; people without a name are told apart by that alone. */
const isOwn = ({ owner, named, mine }: Onlooker, { by, job_id }: ActivityEntry): boolean =>
  (job_id !== null && mine.has(job_id)) || (by === owner && named);

/**
 * The newest that happened to a node and that its event line tells of: what others, or the bench by itself, did to what
 * is this window's person's, and what anybody else did while this page was open.
 */
export function eventOf(onlooker: Onlooker, state: ActivityState, id: number): ActivityEntry | undefined {
  const { byNode, dismissed, opened = 0 } = state;
  return byNode[id]?.find((one) => {
    if (one.seq <= (dismissed[id] ?? 0) || one.kind === 'taken' || isOwn(onlooker, one)) return false;
    const recent = Date.now() - Date.parse(one.at) < LONG_AGO;
    const concerned = one.owner === onlooker.owner || one.to === onlooker.owner;
    return one.seq > opened || (concerned && recent);
  });
}
