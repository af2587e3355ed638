import { type Adapter, Low } from 'lowdb';
import type { Clock } from '../clock.ts';
import { type Check, parseAs } from '../contract/check.ts';
import type { DamagedFiles } from './damage.ts';
import { type FileSystem, readIfPresent, writeDurably } from './filesystem.ts';
import { GroupCommit } from './group-commit.ts';

/** How a document becomes text and how text is read back; null for text that is damaged. */
interface Format<T> {
  parse(text: string): T | null;
  stringify(value: T): string;
}

/** The lowdb adapter that makes what it has written durable before it says so. */
export class DurableFile<T> implements Adapter<T> {
  readonly #files: FileSystem;
  readonly #file: string;
  readonly #format: Format<T>;
  readonly #damaged: DamagedFiles;

  constructor(options: { files: FileSystem; file: string; format: Format<T>; damaged: DamagedFiles }) {
    this.#files = options.files;
    this.#file = options.file;
    this.#format = options.format;
    this.#damaged = options.damaged;
  }

  async read(): Promise<T | null> {
    const bytes = await readIfPresent(this.#files, this.#file);
    if (bytes === null) return null;
    const value = this.#format.parse(bytes.toString('utf8'));
    if (value === null)
      await this.#damaged.setAside(this.#file, 'cannot be read; the bench starts without it');
    return value;
  }

  /** Takes the value as it is at the moment of the call. */
  write(value: T): Promise<void> {
    return writeDurably(this.#files, this.#file, this.#format.stringify(value));
  }
}

/** A small JSON document of its own in the data directory, e.g. the settings. */
export interface StoredDocument<T> {
  readonly value: T;
  /**
   * Replaces the value at once; resolves when it is on disk.
   * @throws store_unavailable; the value is then the one of before.
   */
  write(value: T): Promise<void>;
  /** Replaces the value; it reaches the disk soon. For what may be lost in a crash, e.g. a time of last use. */
  writeSoon(value: T): void;
}

export class LowDocument<T> implements StoredDocument<T> {
  readonly #low: Low<{ value: T }>;
  readonly commits: GroupCommit;

  /** `low` has been read. */
  constructor(low: Low<{ value: T }>, clock: Clock, onOutcome: (error: unknown) => void) {
    this.#low = low;
    this.commits = new GroupCommit({ clock, write: () => low.write(), onOutcome, soon: 1000 });
  }

  static async open<T>(options: {
    files: FileSystem;
    file: string;
    initial: T;
    check: Check<T>;
    clock: Clock;
    damaged: DamagedFiles;
    onOutcome: (error: unknown) => void;
  }): Promise<LowDocument<T>> {
    const { files, file, damaged, check, clock, onOutcome } = options;
    const format: Format<{ value: T }> = {
      parse(text) {
        const value = parseAs(text, check);
        return value === null ? null : { value };
      },
      stringify: ({ value }) => `${JSON.stringify(value, null, 2)}\n`,
    };
    const low = new Low(new DurableFile({ files, file, format, damaged }), { value: options.initial });
    await low.read();
    return new LowDocument(low, clock, onOutcome);
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
