import path from 'node:path';
import type { Clock } from '../clock.ts';
import type { AuditChain, AuditEntry, AuditPage, AuditQuery } from '../contract/bench/audit.ts';
import { type FileSystem, readIfPresent, syncFolder, writeAll, writeDurably } from '../store/filesystem.ts';
import { entryLine, GENESIS, headLine, link, readSegment, type Segment } from './segment.ts';

/** A record for the trail, which adds number and time. */
export type AuditRecord = Omit<AuditEntry, 'seq' | 'time' | 'times'> & { times?: number };

export interface AuditOptions {
  files: FileSystem;
  /** Folder of the trail; made when it is missing. */
  folder: string;
  clock: Clock;
  /** Maximum total bytes, and maximum age in days. */
  limits: () => { bytes: number; days: number };
  /** Called after every write: null for success. */
  onOutcome(error: unknown): void;
  /** Called once when the trail is damaged, with a sentence. */
  onDamage(sentence: string): void;
}

/** Largest file, so that reading one does not delay the service. */
const SEGMENT_BYTES = 2 << 20;
/** Entries are on disk after so many milliseconds. */
const FLUSH_MS = 100;
/** Delay before the head names the last entry, ms: its write costs more than those of entries. */
const HEAD_MS = 1000;
const RETRY_MS = 1000;
/** Entries in memory while the disk can't be written; further ones are counted and dropped. */
const MAX_PENDING = 20_000;
const DAY_MS = 86_400_000;

const NAME = /^(\d{12})\.jsonl$/;
const nameOf = (first: number): string => `${String(first).padStart(12, '0')}.jsonl`;

/**
 * Who did what: append-only files of JSON lines. Each line has the SHA-256 over all lines before it, and `head.json`
 * names the last one, so that changed, missing or truncated lines show. An attacker who can write all of these files
 * can make a whole new trail. A copy of the head's value elsewhere proves even that.
 */
export class AuditTrail {
  readonly #options: AuditOptions;
  /** First entries of the files, oldest first; each is its file's name. */
  readonly #segments: number[] = [];
  #handle: number | null = null;
  /** Bytes of the newest file. */
  #size = 0;
  /** The file continues after `#size` with the rest of a failed write. */
  #torn = false;
  #seq = 0;
  #chain = GENESIS;
  /** The last entry on disk. */
  #written: { seq: number; chain: string } = { seq: 0, chain: GENESIS };
  #pending: { line: string; seq: number; chain: string }[] = [];
  #dropped = 0;
  #problem: string | null = null;
  #work: Promise<void> = Promise.resolve();
  /** The running verification, and the one after it. */
  #verification: Promise<unknown> = Promise.resolve();
  #nextVerification: Promise<AuditChain> | null = null;
  #cancel: (() => void) | null = null;
  /** Cancels the scheduled write of the head. */
  #cancelHead: (() => void) | null = null;

  private constructor(options: AuditOptions) {
    this.#options = options;
  }

  /** Opens the trail and continues after its last entry. Damage stays in place and is reported. */
  static async open(options: AuditOptions): Promise<AuditTrail> {
    const trail = new AuditTrail(options);
    const { files, folder } = options;
    await files.mkdir(folder, { recursive: true, mode: 0o700 });
    const names = (await files.readdir(folder)).filter((name) => NAME.test(name)).sort();
    for (let last = names.at(-1); last !== undefined; last = names.at(-1)) {
      const contents = await files.readFile(path.join(folder, last));
      const segment = readSegment(contents);
      if (segment.bytes > 0) {
        trail.#seq = segment.seq;
        trail.#chain = segment.chain;
        trail.#size = segment.bytes;
        trail.#torn = contents.length > segment.bytes;
        break;
      }
      // A crash interrupted the first write of this file: begin it again.
      names.pop();
    }
    trail.#segments.push(...names.map((name) => Number(NAME.exec(name)?.[1])));
    const head = await trail.#head();
    if (head && head.seq > trail.#seq) {
      trail.#damaged(`entries ${trail.#seq + 1} to ${head.seq} were cut off`);
      // Numbers are never reused: truncated entries leave a gap.
      trail.#seq = head.seq;
      trail.#chain = head.chain;
      trail.#size = 0;
    }
    trail.#written = { seq: trail.#seq, chain: trail.#chain };
    return trail;
  }

