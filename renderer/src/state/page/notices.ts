import { createStore } from 'zustand/vanilla';
import { type Memory, readStored, writeStored } from './preferences.ts';

/** What a notice is about: it decides where the notice leads and which actions it offers. */
export type About =
  /** A control request to this person. */
  | { kind: 'request'; node: number; owner: string }
  /** The session of this person ends soon. */
  | { kind: 'session'; node: number }
  | { kind: 'job'; node: number; job: string }
  | { kind: 'node'; node: number }
  /** A raised hand in a course. */
  | { kind: 'course'; course: string };

export type Tone = 'plain' | 'good' | 'warn' | 'bad';

export interface Notice {
  /** Names the event: the same event makes one notice, in every tab and after a reload. */
  key: string;
  /** Milliseconds since 1970. */
  at: number;
  tone: Tone;
  text: string;
  /** What to do about it. */
  remedy?: string;
  about?: About;
}

/** Maximum notices of a browser. */
const MAX_NOTICES = 50;
const KEY = 'wishbench.notices';

interface NoticesState {
  /** Newest first. */
  notices: readonly Notice[];
  /** Time at which the person last saw the list. */
  seenAt: number;
  /** The newest activity entry that made, or did not need, a notice. */
  lastSeq: number;
}

const TONES: readonly Tone[] = ['plain', 'good', 'warn', 'bad'];
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

function checkedAbout(stored: unknown): About | undefined {
  if (!isObject(stored)) return undefined;
  const { kind, node, owner, job, course } = stored;
  if (kind === 'course' && typeof course === 'string') return { kind, course };
  if (typeof node !== 'number') return undefined;
  if (kind === 'request' && typeof owner === 'string') return { kind, node, owner };
  if (kind === 'job' && typeof job === 'string') return { kind, node, job };
  return kind === 'session' || kind === 'node' ? { kind, node } : undefined;
}

function checkedNotice(stored: unknown): Notice[] {
  if (!isObject(stored)) return [];
  const { key, at, text, remedy } = stored;
  if (typeof key !== 'string' || typeof at !== 'number' || typeof text !== 'string') return [];
  const about = checkedAbout(stored['about']);
  const tone = TONES.find((one) => one === stored['tone']) ?? 'plain';
  return [{ key, at, tone, text, ...(typeof remedy === 'string' && { remedy }), ...(about && { about }) }];
}

/** The stored notices. Any version of this page may have written them. */
function checked(stored: unknown): NoticesState {
  const { notices, seenAt, lastSeq } = isObject(stored) ? stored : {};
  return {
    notices: (Array.isArray(notices) ? notices : []).flatMap(checkedNotice).slice(0, MAX_NOTICES),
    seenAt: typeof seenAt === 'number' ? seenAt : 0,
    lastSeq: typeof lastSeq === 'number' ? lastSeq : -1,
  };
}

/** The notices of this browser; they survive a reload. */
export function createNoticesStore(memory: Memory | undefined) {
  const store = createStore<NoticesState>(() => checked(readStored(memory, KEY)));
  store.subscribe((state) => writeStored(memory, KEY, state));
  return store;
}
export type NoticesStore = ReturnType<typeof createNoticesStore>;

/** Adds a notice. Returns false if the event has one already. */
export function addNotice(store: NoticesStore, notice: Notice): boolean {
  const { notices } = store.getState();
  if (notices.some(({ key }) => key === notice.key)) return false;
  store.setState({ notices: [notice, ...notices].slice(0, MAX_NOTICES) });
  return true;
}

/** Everything in the list counts as seen. */
export const markSeen = (store: NoticesStore, now: number): void => store.setState({ seenAt: now });

export const countUnseen = ({ notices, seenAt }: NoticesState): number =>
  notices.filter(({ at }) => at > seenAt).length;

/** Removes all notices. Returns a function that brings them back, among those that came since. */
export function dismissAll(store: NoticesStore): () => void {
  const before = store.getState().notices;
  store.setState({ notices: [] });
  return () => {
    const since = store.getState().notices;
    const keys = new Set(since.map(({ key }) => key));
    const back = before.filter(({ key }) => !keys.has(key));
    store.setState({ notices: [...since, ...back].sort((a, b) => b.at - a.at).slice(0, MAX_NOTICES) });
  };
}
