import path from 'node:path';
import { storeError } from '../errors/store.ts';
import {
  createDurably,
  type FileSystem,
  readIfPresent,
  syncFolder,
  systemCode,
  writeDurably,
} from './filesystem.ts';

/** Files of a job that are kept whole; its log grows and is written by the jobs themselves. */
export type JobFile = 'source' | 'request' | 'result' | 'report.json';

/**
 * What belongs to a job and is too large for its record, one folder a job:
 * jobs/<fpga>/<job_id>/{log.txt, source, request, result, report.json}. Bitstreams are kept once a build:
 * bitstreams/<build_id>.bin.
 */
export class JobFiles {
  readonly #files: FileSystem;
  readonly #folder: string;
  readonly #onFailure: (error: unknown) => void;
  /** What is being done to bitstreams, by build id. */
  readonly #bitstreams = new Map<string, Promise<void>>();

  constructor(options: { files: FileSystem; folder: string; onFailure: (error: unknown) => void }) {
    this.#files = options.files;
    this.#folder = options.folder;
    this.#onFailure = options.onFailure;
  }

  #nodeFolder = (fpgaId: number) => path.join(this.#folder, 'jobs', String(fpgaId));
  #jobFolder = (fpgaId: number, jobId: string) => path.join(this.#nodeFolder(fpgaId), jobId);
  #bitstream = (buildId: string) => path.join(this.#folder, 'bitstreams', `${buildId}.bin`);

  /**
   * Resolves when the file is on disk. A file is written once in the life of its job.
   * @throws store_unavailable.
   */
  async write(fpgaId: number, jobId: string, name: JobFile, contents: Uint8Array): Promise<void> {
    const folder = this.#jobFolder(fpgaId, jobId);
    await this.#kept(async () => {
      await this.#files.mkdir(folder, { recursive: true, mode: 0o700 });
      await createDurably(this.#files, path.join(folder, name), contents);
      await syncFolder(this.#files, folder);
      await syncFolder(this.#files, path.dirname(folder));
    });
  }

  /** Null when the job has no such file. */
  read(fpgaId: number, jobId: string, name: JobFile): Promise<Buffer | null> {
    return readIfPresent(this.#files, path.join(this.#jobFolder(fpgaId, jobId), name));
  }

  async removeFile(fpgaId: number, jobId: string, name: JobFile): Promise<void> {
    await this.#files.rm(path.join(this.#jobFolder(fpgaId, jobId), name), { force: true }).catch(() => {});
  }

  /** Path of the job's log; `create` makes its folder. */
  logFile(fpgaId: number, jobId: string): { file: string; create: () => Promise<void> } {
    const folder = this.#jobFolder(fpgaId, jobId);
    return {
      file: path.join(folder, 'log.txt'),
      create: async () => {
        await this.#files.mkdir(folder, { recursive: true, mode: 0o700 });
      },
    };
  }

  async removeJob(fpgaId: number, jobId: string): Promise<void> {
    await this.#files.rm(this.#jobFolder(fpgaId, jobId), { recursive: true, force: true });
  }

  /** Ids of the jobs of a node that have a folder. */
  async jobFolders(fpgaId: number): Promise<string[]> {
    return await this.#names(this.#nodeFolder(fpgaId));
  }

  /**
   * Keeps a build's bitstream; resolves when it is on disk.
   * @throws store_unavailable.
   */
  writeBitstream(buildId: string, bitstream: Uint8Array): Promise<void> {
    return this.#inTurn(buildId, () => this.#writeBitstream(buildId, bitstream));
  }

  /** One after the other for each build: several nodes may come with the same one at once. */
  #inTurn(buildId: string, work: () => Promise<void>): Promise<void> {
    const before = this.#bitstreams.get(buildId) ?? Promise.resolve();
    const after = before.catch(() => {}).then(work);
    this.#bitstreams.set(buildId, after);
    const done = () => {
      if (this.#bitstreams.get(buildId) === after) this.#bitstreams.delete(buildId);
    };
    after.then(done, done);
    return after;
  }

  async #writeBitstream(buildId: string, bitstream: Uint8Array): Promise<void> {
    const file = this.#bitstream(buildId);
    // Content-addressed: what is there under this name is the same, or the rest of a write that did not end.
    const present = await readIfPresent(this.#files, file).catch(() => null);
    if (present?.equals(bitstream)) return;
    await this.#kept(() => writeDurably(this.#files, file, bitstream));
  }

  readBitstream(buildId: string): Promise<Buffer | null> {
    return readIfPresent(this.#files, this.#bitstream(buildId));
  }

  /** Removes it unless it is wanted when its turn comes. */
  removeBitstream(buildId: string, wanted: () => boolean): Promise<void> {
    return this.#inTurn(buildId, async () => {
      if (!wanted()) await this.#files.rm(this.#bitstream(buildId), { force: true });
    });
  }

  /** Ids of the builds whose bitstreams are kept. */
  async bitstreams(): Promise<string[]> {
    const names = await this.#names(path.join(this.#folder, 'bitstreams'));
    return names.flatMap((name) => (/^[0-9a-f]{64}\.bin$/.test(name) ? [name.slice(0, 64)] : []));
  }

  async #names(folder: string): Promise<string[]> {
    try {
      return await this.#files.readdir(folder);
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return [];
      throw error;
    }
  }

  async #kept(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#onFailure(error);
      throw storeError('store_unavailable', { cause: error });
    }
  }
}
