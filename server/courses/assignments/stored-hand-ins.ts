import { parseAs } from '../../contract/check.ts';
import type { FolderFiles } from '../../store/index.ts';
import { KeyedQueue } from '../../store/keyed-queue.ts';
import { isStoredHandIn, type StoredHandIn } from './records.ts';

/** Files read concurrently at the start. */
const AT_ONCE = 32;

/** The stored hand-ins of all assignments, and the files of both. Acknowledged changes are on disk. */
export class StoredHandIns {
  /** What is handed in and what assignments start from are stored by their digests. */
  readonly files: FolderFiles;
  /** By id, oldest first. */
  readonly #all = new Map<string, StoredHandIn>();
  readonly #changes = new KeyedQueue();

  private constructor(files: FolderFiles) {
    this.files = files;
  }

  /** Loads the hand-ins of these assignments. @param onDamage gets the path of an unreadable one, which is left out */
  static async open(
    files: FolderFiles,
    assignmentIds: readonly string[],
    onDamage: (file: string) => void,
  ): Promise<StoredHandIns> {
    const read = async (assignmentId: string, id: string): Promise<StoredHandIn[]> => {
      const bytes = await files.read(assignmentId, id).catch(() => null);
      const record = bytes && parseAs(bytes.toString('utf8'), isStoredHandIn);
      if (record?.assignment_id === assignmentId && record.hand_in_id === id) return [record];
      onDamage(`assignments/${assignmentId}/${id}.json`);
      return [];
    };
    const found: StoredHandIn[] = [];
    for (const assignmentId of assignmentIds) {
      const ids = await files.documents(assignmentId);
      for (let at = 0; at < ids.length; at += AT_ONCE) {
        const some = ids.slice(at, at + AT_ONCE).map((id) => read(assignmentId, id));
        found.push(...(await Promise.all(some)).flat());
      }
    }
    const handIns = new StoredHandIns(files);
    for (const one of found.sort((a, b) => (a.at < b.at ? -1 : 1))) handIns.#all.set(one.hand_in_id, one);
    return handIns;
  }

  /** All of an assignment, oldest first. */
  of(assignmentId: string): StoredHandIn[] {
    return this.all.filter(({ assignment_id }) => assignment_id === assignmentId);
  }

  /** Oldest first. */
  get all(): StoredHandIn[] {
    return [...this.#all.values()];
  }

  find(id: string): StoredHandIn | undefined {
    return this.#all.get(id);
  }

  /** Adds a hand-in, whose source is stored. @throws store_unavailable. */
  async add(handIn: StoredHandIn): Promise<void> {
    await this.#write(handIn);
    this.#all.set(handIn.hand_in_id, handIn);
  }

  /** Changes one that still exists. @throws store_unavailable. */
  change(
    id: string,
    change: (before: StoredHandIn) => Partial<Pick<StoredHandIn, 'grade' | 'pending'>>,
  ): Promise<void> {
    return this.#changes.run(id, async () => {
      const before = this.find(id);
      if (!before) return;
      const after = { ...before, ...change(before) };
      await this.#write(after);
      // It may have been removed meanwhile: then it must not come back.
      if (this.find(id)) this.#all.set(id, after);
      else await this.files.remove(after.assignment_id, id);
    });
  }

  #write(handIn: StoredHandIn): Promise<void> {
    return this.files.write(handIn.assignment_id, handIn.hand_in_id, `${JSON.stringify(handIn)}\n`);
  }

  /** Removes hand-ins, and sources that nothing else uses. @param used digests that stay @throws store_unavailable. */
  async remove(handIns: readonly StoredHandIn[], used: readonly (string | null)[]): Promise<void> {
    for (const { hand_in_id: id, assignment_id: assignmentId, source_sha256: digest } of handIns) {
      await this.files.remove(assignmentId, id);
      this.#all.delete(id);
      const others = this.of(assignmentId).map((one) => one.source_sha256);
      if (![...others, ...used].includes(digest)) await this.files.removeSource(assignmentId, digest);
    }
  }

  /** Removes the hand-ins of an assignment, and all of its files. @throws store_unavailable. */
  async removeAssignment(assignmentId: string): Promise<void> {
    for (const { hand_in_id } of this.of(assignmentId)) this.#all.delete(hand_in_id);
    await this.files.removeFolder(assignmentId);
  }
}
