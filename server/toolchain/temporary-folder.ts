import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

/** Calls `use` with a new private folder, and removes it afterwards. A folder that cannot be removed stays. */
export async function withTemporaryFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'wishbench-'));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true }).catch(() => {});
  }
}
