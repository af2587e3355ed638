import { type Memory, readStored, writeStored } from '../page/preferences.ts';
import type { DesignFile } from './design-file.ts';

/** A recent file. */
export interface RecentFile {
  name: string;
  size: number;
  /** ISO 8601. */
  at: string;
  /** Path on disk, in the desktop application, which reads it again. */
  path?: string;
  /** Contents in base64, in a browser, which cannot read the file again. */
  contents?: string;
}

const KEY = 'wishbench.recent-files';
const MOST = 8;
/** Limits in bytes of one stored file and of all: local storage has about 5 MB. */
const MAX_STORED_FILE_BYTES = 256 << 10;
const MAX_STORED = 1 << 20;

/** Bytes in base64. */
export const toBase64 = (bytes: Uint8Array): string => {
  let binary = '';
  for (let at = 0; at < bytes.length; at += 0x8000)
    binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(binary);
};

/** The bytes of a base64 text. @throws if it is none */
export const fromBase64 = (base64: string): Uint8Array =>
  Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

const isText = (value: unknown): boolean => value === undefined || typeof value === 'string';

function isRecentFile(stored: unknown): stored is RecentFile {
  const { name, size, at, path, contents }: { [K in keyof RecentFile]?: unknown } =
    typeof stored === 'object' && stored !== null ? stored : {};
  return (
    typeof name === 'string' &&
    typeof size === 'number' &&
    typeof at === 'string' &&
    isText(path) &&
    isText(contents)
  );
}

/** Newest first. */
export function recentFiles(memory: Memory | undefined): RecentFile[] {
  const stored = readStored(memory, KEY);
  return Array.isArray(stored) ? stored.filter(isRecentFile) : [];
}

export function rememberFile(memory: Memory | undefined, file: DesignFile, path?: string): void {
  if (path === undefined && file.contents.length > MAX_STORED_FILE_BYTES) return;
  const entry: RecentFile = {
    name: file.name,
    size: file.contents.length,
    at: new Date().toISOString(),
    ...(path === undefined ? { contents: toBase64(file.contents) } : { path }),
  };
  const same = (other: RecentFile) => other.name === entry.name && other.path === entry.path;
  let total = 0;
  const files = [entry, ...recentFiles(memory).filter((other) => !same(other))]
    .slice(0, MOST)
    .filter((other) => {
      total += other.contents?.length ?? 0;
      return total <= MAX_STORED;
    });
  writeStored(memory, KEY, files);
}

export function forgetFile(memory: Memory | undefined, file: RecentFile): void {
  writeStored(
    memory,
    KEY,
    recentFiles(memory).filter(({ name, path }) => name !== file.name || path !== file.path),
  );
}
