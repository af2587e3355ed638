import { createStore } from 'zustand/vanilla';
import { NUMBER_FORMATS, type NumberFormat } from '../../format/words.ts';
import type { RackChoices } from './rack-fold.ts';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

/** What this browser remembers for its user. Anything on the bench itself is a setting. */
interface Preferences {
  theme: Theme;
  numberFormat: NumberFormat;
  /** Whether this browser notifies at the end of an own build. */
  notifications: boolean;
  /** Owner of jobs and sessions while the service does not check callers. */
  name: string;
  /** Tells people without a name apart: four random hexadecimal digits of this browser; empty for none. */
  windowName: string;
  /** The person was asked for a name once. */
  nameAsked: boolean;
  /** Node on which the person dismissed the first-run hint. */
  hintDismissed: boolean;
  /** Widths of panes that a person moved, in CSS pixels, by the id of the split. */
  widths: Readonly<Record<string, number>>;
  /** The first run of the example, until the person dismisses its result: job, word read, seconds that it took. */
  firstRun: { job_id: string; read: number | null; seconds: number | null } | null;
  /** Where the person made the rack a strip, or opened it. */
  rackFolded: RackChoices;
}

const DEFAULTS: Preferences = {
  theme: 'system',
  numberFormat: 'hex',
  notifications: false,
  name: '',
  windowName: '',
  nameAsked: false,
  hintDismissed: false,
  widths: {},
  firstRun: null,
  rackFolded: {},
};

const KEY = 'wishbench.preferences';

/** Storage. A browser may refuse it (private windows, blocked cookies); then nothing is remembered. */
export type Memory = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** The stored value of a key; undefined if it cannot be read. Any version of this page may have written it. */
export function readStored(memory: Memory | undefined, key: string): unknown {
  try {
    const text = memory?.getItem(key);
    return text ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}

export function writeStored(memory: Memory | undefined, key: string, value: unknown): void {
  try {
    if (value === undefined) memory?.removeItem(key);
    else memory?.setItem(key, JSON.stringify(value));
  } catch {
    // Storage is full or forbidden: the choice lasts until the page closes.
  }
}

const WINDOW_NAME = /^([0-9a-f]{4})?$/;
const newWindowName = (): string =>
  crypto.getRandomValues(new Uint16Array(1))[0]?.toString(16).padStart(4, '0') ?? '';

function checkedWidths(stored: unknown): Record<string, number> {
  if (typeof stored !== 'object' || stored === null) return {};
  return Object.fromEntries(
    Object.entries(stored).filter((entry): entry is [string, number] => Number.isFinite(entry[1])),
  );
}

/** A run that a reload interrupted has no result. */
function checkedFirstRun(stored: unknown): Preferences['firstRun'] {
  const { job_id, read, seconds }: { job_id?: unknown; read?: unknown; seconds?: unknown } =
    typeof stored === 'object' && stored !== null ? stored : {};
  if (typeof job_id !== 'string' || typeof seconds !== 'number') return null;
  return { job_id, read: typeof read === 'number' ? read : null, seconds };
}

function checkedFolds(stored: unknown): RackChoices {
  const from: { [K in keyof RackChoices]?: unknown } =
    typeof stored === 'object' && stored !== null ? stored : {};
  return {
    ...(typeof from['wide-view'] === 'boolean' && { 'wide-view': from['wide-view'] }),
    ...(typeof from['other-view'] === 'boolean' && { 'other-view': from['other-view'] }),
  };
}

function checked(stored: unknown): Preferences {
  const from: { [K in keyof Preferences]?: unknown } =
    typeof stored === 'object' && stored !== null ? stored : {};
  return {
    theme: THEMES.find((theme) => theme === from.theme) ?? DEFAULTS.theme,
    numberFormat: NUMBER_FORMATS.find((format) => format === from.numberFormat) ?? DEFAULTS.numberFormat,
    notifications: from.notifications === true,
    name: typeof from.name === 'string' ? from.name.slice(0, 64) : '',
    windowName:
      typeof from.windowName === 'string' && WINDOW_NAME.test(from.windowName)
        ? from.windowName
        : newWindowName(),
    nameAsked: from.nameAsked === true,
    hintDismissed: from.hintDismissed === true,
    widths: checkedWidths(from.widths),
    firstRun: checkedFirstRun(from.firstRun),
    rackFolded: checkedFolds(from.rackFolded),
  };
}

/** @param userName the name of a person who has not said one: the system's user on the desktop */
export function createPreferencesStore(memory: Memory | undefined, userName = '') {
  const stored = checked(readStored(memory, KEY));
  // Without storage the name of the window would change on every reload: it stays empty.
  const store = createStore<Preferences>(() => ({
    ...stored,
    name: stored.name || userName.trim().slice(0, 64),
    ...(memory === undefined ? { windowName: '' } : {}),
  }));
  writeStored(memory, KEY, store.getState());
  store.subscribe((preferences) => writeStored(memory, KEY, preferences));
  return store;
}
export type PreferencesStore = ReturnType<typeof createPreferencesStore>;
