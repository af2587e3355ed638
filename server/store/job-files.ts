import path from 'node:path';
import {
  createDurably,
  type FileSystem,
  readIfPresent,
  storeUnavailable,
  syncFolder,
  systemCode,
  writeDurably,
} from './filesystem.ts';
import { KeyedQueue } from './keyed-queue.ts';

/** Bytes of the files of every job, counted on each write, which saves walking the folders. */
class JobSizes {
  readonly #bytes = new Map<string, number>();
  #total = 0;

  get total(): number {
    return this.#total;
  }

  of(jobId: string): number {
    return this.#bytes.get(jobId) ?? 0;
  }

  /** Adds written bytes; a negative number for truncated ones. */
  add(jobId: string, bytes: number): void {
    this.set(jobId, this.of(jobId) + bytes);
  }

  set(jobId: string, bytes: number): void {
    this.#total += bytes - this.of(jobId);
    this.#bytes.set(jobId, bytes);
  }

  forget(jobId: string): void {
    this.#total -= this.of(jobId);
    this.#bytes.delete(jobId);
  }
}

/** Files of a job that are written whole. The jobs append to the log themselves. */
export type JobFile = 'source' | 'request' | 'result' | 'report.json' | 'script.json';

/** The node of a job; null for a job without one. */
export type JobPlace = number | null;

/** The location of a log; see JobFiles.logFile. */
export interface LogFile {
  file: string;
  create(): Promise<void>;
  sync(): Promise<void>;
}

/**
 * The files of jobs, one folder each: jobs/<fpga>/<job_id>/{log.txt, source, request, result, report.json,
 * script.json}. A job without a node has jobs/unplaced/<job_id>/source. Each build has one bitstream:
 * bitstreams/<build_id>.bin.
 */
export class JobFiles {
  readonly #files: FileSystem;
  readonly #folder: string;
  readonly #onFailure: (error: unknown) => void;
  readonly sizes = new JobSizes();
  /** Nodes with removed folders that a power cut may bring back. */
  readonly #removed = new Set<JobPlace>();
  /** Work on each bitstream in order: several nodes may write the same one at once. */
  readonly #bitstreams = new KeyedQueue();

  constructor(options: { files: FileSystem; folder: string; onFailure: (error: unknown) => void }) {
    this.#files = options.files;
    this.#folder = options.folder;
    this.#onFailure = options.onFailure;
  }

  #nodeFolder = (place: JobPlace) => path.join(this.#folder, 'jobs', String(place ?? 'unplaced'));
  #jobFolder = (fpgaId: JobPlace, jobId: string) => path.join(this.#nodeFolder(fpgaId), jobId);
  #bitstream = (buildId: string) => path.join(this.#folder, 'bitstreams', `${buildId}.bin`);