  /** Adds an entry, which is on disk a tenth of a second later. Never fails: it waits for a full disk. */
  add({ times = 1, ...record }: AuditRecord): void {
    if (this.#pending.length >= MAX_PENDING) {
      this.#dropped++;
      return;
    }
    const { clock } = this.#options;
    const time = new Date(clock.now()).toISOString();
    const entry: AuditEntry = { seq: this.#seq + 1, time, ...record, times };
    const text = JSON.stringify(entry);
    this.#seq = entry.seq;
    this.#chain = link(this.#chain, text);
    this.#pending.push({ line: entryLine(text, this.#chain), seq: this.#seq, chain: this.#chain });
    this.#soon(FLUSH_MS);
  }

  /** Matching entries, newest first. */
  async page(query: AuditQuery): Promise<AuditPage> {
    await this.flush();
    const { limit = 100, before = Number.POSITIVE_INFINITY } = query;
    const fits = filterOf(query);
    const entries: AuditEntry[] = [];
    for (const first of this.#segments.toReversed()) {
      if (first >= before) continue;
      const segment = await this.#read(first);
      for (const entry of segment.entries.toReversed()) {
        if (entry.seq >= before || !fits(entry)) continue;
        if (entries.length === limit) return { entries, more: true, chain: this.chain };
        entries.push(entry);
      }
    }
    return { entries, more: false, chain: this.chain };
  }

  /** Checks the chain through all files. Callers during a check share the next one. */
  verify(): Promise<AuditChain> {
    this.#nextVerification ??= this.#verification.then(() => {
      this.#nextVerification = null;
      const run = this.#followChain();
      this.#verification = run.catch(() => {});
      return run;
    });
    return this.#nextVerification;
  }

  async #followChain(): Promise<AuditChain> {
    // The queue appends to the newest file and removes the oldest ones, so read the state as one step of it. All other
    // files stay unchanged.
    const { firsts, newest, written } = await this.#step(async () => {
      await this.#drain();
      const firsts = [...this.#segments];
      const last = firsts.at(-1);
      const whole = this.#torn && this.#size > 0 ? this.#size : undefined;
      return {
        firsts,
        newest: last === undefined ? null : await this.#read(last, whole),
        written: this.#written,
      };
    });
    let before: Segment | null = null;
    for (const first of firsts) {
      const isNewest = first === firsts.at(-1);
      const segment: Segment = isNewest && newest ? newest : await this.#read(first);
      // It was removed as too old meanwhile.
      if (!isNewest && !this.#segments.includes(first)) continue;
      const name = `audit/${nameOf(first)}`;
      if (segment.problem !== null) this.#damaged(`${name}: ${segment.problem}`);
      if (before && (segment.after.seq !== before.seq || segment.after.chain !== before.chain))
        this.#damaged(`${name}: it does not continue after entry ${before.seq}`);
      before = segment;
    }
    if (before && (before.seq !== written.seq || before.chain !== written.chain))
      this.#damaged(`it ends with entry ${before.seq} where ${written.seq} was written`);
    return this.chain;
  }

  /** The known state of the chain. */
  get chain(): AuditChain {
    return {
      intact: this.#problem === null,
      problem: this.#problem,
      first: this.#segments[0] ?? 0,
      last: this.#written.seq,
      head: this.#written.chain,
    };
  }

  /** Writes pending entries. */
  flush(): Promise<void> {
    this.#cancel?.();
    this.#cancel = null;
    return this.#step(() => this.#drain());
  }

  /** Runs work after all earlier work: changes of the files happen one at a time. */
  #step<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#work.then(work);
    this.#work = done.then(
      () => {},
      () => {},
    );
    return done;
  }

  /** Writes pending entries once and closes the files. */
  async close(): Promise<void> {
    await this.flush();
    if (this.#cancelHead !== null) await this.#step(() => this.#writeHead());
    this.#cancel?.();
    this.#cancel = null;
    this.#release();
  }

  #soon(milliseconds: number): void {
    this.#cancel ??= this.#options.clock.after(milliseconds, () => {
      this.#cancel = null;
      void this.flush();
    });
  }

  async #drain(): Promise<void> {
    const batch = this.#pending;
    if (batch.length === 0) return;
    this.#pending = [];
    const before = this.#segments.length;
    try {
      await this.#write(batch.map(({ line }) => line).join(''));
    } catch (error) {
      this.#torn = true;
      this.#release();
      this.#pending = [...batch, ...this.#pending];
      this.#options.onOutcome(error);
      this.#soon(RETRY_MS);
      return;
    }
    const last = batch.at(-1);
    if (last) this.#written = { seq: last.seq, chain: last.chain };
    if (this.#dropped > 0) this.#recordDropped();
    this.#options.onOutcome(null);
    // Apply the limits before another file counts.
    if (this.#segments.length > before) await this.#writeHead();
    else this.#headSoon();
  }

  #headSoon(): void {
    this.#cancelHead ??= this.#options.clock.after(HEAD_MS, () => {
      void this.#step(() => this.#writeHead());
    });
  }

  /** Writes the last entry's number to the head, and removes files that are too old. */
  async #writeHead(): Promise<void> {
    this.#cancelHead?.();
    this.#cancelHead = null;
    try {
      await writeDurably(this.#options.files, this.#headFile, JSON.stringify(this.#written));
      await this.#retire();
      this.#options.onOutcome(null);
    } catch (error) {
      // The entries are on disk; the head follows later.
      this.#options.onOutcome(error);
      this.#headSoon();
    }
  }

  #recordDropped(): void {
    const entries = this.#dropped;
    this.#dropped = 0;
    this.add({
      action: 'service',
      owner: 'system',
      from: null,
      operator: false,
      fpga_id: null,
      job_id: null,
      done: false,
      code: 'store_unavailable',
      request_id: null,
      details: { what: 'entries dropped while the disk could not be written', entries },
    });
  }

  async #write(lines: string): Promise<void> {
    const { files, folder } = this.#options;
    if (this.#segments.length === 0 || this.#size === 0 || this.#size >= SEGMENT_BYTES) {
      this.#release();
      this.#segments.push(this.#written.seq + 1);
      this.#size = 0;
      this.#torn = true;
    }
    const file = path.join(folder, nameOf(this.#segments.at(-1) ?? 1));
    this.#handle ??= files.openSync(file, 'a', 0o600);
    if (this.#torn) files.ftruncateSync(this.#handle, this.#size);
    this.#torn = false;
    const begins = this.#size === 0;
    const bytes = Buffer.from(begins ? headLine(this.#written.seq, this.#written.chain) + lines : lines);
    try {
      writeAll(files, this.#handle, bytes);
      await files.fsync(this.#handle);
      if (begins) await syncFolder(files, folder);
    } catch (error) {
      if (begins) this.#segments.pop();
      throw error;
    }
    this.#size += bytes.length;
  }

  /** Removes the oldest files above the limits of bytes and days; the newest stays. */
  async #retire(): Promise<void> {
    const { files, folder, limits, clock } = this.#options;
    const { bytes, days } = limits();
    const most = Math.max(1, Math.floor(bytes / SEGMENT_BYTES));
    while (this.#segments.length > 1) {
      const [oldest = 0] = this.#segments;
      const tooMany = this.#segments.length > most;
      if (!tooMany && !(await this.#endedBefore(oldest, clock.now() - days * DAY_MS))) return;
      // Remove it from the list first: a reader that misses the file then sees why.
      this.#segments.shift();
      try {
        await files.rm(path.join(folder, nameOf(oldest)), { force: true });
      } catch (error) {
        this.#segments.unshift(oldest);
        throw error;
      }
    }
  }

  /** Newest times of old files, cached: only the newest file changes. */
  readonly #ends = new Map<number, number>();

  async #endedBefore(first: number, time: number): Promise<boolean> {
    let ended = this.#ends.get(first);
    if (ended === undefined) {
      const last = (await this.#read(first)).entries.at(-1);
      ended = last ? Date.parse(last.time) : 0;
      this.#ends.clear();
      this.#ends.set(first, ended);
    }
    return ended < time;
  }

  /** @param bytes to read; the rest of the file is ignored. */
  async #read(first: number, bytes?: number): Promise<Segment> {
    const { files, folder } = this.#options;
    const contents = await readIfPresent(files, path.join(folder, nameOf(first)));
    return readSegment((contents ?? Buffer.alloc(0)).subarray(0, bytes));
  }

  get #headFile(): string {
    return path.join(this.#options.folder, 'head.json');
  }

  async #head(): Promise<{ seq: number; chain: string } | null> {
    const text = await readIfPresent(this.#options.files, this.#headFile);
    try {
      const value: unknown = JSON.parse(text?.toString('utf8') ?? 'null');
      if (typeof value !== 'object' || value === null || !('seq' in value) || !('chain' in value))
        return null;
      const { seq, chain } = value;
      return typeof seq === 'number' && typeof chain === 'string' ? { seq, chain } : null;
    } catch {
      return null;
    }
  }

  #damaged(what: string): void {
    if (this.#problem !== null) return;
    this.#problem = what;
    this.#options.onDamage(`The audit trail was changed from outside: ${what}.`);
  }

  #release(): void {
    if (this.#handle !== null) this.#options.files.closeSync(this.#handle);
    this.#handle = null;
  }
}

function filterOf(query: AuditQuery): (entry: AuditEntry) => boolean {
  const { action, owner, fpga_id, done } = query;
  const since = query.since === undefined ? Number.NEGATIVE_INFINITY : Date.parse(query.since);
  const until = query.until === undefined ? Number.POSITIVE_INFINITY : Date.parse(query.until);
  return (entry) => {
    const time = Date.parse(entry.time);
    return (
      (action === undefined || action.includes(entry.action)) &&
      (owner === undefined || entry.owner === owner) &&
      (fpga_id === undefined || entry.fpga_id === fpga_id) &&
      (done === undefined || entry.done === done) &&
      time >= since &&
      time < until
    );
  };
}
