import path from 'node:path';
import type { Clock } from '../clock.ts';
import type { Logger } from '../log.ts';
import type { FileSystem } from './filesystem.ts';

/** Damage that the store found when it was opened, for the log and the GUI. */
export interface StoreNotice {
  /** Path of the file inside the data directory, with slashes on every system. */
  file: string;
  /** Path of the copy that was set aside; null where there was nothing to copy. */
  kept: string | null;
  /** One sentence: the damage and the action. */
  message: string;
}

/** Sets damaged files aside and records the damage: it never overwrites or deletes a file. */
export class DamagedFiles {
  readonly notices: StoreNotice[] = [];
  readonly #files: FileSystem;
  readonly #logger: Logger;
  readonly #folder: string;
  readonly #clock: Clock;

  constructor(options: { files: FileSystem; folder: string; logger: Logger; clock: Clock }) {
    this.#files = options.files;
    this.#folder = options.folder;
    this.#logger = options.logger;
    this.#clock = options.clock;
  }

  /** Records a finding without setting anything aside; `what` as for `setAside`. */
  tell(file: string, what: string): void {
    const name = this.#nameOf(file);
    const message = `${name} ${what}.`;
    this.notices.push({ file: name, kept: null, message });
    this.#logger.error({ file: name }, message);
  }

  /** Records a sentence for the operator. */
  announce(file: string, message: string): void {
    this.notices.push({ file, kept: null, message });
    this.#logger.warn({ file }, message);
  }

  /** `what` completes the sentence `<file> …`, e.g. `is not JSON; the bench starts without it`. */
  async setAside(file: string, what: string): Promise<void> {
    const name = this.#nameOf(file);
    // Windows does not allow colons in file names.
    const time = new Date(this.#clock.now()).toISOString().replaceAll(':', '-');
    let kept = `${name}.damaged-${time}`;
    for (let n = 2; await this.#exists(kept); n++) kept = `${name}.damaged-${time}-${n}`;
    await this.#files.copyFile(file, path.join(this.#folder, kept));
    const message = `${name} ${what}. It was set aside as ${kept}.`;
    this.notices.push({ file: name, kept, message });
    this.#logger.error({ file: name, kept }, message);
  }

  #nameOf(file: string): string {
    return path.relative(this.#folder, file).split(path.sep).join('/');
  }

  async #exists(name: string): Promise<boolean> {
    return await this.#files.access(path.join(this.#folder, name)).then(
      () => true,
      () => false,
    );
  }
}
