import { copyFile, mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import path from 'node:path';
import { digest, filesBelow } from '../../dist.mjs';

/** Prefix of the folders, before a digest of MAKERS. */
const PREFIX = 'wishbench-built-';
/** How long a folder that no run uses stays, milliseconds. */
const UNUSED = 7 * 24 * 3600_000;

/**
 * Inputs of a build besides those in its id. An id does not change with the toolchain's code before FLOW_REVISION does;
 * here any change of that code begins a new folder.
 */
const MAKERS = [
  'server/contract',
  'server/ice40',
  'server/symbols',
  'server/toolchain',
  'resources/base',
  'resources/gateware',
  'resources/yosys',
];

/**
 * Finished builds that last from run to run. Each run has a copy of its own and adds new builds at its end, so that
 * parallel runs share nothing that changes.
 */
export class KeptBuilds {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** The builds of today's toolchain; those that no run has used for a week are removed. @param cache has them all */
  static async open(cache: string): Promise<KeptBuilds> {
    const today = PREFIX + digest([...MAKERS.flatMap(filesBelow), 'package-lock.json']).slice(0, 24);
    const now = Date.now();
    for (const name of await readdir(cache)) {
      const folder = path.join(cache, name);
      if (name.startsWith(PREFIX) && name !== today && now - (await stat(folder)).mtimeMs > UNUSED)
        await rm(folder, { recursive: true, force: true });
    }
    await mkdir(path.join(cache, today), { recursive: true });
    await utimes(path.join(cache, today), now / 1000, now / 1000);
    return new KeptBuilds(path.join(cache, today));
  }

  /** Puts all of them into a data folder's cache. */
  async copyTo(builds: string): Promise<void> {
    await mkdir(builds, { recursive: true });
    for (const id of await idsIn(this.#folder))
      await copyFile(path.join(this.#folder, id), path.join(builds, id));
  }

  /** Adds what a data folder's cache has more. */
  async add(builds: string): Promise<void> {
    const known = new Set(await idsIn(this.#folder));
    for (const id of (await idsIn(builds)).filter((one) => !known.has(one))) {
      const copy = path.join(this.#folder, `.copy-${process.pid}-${id}`);
      await copyFile(path.join(builds, id), copy);
      await rename(copy, path.join(this.#folder, id));
    }
  }
}

/** Build ids of a folder. */
const idsIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder)).filter((name) => /^[0-9a-f]{64}$/.test(name));
