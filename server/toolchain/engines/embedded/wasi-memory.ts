/** Error numbers of `wasi_snapshot_preview1`. Source: WebAssembly/WASI, `legacy/preview1/docs.md`. */
export const OK = 0;
export const E_BADF = 8;
export const E_EXIST = 20;
export const E_INVAL = 28;
export const E_ISDIR = 31;
export const E_NOENT = 44;
export const E_NOSPC = 51;
export const E_NOTDIR = 54;
export const E_NOTEMPTY = 55;
export const E_NOTSUP = 58;
export const E_ROFS = 69;
export const E_SPIPE = 70;

/** Functions of the system interface by their names, each with an error number as its result. */
export type ServedFunctions = Record<string, (...values: never[]) => number>;

const decoder = new TextDecoder();

/**
 * The linear memory of a tool. It grows while the tool runs and not while it is being served: its views are renewed at the
 * beginning of each call, and not at each use.
 */
export class ToolMemory {
  #memory: WebAssembly.Memory | null = null;
  #buffer = new ArrayBuffer(0);
  #view = new DataView(this.#buffer);
  #bytes = new Uint8Array(this.#buffer);

  attach(memory: WebAssembly.Memory): void {
    this.#memory = memory;
  }

  /** Valid until the tool goes on. */
  get view(): DataView {
    return this.#view;
  }

  /** Valid until the tool goes on. */
  get bytes(): Uint8Array {
    return this.#bytes;
  }

  text(pointer: number, length: number): string {
    return decoder.decode(this.bytes.subarray(pointer, pointer + length));
  }

  /** To be called when the tool has called, before anything is read or written. */
  renew(): void {
    const buffer = this.#memory?.buffer;
    if (buffer === undefined || buffer === this.#buffer) return;
    this.#buffer = buffer;
    this.#view = new DataView(buffer);
    this.#bytes = new Uint8Array(buffer);
  }
}
