import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';

async function folderBytes(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) bytes += await folderBytes(file);
    else if (entry.isFile())
      bytes += await stat(file)
        .then(({ size }) => size)
        .catch(() => 0);
  }
  return bytes;
}

/** How long a measured size is told again: thousands of files are not counted for every look at the status. */
const FRESH_MS = 30_000;

/** Measures a folder, at most once in a while; one measurement serves all who ask meanwhile. */
export function folderSize(folder: string, now: () => number): () => Promise<number> {
  let measured: { at: number; bytes: Promise<number> } | null = null;
  return () => {
    if (!measured || now() - measured.at > FRESH_MS) measured = { at: now(), bytes: folderBytes(folder) };
    return measured.bytes;
  };
}
