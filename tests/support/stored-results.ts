import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import v8 from 'node:v8';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { appRoot } from '../../server/paths.ts';

const FOLDER = path.join(appRoot, 'node_modules', '.cache', 'wishbench-results');
/** Age at which an unused result is removed, ms. */
const UNUSED = 7 * 24 * 3600_000;
/** Minimum age at which a read renews the time of a file, ms. */
const RENEWED = 24 * 3600_000;

/** Name of a result. @param parts everything that it depends on: the program, its version, its input */
export function resultName(...parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${part.length} `).update(part);
  return hash.digest('hex');
}

/** Whether there is a result of this name. */
export const hasResult = (name: string): boolean => existsSync(path.join(FOLDER, name));

/** A stored result, from this run of the tests or an earlier one; undefined when there is none. */
export function readResult(name: string): unknown {
  if (!hasResult(name)) return undefined;
  const file = path.join(FOLDER, name);
  const now = Date.now();
  if (now - statSync(file).mtimeMs > RENEWED) utimesSync(file, now / 1000, now / 1000);
  return v8.deserialize(inflateRawSync(readFileSync(file)));
}

/** Stores a result, which must be a value for structured clone. */
export function writeResult(name: string, result: unknown): void {
  mkdirSync(FOLDER, { recursive: true });
  const file = path.join(FOLDER, name);
  // Other processes read and write at the same time.
  const fresh = `${file}.${process.pid}`;
  writeFileSync(fresh, deflateRawSync(v8.serialize(result), { level: 1 }));
  renameSync(fresh, file);
}

/** The stored result of this name. Without one, `make` is called and its result stored. */
export async function storedResult<Result>(name: string, make: () => Promise<Result>): Promise<Result> {
  if (hasResult(name)) return readResult(name) as Result;
  const result = await make();
  writeResult(name, result);
  return result;
}

/** Removes results that were not used for a week. */
export function removeUnusedResults(): void {
  if (!existsSync(FOLDER)) return;
  const now = Date.now();
  for (const file of readdirSync(FOLDER).map((name) => path.join(FOLDER, name)))
    if (now - statSync(file).mtimeMs > UNUSED) rmSync(file, { force: true });
}