  /**
   * Resolves when the file is on disk. Each file is written once in the life of its job.
   * @throws store_unavailable.
   */
  async write(fpgaId: JobPlace, jobId: string, name: JobFile, contents: Uint8Array): Promise<void> {
    const folder = this.#jobFolder(fpgaId, jobId);
    await this.#write(async () => {
      await this.#files.mkdir(folder, { recursive: true, mode: 0o700 });
      await createDurably(this.#files, path.join(folder, name), contents);
      this.sizes.add(jobId, contents.byteLength);
      await this.#syncNames(folder);
    });
  }

  /** Makes the names in a job's folder durable, and the folder's own: concurrently, because the disk combines both. */
  async #syncNames(folder: string): Promise<void> {
    await Promise.all([syncFolder(this.#files, folder), syncFolder(this.#files, path.dirname(folder))]);
  }

  /** Null when the job has no such file. */
  read(fpgaId: JobPlace, jobId: string, name: JobFile): Promise<Buffer | null> {
    return readIfPresent(this.#files, path.join(this.#jobFolder(fpgaId, jobId), name));
  }

  /** Removes a file of so many bytes, if it exists. */
  async removeFile(fpgaId: number, jobId: string, name: JobFile, bytes: number): Promise<void> {
    await this.#files.rm(path.join(this.#jobFolder(fpgaId, jobId), name), { force: true }).then(
      () => this.sizes.add(jobId, -bytes),
      () => {},
    );
  }

  /** Path of the job's log; `create` makes its folder, `sync` makes the names of both durable. */
  logFile(fpgaId: number, jobId: string): LogFile {
    const folder = this.#jobFolder(fpgaId, jobId);
    return {
      file: path.join(folder, 'log.txt'),
      create: async () => {
        await this.#files.mkdir(folder, { recursive: true, mode: 0o700 });
      },
      sync: async () => {
        await this.#syncNames(folder);
      },
    };
  }

  /** The log as it is in its file; null where there is none. */
  readLog(fpgaId: number, jobId: string): Promise<Buffer | null> {
    return readIfPresent(this.#files, this.logFile(fpgaId, jobId).file);
  }

  async removeJob(fpgaId: JobPlace, jobId: string): Promise<void> {
    await this.#files.rm(this.#jobFolder(fpgaId, jobId), { recursive: true, force: true });
    this.#removed.add(fpgaId);
    this.sizes.forget(jobId);
  }

  /**
   * Copies a job's source to the node that takes it; resolves when that is on disk. A missing source fails the build
   * later.
   * @throws store_unavailable.
   */
  async place(fpgaId: number, jobId: string): Promise<void> {
    const source = await this.read(null, jobId, 'source');
    if (source !== null) await this.write(fpgaId, jobId, 'source', source);
  }

  /** Removes the files of a job from its time without a node. */
  async removeUnplaced(jobId: string): Promise<void> {
    const bytes = await this.bytesOf(null, jobId).catch(() => 0);
    await this.#files.rm(this.#jobFolder(null, jobId), { recursive: true, force: true });
    this.sizes.add(jobId, -bytes);
    this.#removed.add(null);
  }

  /** Makes the removal of job folders durable. */
  async syncRemovals(fpgaId: JobPlace): Promise<void> {
    if (!this.#removed.delete(fpgaId)) return;
    await syncFolder(this.#files, this.#nodeFolder(fpgaId)).catch((error) => {
      this.#removed.add(fpgaId);
      if (systemCode(error) !== 'ENOENT') throw error;
    });
  }

  /** The files of a job: names, sizes in bytes, and times of the last change, ms since the epoch. */
  async list(fpgaId: JobPlace, jobId: string): Promise<{ name: string; size: number; mtimeMs: number }[]> {
    const folder = this.#jobFolder(fpgaId, jobId);
    const listed = await Promise.all(
      (await this.#names(folder)).map(async (name) => {
        const { size, mtimeMs } = await this.#files.stat(path.join(folder, name));
        return { name, size, mtimeMs };
      }),
    );
    return listed;
  }

  /** Total bytes in a job's folder. */
  async bytesOf(fpgaId: JobPlace, jobId: string): Promise<number> {
    return (await this.list(fpgaId, jobId)).reduce((sum, { size }) => sum + size, 0);
  }

  /** Ids of the jobs of a node that have a folder. */
  async jobFolders(fpgaId: JobPlace): Promise<string[]> {
    return await this.#names(this.#nodeFolder(fpgaId));
  }

  /**
   * Stores a build's bitstream; resolves when it is on disk.
   * @throws store_unavailable.
   */
  writeBitstream(buildId: string, bitstream: Uint8Array): Promise<void> {
    return this.#bitstreams.run(buildId, () => this.#writeBitstream(buildId, bitstream));
  }

  async #writeBitstream(buildId: string, bitstream: Uint8Array): Promise<void> {
    const file = this.#bitstream(buildId);
    // Content-addressed: an existing file is the same bitstream, or the rest of an unfinished write.
    const present = await readIfPresent(this.#files, file).catch(() => null);
    if (present?.equals(bitstream)) return;
    await this.#write(() => writeDurably(this.#files, file, bitstream));
  }

  readBitstream(buildId: string): Promise<Buffer | null> {
    return readIfPresent(this.#files, this.#bitstream(buildId));
  }

  /** Removes a bitstream unless it is wanted when its turn comes. */
  removeBitstream(buildId: string, wanted: () => boolean): Promise<void> {
    return this.#bitstreams.run(buildId, async () => {
      if (!wanted()) await this.#files.rm(this.#bitstream(buildId), { force: true });
    });
  }

  /** Ids of the builds with a stored bitstream. */
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

  async #write(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#onFailure(error);
      throw storeUnavailable(error);
    }
  }
}
