import type { SubmitOptions } from '../../../../server/contract/jobs/jobs.ts';
import { type Memory, readStored, writeStored } from '../page/preferences.ts';

const KEY = 'wishbench.watched-files';

type Unchecked<T> = { [K in keyof T]?: unknown };

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** The valid ones of some stored options: another version of this page may have written them. */
function checkedOptions(stored: unknown): SubmitOptions {
  const { top, timing_target_mhz, addressing, ties, pins, probes }: Unchecked<SubmitOptions> = isObject(
    stored,
  )
    ? stored
    : {};
  const tied: [string, 0 | 1][] = Object.entries(isObject(ties) ? ties : {}).flatMap(
    ([port, value]): [string, 0 | 1][] => (value === 0 || value === 1 ? [[port, value]] : []),
  );
  const initial: [string, number | string][] = Object.entries(isObject(pins) ? pins : {}).flatMap(
    ([port, value]): [string, number | string][] =>
      typeof value === 'number' || typeof value === 'string' ? [[port, value]] : [],
  );
  return {
    ...(typeof top === 'string' && { top }),
    ...(typeof timing_target_mhz === 'number' && { timing_target_mhz }),
    ...((addressing === 'byte' || addressing === 'word') && { addressing }),
    ...(typeof probes === 'string' && { probes }),
    ...(tied.length > 0 && { ties: Object.fromEntries(tied) }),
    ...(initial.length > 0 && { pins: Object.fromEntries(initial) }),
  };
}

interface StoredWatch {
  path: string;
  options: SubmitOptions;
}

/** The stored options of a watched file on a node; none for another file. */
export function readWatchOptions(memory: Memory | undefined, id: number, path: string): SubmitOptions {
  const stored = readStored(memory, KEY);
  const entries = new Map<string, unknown>(Object.entries(isObject(stored) ? stored : {}));
  const entry = entries.get(String(id));
  const { path: storedPath, options }: Unchecked<StoredWatch> = isObject(entry) ? entry : {};
  return storedPath === path ? checkedOptions(options) : {};
}

/** Stores the options of all watches: the application keeps watching when the window reloads. */
export function writeWatchOptions(
  memory: Memory | undefined,
  watches: Readonly<Partial<Record<number, StoredWatch>>>,
): void {
  writeStored(
    memory,
    KEY,
    Object.fromEntries(
      Object.entries(watches).flatMap(([id, watch]) =>
        watch ? [[id, { path: watch.path, options: watch.options }]] : [],
      ),
    ),
  );
}
