import type { Clock } from '../clock.ts';
import { parseAs } from '../contract/check.ts';
import {
  DESIGN_VERSIONS,
  type DesignDetails,
  type DesignSummary,
  type StoredVersion,
} from '../contract/designs/designs.ts';
import { hasEnded, type Job } from '../contract/jobs/jobs.ts';
import { designsError } from '../errors/designs.ts';
import type { EventHub } from '../events/events.ts';
import { designIdOf } from '../jobs/design-id.ts';
import type { NodePool } from '../jobs/node-pool.ts';
import type { Logger } from '../log.ts';
import type { Store } from '../store/index.ts';
import { designBeyond, MAX_SOURCE_BYTES, sourceBeyond, sourceBytes } from './bounds.ts';
import { DesignDocuments, DOCUMENT_KINDS, type DocumentKind, type DocumentOf } from './documents.ts';
import { type DesignEntry, type DesignRecord, detailsOf, isDesignRecord, summaryOf } from './record.ts';
import { versionOf } from './version.ts';

export interface DesignsOptions {
  store: Pick<Store, 'designFiles' | 'noteDamage' | 'space'>;
  clock: Clock;
  logger: Logger;
}

/** Folders read concurrently at the start. */
const AT_ONCE = 32;

/**
 * The designs of the bench, each identified by owner and file name. A design has its builds as versions, and its
 * documents, whichever build runs.
 */
export class Designs {
  readonly #store: DesignsOptions['store'];
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #documents: DesignDocuments;
  readonly #known = new Map<string, DesignEntry>();
  /** Builds that are being added, by design. */
  readonly #noting = new Map<string, Promise<void>>();
  #sourceBytes = 0;
  #pool: NodePool | null = null;
  #unsubscribe = () => {};

  private constructor({ store, clock, logger }: DesignsOptions) {
    this.#store = store;
    this.#clock = clock;
    this.#logger = logger;
    this.#documents = new DesignDocuments(store.designFiles, (name) => this.#damaged(name));
  }

