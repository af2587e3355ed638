import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const made: string[] = [];

/** Removes what was made since it was last called; tests/support/after-file.ts calls it when a test file has ended. */
export function removeTemporaryFolders(): void {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
}

/** A new folder for temporary files, gone when the test file has ended. */
export function temporaryFolder(name: string): string {
  const folder = mkdtempSync(path.join(tmpdir(), `wishbench-${name}-`));
  made.push(folder);
  return folder;
}
