/** A queue of bytes that can be taken from its front. */
export class ByteQueue {
  #parts: Uint8Array[] = [];
  #offset = 0;
  length = 0;

  push(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#parts.push(bytes);
    this.length += bytes.length;
  }

  /** Takes at most `count` bytes. */
  take(count: number): Uint8Array {
    const size = Math.min(count, this.length);
    const taken = new Uint8Array(size);
    for (let at = 0; at < size; ) {
      const [part] = this.#parts;
      if (!part) throw new Error('The queue has fewer bytes than it counts.');
      const piece = part.subarray(this.#offset, this.#offset + size - at);
      taken.set(piece, at);
      at += piece.length;
      this.#offset += piece.length;
      if (this.#offset === part.length) {
        this.#parts.shift();
        this.#offset = 0;
      }
    }
    this.length -= size;
    return taken;
  }

  clear(): void {
    this.#parts = [];
    this.#offset = 0;
    this.length = 0;
  }
}
