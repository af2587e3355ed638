import { KeyedQueue } from '../../store/keyed-queue.ts';
import type { AssignmentFiles } from './assignment-files.ts';
import type { StoredAssignment, StoredGrade, StoredHandIn } from './records.ts';

/** The stored hand-ins of all assignments. Acknowledged changes are on disk. */
export class HandIns {
  readonly #files: AssignmentFiles;
  readonly #byId = new Map<string, StoredHandIn>();
  /** Ids by assignment, oldest first. */
  readonly #of = new Map<string, Set<string>>();
  readonly #changes = new KeyedQueue();

  private constructor(files: AssignmentFiles) {
    this.#files = files;
  }

  static async open(files: AssignmentFiles, assignments: readonly StoredAssignment[]): Promise<HandIns> {
    const handIns = new HandIns(files);
    const found: StoredHandIn[] = [];
    for (const { assignment_id } of assignments) found.push(...(await files.handIns(assignment_id)));
    found.sort((a, b) => (a.at < b.at ? -1 : 1));
    for (const one of found) handIns.#show(one);
    return handIns;
  }

  #show(handIn: StoredHandIn): void {
    const { hand_in_id: id, assignment_id: assignmentId } = handIn;
    this.#byId.set(id, handIn);
    const ids = this.#of.get(assignmentId) ?? new Set();
    this.#of.set(assignmentId, ids.add(id));
  }

  /** All of an assignment, oldest first. */
  of(assignmentId: string): StoredHandIn[] {
    return [...(this.#of.get(assignmentId) ?? [])].flatMap((id) => this.#byId.get(id) ?? []);
  }

  find(id: string): StoredHandIn | undefined {
    return this.#byId.get(id);
  }

  /** Ids of those that wait for a grade, oldest first. */
  pending(): string[] {
    return [...this.#byId.values()].filter(({ pending }) => pending).map(({ hand_in_id }) => hand_in_id);
  }

  /** Adds a hand-in with its source. @throws store_unavailable. */
  async add(handIn: Omit<StoredHandIn, 'source_sha256'>, source: Uint8Array): Promise<StoredHandIn> {
    const source_sha256 = await this.#files.writeFile(handIn.assignment_id, source);
    const added = { ...handIn, source_sha256 };
    await this.#files.writeHandIn(added);
    this.#show(added);
    return added;
  }

  /** Marks a hand-in as waiting for another grade. @throws store_unavailable. */
  markPending(id: string): Promise<void> {
    return this.#change(id, () => ({ pending: true }));
  }

  /** Stores a grade. @param pending whether it waits for another one @throws store_unavailable. */
  setGrade(id: string, grade: StoredGrade, pending: () => boolean): Promise<void> {
    return this.#change(id, () => ({ grade, pending: pending() }));
  }

  #change(id: string, change: () => Partial<Pick<StoredHandIn, 'grade' | 'pending'>>): Promise<void> {
    return this.#changes.run(id, async () => {
      const before = this.#byId.get(id);
      if (!before) return;
      const after = { ...before, ...change() };
      await this.#files.writeHandIn(after);
      // It may have been removed meanwhile: then it must not come back.
      if (this.#byId.has(id)) this.#show(after);
      else await this.#files.removeHandIn(after);
    });
  }

  /** The source as it was handed in; null where its file is damaged. */
  source({ assignment_id, source_sha256 }: StoredHandIn): Promise<Buffer | null> {
    return this.#files.readFile(assignment_id, source_sha256);
  }

  /** Removes hand-ins, and sources that nothing else uses. @param used digests that stay @throws store_unavailable. */
  async remove(handIns: readonly StoredHandIn[], used: readonly (string | null)[]): Promise<void> {
    for (const handIn of handIns) {
      await this.#files.removeHandIn(handIn);
      const { hand_in_id: id, assignment_id: assignmentId, source_sha256: digest } = handIn;
      this.#byId.delete(id);
      this.#of.get(assignmentId)?.delete(id);
      const others = this.of(assignmentId).map((one) => one.source_sha256);
      if (![...others, ...used].includes(digest)) await this.#files.removeFile(assignmentId, digest);
    }
  }

  /** Removes the hand-ins of an assignment, and all of its files. @throws store_unavailable. */
  async removeAssignment(assignmentId: string): Promise<void> {
    for (const id of this.#of.get(assignmentId) ?? []) this.#byId.delete(id);
    this.#of.delete(assignmentId);
    await this.#files.removeAssignment(assignmentId);
  }
}
