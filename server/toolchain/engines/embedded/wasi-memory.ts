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

/** Functions of the system interface by name; each returns an error number. */
export type ServedFunctions = Record<string, (...values: never[]) => number>;

const decoder = new TextDecoder();

/**
 * The linear memory of a tool. It grows only while the tool runs: its views are renewed once at the beginning of
 * each call.
 */
export class ToolMemory {
  #memory: WebAssembly.Memory | null = null;
  #buffer = new ArrayBuffer(0);
  #view = new DataView(this.#buffer);
  #bytes = new Uint8Array(this.#buffer);

  attach(memory: WebAssembly.Memory): void {
    this.#memory = memory;
  }

  /** Valid until the call returns. */
  get view(): DataView {
    return this.#view;
  }

  /** Valid until the call returns. */
  get bytes(): Uint8Array {
    return this.#bytes;
  }

  text(pointer: number, length: number): string {
    return decoder.decode(this.bytes.subarray(pointer, pointer + length));
  }

  /** Renews the views at the beginning of a call. */
  renew(): void {
    const buffer = this.#memory?.buffer;
    if (buffer === undefined || buffer === this.#buffer) return;
    this.#buffer = buffer;
    this.#view = new DataView(buffer);
    this.#bytes = new Uint8Array(buffer);
  }
}
