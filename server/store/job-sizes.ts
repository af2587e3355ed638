/** Bytes of the files of every job that is kept: counted as they are written, so that nobody has to walk them. */
export class JobSizes {
  readonly #bytes = new Map<string, number>();
  #total = 0;

  get total(): number {
    return this.#total;
  }

  of(jobId: string): number {
    return this.#bytes.get(jobId) ?? 0;
  }

  /** Bytes were written, or cut off where they are fewer than none. */
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
