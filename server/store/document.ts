import { type Adapter, Low } from 'lowdb';
import type { Clock } from '../clock.ts';
import { type Check, parseAs } from '../contract/check.ts';
import type { DamagedFiles } from './damage.ts';
import { type FileSystem, readIfPresent, readOwn, writeDurably } from './filesystem.ts';
import { GroupCommit } from './group-commit.ts';

/** The result of reading a document. */
export interface Found<T> {
  /** Null where nothing was readable. */
  value: T | null;
  /** The damage and the action, as the rest of a sentence that begins with the file's name. */
  problem?: string;
}

/** Formats and parses a document. */
interface Format<T> {
  /** `text` is null where the file is missing, `previous` where there is no previous generation. */
  parse(text: string | null, previous: string | null): Found<T>;
  stringify(value: T): string;
}

/** File name of a document's previous generation, e.g. `bench.previous.json`. */
const previousOf = (file: string) => file.replace(/\.json$/, '.previous.json');

/** A lowdb adapter whose writes are durable before they resolve. */
export class DurableFile<T> implements Adapter<T> {
  readonly #files: FileSystem;
  readonly #file: string;
  readonly #format: Format<T>;
  readonly #damaged: DamagedFiles;
  readonly #generations: boolean;
  /** The file on disk is whole and may become the previous generation. */
  #whole = true;
  /** The value read is not the value written last. */
  damaged = false;

  constructor(options: {
    files: FileSystem;
    file: string;
    format: Format<T>;
    damaged: DamagedFiles;
    /** Whether to keep the previous generation and to read it where the file is unreadable. */
    generations?: boolean;
  }) {
    this.#files = options.files;
    this.#file = options.file;
    this.#format = options.format;
    this.#damaged = options.damaged;
    this.#generations = options.generations ?? true;
  }

  async read(): Promise<T | null> {
    const bytes = await readOwn(this.#files, this.#file);
    const before = this.#generations ? await this.#previous() : null;
    const { value, problem } = this.#format.parse(bytes?.toString('utf8') ?? null, before);
    if (problem === undefined) return value;
    if (bytes === null) this.#damaged.tell(this.#file, problem);
    else await this.setAside(problem);
    this.#whole = false;
    this.damaged = true;
    return value;
  }

  /** Copies the file aside; `what` as for DamagedFiles. */
  setAside(what: string): Promise<void> {
    return this.#damaged.setAside(this.#file, what);
  }

  /** Takes the value as it is at the moment of the call. */
  async write(value: T): Promise<void> {
    const keepAs = previousOf(this.#file);
    const text = this.#format.stringify(value);
    await writeDurably(this.#files, this.#file, text, this.#generations && this.#whole ? { keepAs } : {});
    this.#whole = true;
  }

  async #previous(): Promise<string | null> {
    const bytes = await readIfPresent(this.#files, previousOf(this.#file)).catch(() => null);
    return bytes?.toString('utf8') ?? null;
  }
}

/** A small JSON document of its own in the data directory, e.g. the settings. */
export interface StoredDocument<T> {
  readonly value: T;
  /** Part of it was unreadable when it was opened. */
  readonly damaged: boolean;
  /** Copies the file aside under a name with the time; `what` completes the sentence `<file> …` of the notice. */
  setAside(what: string): Promise<void>;
  /**
   * Replaces the value at once; resolves when it is on disk.
   * @throws store_unavailable; the value is then unchanged.
   */
  write(value: T): Promise<void>;
  /** Replaces the value and writes it soon. For values that a crash may lose, e.g. a time of last use. */
  writeSoon(value: T): void;
}

export interface DocumentOptions<T> {
  /** Recovers part of a text that `check` does not accept; null where nothing can be recovered. */
  salvage?: (text: string) => { value: T; lost: string } | null;
  /** Whether to keep the previous generation and to read it where the file is unreadable; default true. */
  generations?: boolean;
}

export class LowDocument<T> implements StoredDocument<T> {
  readonly #low: Low<{ value: T }>;
  readonly #adapter: DurableFile<{ value: T }>;
  readonly commits: GroupCommit;

  /** `low` has been read. */
  constructor(
    low: Low<{ value: T }>,
    adapter: DurableFile<{ value: T }>,
    clock: Clock,
    onOutcome: (error: unknown) => void,
  ) {
    this.#low = low;
    this.#adapter = adapter;
    this.commits = new GroupCommit({ clock, write: () => low.write(), onOutcome, soon: 1000 });
  }

  static async open<T>(
    options: {
      files: FileSystem;
      file: string;
      initial: T;
      check: Check<T>;
      clock: Clock;
      damaged: DamagedFiles;
      onOutcome: (error: unknown) => void;
    } & DocumentOptions<T>,
  ): Promise<LowDocument<T>> {
    const { files, file, damaged, check, clock, onOutcome, salvage, generations } = options;
    const format: Format<{ value: T }> = {
      parse(text, previous) {
        const value = text === null ? null : parseAs(text, check);
        if (value !== null) return { value: { value } };
        const part = text === null ? null : (salvage?.(text) ?? null);
        if (part)
          return {
            value: { value: part.value },
            problem: `holds records that cannot be read (${part.lost}); the others are intact`,
          };
        const before = previous === null ? null : parseAs(previous, check);
        const what = text === null ? 'is missing' : 'cannot be read';
        if (before !== null)
          return { value: { value: before }, problem: `${what}; its previous generation is used` };
        if (text === null) return { value: null };
        return { value: null, problem: `${what}; the bench starts without it` };
      },
      stringify: ({ value }) => `${JSON.stringify(value, null, 2)}\n`,
    };
    const adapter = new DurableFile({
      files,
      file,
      format,
      damaged,
      ...(generations === undefined ? {} : { generations }),
    });
    const low = new Low(adapter, { value: options.initial });
    await low.read();
    return new LowDocument(low, adapter, clock, onOutcome);
  }

  get damaged(): boolean {
    return this.#adapter.damaged;
  }

  setAside(what: string): Promise<void> {
    return this.#adapter.setAside(what);
  }

  get value(): T {
    return this.#low.data.value;
  }

  write(value: T): Promise<void> {
    const before = this.value;
    this.#low.data.value = value;
    return this.commits.commit(() => {
      if (this.#low.data.value === value) this.#low.data.value = before;
    });
  }

  writeSoon(value: T): void {
    this.#low.data.value = value;
    this.commits.touch();
  }
}
