import { parseAs } from '../../contract/check.ts';
import { digestOf } from '../../designs/version.ts';
import type { FolderFiles } from '../../store/index.ts';
import { KeyedQueue } from '../../store/keyed-queue.ts';
import { isStoredHandIn, type StoredHandIn } from './records.ts';

/** Files read concurrently at the start. */
const AT_ONCE = 32;

/** A stored source; null where it is missing or not what its digest says. */
export async function readSource(files: FolderFiles, id: string, digest: string): Promise<Buffer | null> {
  const bytes = await files.readSource(id, digest).catch(() => null);
  return bytes && digestOf(bytes) === digest ? bytes : null;
}

/** The stored hand-ins of all assignments. Acknowledged changes are on disk. */
export class StoredHandIns {
  readonly #files: FolderFiles;
  /** By assignment and by id, oldest first. */
  readonly #of = new Map<string, Map<string, StoredHandIn>>();
  readonly #changes = new KeyedQueue();

  private constructor(files: FolderFiles) {
    this.#files = files;
  }

  /** Loads the hand-ins of these assignments. @param onDamage gets the path of an unreadable one, which is left out */
  static async open(
    files: FolderFiles,
    assignmentIds: readonly string[],
    onDamage: (file: string) => void,
  ): Promise<StoredHandIns> {
    const handIns = new StoredHandIns(files);
    const read = async (assignmentId: string, id: string): Promise<StoredHandIn[]> => {
      const bytes = await files.read(assignmentId, id).catch(() => null);
      const record = bytes && parseAs(bytes.toString('utf8'), isStoredHandIn);
      if (record?.assignment_id === assignmentId && record.hand_in_id === id) return [record];
      onDamage(`assignments/${assignmentId}/${id}.json`);
      return [];
    };
    for (const assignmentId of assignmentIds) {
      const found: StoredHandIn[] = [];
      const ids = await files.documents(assignmentId);
      for (let at = 0; at < ids.length; at += AT_ONCE) {
        const some = ids.slice(at, at + AT_ONCE).map((id) => read(assignmentId, id));
        found.push(...(await Promise.all(some)).flat());
      }
      for (const one of found.sort((a, b) => (a.at < b.at ? -1 : 1))) handIns.#show(one);
    }
    return handIns;
  }

  #show(handIn: StoredHandIn): void {
    const { hand_in_id: id, assignment_id: assignmentId } = handIn;
    const known = this.#of.get(assignmentId) ?? new Map<string, StoredHandIn>();
    this.#of.set(assignmentId, known.set(id, handIn));
  }

  /** All of an assignment, oldest first. */
  of(assignmentId: string): StoredHandIn[] {
    return [...(this.#of.get(assignmentId)?.values() ?? [])];
  }

  find(id: string): StoredHandIn | undefined {
    for (const known of this.#of.values()) if (known.has(id)) return known.get(id);
    return undefined;
  }

  /** Ids of those that wait for a grade, oldest first. */
  pending(): string[] {
    return [...this.#of.keys()]
      .flatMap((assignmentId) => this.of(assignmentId))
      .filter(({ pending }) => pending)
      .sort((a, b) => (a.at < b.at ? -1 : 1))
      .map(({ hand_in_id }) => hand_in_id);
  }

  /** Adds a hand-in with its source. @throws store_unavailable. */
  async add(handIn: Omit<StoredHandIn, 'source_sha256'>, source: Uint8Array): Promise<StoredHandIn> {
    const added = { ...handIn, source_sha256: digestOf(source) };
    await this.#files.writeSource(added.assignment_id, added.source_sha256, source);
    await this.#write(added);
    this.#show(added);
    return added;
  }

  /** Changes one that still exists. @param change what is new, at the moment of writing @throws store_unavailable. */
  change(id: string, change: () => Partial<Pick<StoredHandIn, 'grade' | 'pending'>>): Promise<void> {
    return this.#changes.run(id, async () => {
      const before = this.find(id);
      if (!before) return;
      const after = { ...before, ...change() };
      await this.#write(after);
      // It may have been removed meanwhile: then it must not come back.
      if (this.find(id)) this.#show(after);
      else await this.#files.remove(after.assignment_id, id);
    });
  }

  #write(handIn: StoredHandIn): Promise<void> {
    return this.#files.write(handIn.assignment_id, handIn.hand_in_id, `${JSON.stringify(handIn)}\n`);
  }

  /** The source as it was handed in; null where its file is damaged. */
  source({ assignment_id, source_sha256 }: StoredHandIn): Promise<Buffer | null> {
    return readSource(this.#files, assignment_id, source_sha256);
  }

  /** Removes hand-ins, and sources that nothing else uses. @param used digests that stay @throws store_unavailable. */
  async remove(handIns: readonly StoredHandIn[], used: readonly (string | null)[]): Promise<void> {
    for (const { hand_in_id: id, assignment_id: assignmentId, source_sha256: digest } of handIns) {
      await this.#files.remove(assignmentId, id);
      this.#of.get(assignmentId)?.delete(id);
      const others = this.of(assignmentId).map((one) => one.source_sha256);
      if (![...others, ...used].includes(digest)) await this.#files.removeSource(assignmentId, digest);
    }
  }

  /** Removes the hand-ins of an assignment, and all of its files. @throws store_unavailable. */
  async removeAssignment(assignmentId: string): Promise<void> {
    this.#of.delete(assignmentId);
    await this.#files.removeFolder(assignmentId);
  }
}