  /** Loads the stored designs. A design with an unreadable record is set aside. */
  static async open(options: DesignsOptions): Promise<Designs> {
    const designs = new Designs(options);
    const ids = await options.store.designFiles.folders();
    for (let at = 0; at < ids.length; at += AT_ONCE)
      await Promise.all(ids.slice(at, at + AT_ONCE).map((id) => designs.#load(id)));
    return designs;
  }

  async #load(id: string): Promise<void> {
    const { designFiles } = this.#store;
    const bytes = await designFiles.read(id, 'design').catch(() => null);
    const record = bytes && parseAs(bytes.toString('utf8'), isDesignRecord);
    if (!record || designIdOf(record.owner, record.name) !== id) {
      // A folder without a record is left by an interrupted write.
      if (bytes) this.#damaged(`designs/${id}/design.json`);
      return;
    }
    const names = new Set(await designFiles.documents(id));
    const documents = new Set(DOCUMENT_KINDS.filter((kind) => names.has(kind)));
    const design: DesignEntry = { id, record, documents };
    this.#known.set(id, design);
    this.#sourceBytes += sourceBytes(design);
  }

  #damaged(name: string): void {
    this.#store.noteDamage(name, 'cannot be read; the bench continues without it').catch((error) => {
      this.#logger.warn({ err: error }, 'A damaged file of a design could not be set aside.');
    });
  }

  /** Adds the pool's builds as versions, including those that ended earlier. */
  follow(pool: NodePool, events: EventHub): void {
    this.#pool = pool;
    this.#unsubscribe = events.subscribe((event) => {
      if (event.type === 'job') this.#saw(event.job);
      else if (event.type === 'unplaced_job') this.#open(event.job.owner, event.job.submit.filename);
    });
    for (const job of pool.jobs({}).reverse()) this.#saw(job);
    for (const { owner, submit } of pool.unplacedJobs({})) this.#open(owner, submit.filename);
  }

  /** Newest first. @param owner null for every owner */
  async list(owner: string | null, limit: number): Promise<DesignSummary[]> {
    await Promise.all(this.#noting.values());
    return [...this.#known.values()]
      .filter(({ record }) => owner === null || record.owner === owner)
      .sort((a, b) => (a.record.updated_at < b.record.updated_at ? 1 : -1))
      .slice(0, limit)
      .map(summaryOf);
  }

  /** @throws design_not_found. */
  async get(id: string): Promise<DesignDetails> {
    await this.#noting.get(id);
    return detailsOf(this.#require(id));
  }

  /** The owner of a design. @throws design_not_found. */
  ownerOf(id: string): string {
    return this.#require(id).record.owner;
  }

  /** Whether a user has a design. */
  hasOwner(owner: string): boolean {
    for (const { record } of this.#known.values()) if (record.owner === owner) return true;
    return false;
  }

  /** Name of its file. @throws design_not_found. */
  nameOf(id: string): string {
    return this.#require(id).record.name;
  }

  /**
   * The source of a version.
   * @throws design_not_found, version_not_found.
   */
  async source(id: string, jobId: string): Promise<{ filename: string; source: Uint8Array }> {
    await this.#noting.get(id);
    const version = this.#require(id).record.versions.find(({ job_id }) => job_id === jobId);
    if (!version) throw designsError('version_not_found');
    const { source_sha256: digest, filename, fpga_id } = version;
    const kept = digest && (await this.#store.designFiles.readSource(id, digest));
    if (kept) return { filename, source: kept };
    const ofJob = await this.#pool?.source(fpga_id, jobId).catch(() => null);
    if (!ofJob) throw designsError('version_not_found');
    return ofJob;
  }

  /**
   * The id of a user's design of that file name; a new one is stored with its first document or build. Null where its
   * short id belongs to another design.
   */
  open(owner: string, name: string): string | null {
    return this.#open(owner, name)?.id ?? null;
  }

  /** A document of a design; null where there is none. @throws design_not_found. */
  async document<K extends DocumentKind>(id: string, kind: K): Promise<DocumentOf<K> | null> {
    const { documents } = this.#require(id);
    if (!documents.has(kind)) return null;
    const document = await this.#documents.read(id, kind);
    if (document === null) documents.delete(kind);
    return document;
  }

  /**
   * Stores a document; resolves when it is on disk.
   * @throws design_not_found, store_unavailable, storage_low.
   */
  async keep<K extends DocumentKind>(id: string, kind: K, document: DocumentOf<K>): Promise<void> {
    this.#store.space.demand();
    const design = this.#require(id);
    // Without the record on disk, the document would have no owner.
    await this.#write(design, { ...design.record, updated_at: this.#now() });
    await this.#documents.write(id, kind, document);
    design.documents.add(kind);
  }

  /** @throws design_not_found, store_unavailable. */
  async drop(id: string, kind: DocumentKind): Promise<void> {
    const design = this.#require(id);
    await this.#documents.remove(id, kind);
    design.documents.delete(kind);
  }

  /** Resolves when pending writes are done. */
  async close(): Promise<void> {
    this.#unsubscribe();
    await Promise.all(this.#noting.values());
  }

  #now(): string {
    return new Date(this.#clock.now()).toISOString();
  }

  #require(id: string): DesignEntry {
    const design = this.#known.get(id);
    if (!design) throw designsError('design_not_found');
    return design;
  }

  /**
   * The design of an owner and a file; null where its short id belongs to an earlier design. A new one is only in
   * memory until it has something to store.
   */
  #open(owner: string, name: string): DesignEntry | null {
    const id = designIdOf(owner, name);
    const known = this.#known.get(id);
    if (known) return known.record.owner === owner && known.record.name === name ? known : null;
    const record: DesignRecord = { owner, name, updated_at: this.#now(), versions: [] };
    const design: DesignEntry = { id, record, documents: new Set() };
    this.#known.set(id, design);
    for (let one = designBeyond(this.#known.values()); one; one = designBeyond(this.#known.values()))
      this.#forget(one);
    return design;
  }

  #forget(design: DesignEntry): void {
    this.#known.delete(design.id);
    this.#sourceBytes -= sourceBytes(design);
    this.#store.designFiles.removeFolder(design.id).catch((error) => {
      this.#logger.warn({ err: error }, 'The files of a design could not be removed.');
    });
  }

  #saw(job: Job): void {
    const { design_id: id, owner, submit } = job;
    if (job.type !== 'build_and_program' || id === undefined || !submit) return;
    const design = this.#open(owner, submit.filename);
    if (!design || !hasEnded(job.status) || job.status === 'cancelled') return;
    const { versions } = design.record;
    if (versions.some(({ job_id }) => job_id === job.job_id)) return;
    // A version that was removed already.
    if (versions.length >= DESIGN_VERSIONS && (versions.at(-1)?.at ?? '') > job.updated_at) return;
    const before = this.#noting.get(id) ?? Promise.resolve();
    const noted = before
      .then(() => this.#note(design, job))
      .catch((error) => {
        this.#logger.warn({ err: error, design_id: id }, 'A version of a design could not be stored.');
      });
    this.#noting.set(id, noted);
    void noted.then(() => {
      if (this.#noting.get(id) === noted) this.#noting.delete(id);
    });
  }

  async #note(design: DesignEntry, job: Job): Promise<void> {
    const pool = this.#pool;
    if (!pool || design.record.versions.some(({ job_id }) => job_id === job.job_id)) return;
    const [report, source] = await Promise.all([
      pool.report(job.fpga_id, job.job_id).catch(() => null),
      pool.source(job.fpga_id, job.job_id).catch(() => null),
    ]);
    const version = versionOf(job, report, source);
    if (source && version.source_sha256)
      await this.#keepSource(design, source.source).catch(() => {
        // The version still counts; its job may have the source.
        version.source_sha256 = null;
      });
    const versions = [version, ...design.record.versions]
      .sort((a, b) => (a.at < b.at ? 1 : -1))
      .slice(0, DESIGN_VERSIONS);
    await this.#update(design, versions, job.updated_at);
    for (let one = sourceBeyondAll(this.#known, this.#sourceBytes); one; ) {
      const { design: other, digest } = one;
      const left = other.record.versions.map((kept) =>
        kept.source_sha256 === digest ? { ...kept, source_sha256: null } : kept,
      );
      await this.#update(other, left, other.record.updated_at);
      one = sourceBeyondAll(this.#known, this.#sourceBytes);
    }
  }

  async #keepSource(design: DesignEntry, source: Uint8Array): Promise<void> {
    this.#store.space.demand();
    await this.#store.designFiles.writeSource(design.id, source);
  }

  /** Replaces the versions; removes sources that none of them uses. */
  async #update(design: DesignEntry, versions: StoredVersion[], updated_at: string): Promise<void> {
    const before = new Set(design.record.versions.map(({ source_sha256 }) => source_sha256));
    const bytes = sourceBytes(design);
    try {
      await this.#write(design, { ...design.record, versions, updated_at });
    } finally {
      this.#sourceBytes += sourceBytes(design) - bytes;
    }
    const wanted = new Set(design.record.versions.map(({ source_sha256 }) => source_sha256));
    for (const digest of before)
      if (digest !== null && !wanted.has(digest))
        await this.#store.designFiles.removeSource(design.id, digest);
  }

  /** Shown at once: the build has happened, whether the write succeeds or not. */
  async #write(design: DesignEntry, record: DesignRecord): Promise<void> {
    design.record = record;
    await this.#store.designFiles.write(design.id, 'design', `${JSON.stringify(record)}\n`);
  }
}

/** The source to remove; searched only where the total is too large. */
const sourceBeyondAll = (known: ReadonlyMap<string, DesignEntry>, bytes: number) =>
  bytes > MAX_SOURCE_BYTES ? sourceBeyond(known.values()) : null;
