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
export const E_ROFS = 69;
export const E_SPIPE = 70;

const decoder = new TextDecoder();

/** The linear memory of a tool: its views are renewed after it has grown. */
export class ToolMemory {
  #memory: WebAssembly.Memory | null = null;
  #buffer: ArrayBufferLike = new ArrayBuffer(0);
  #view = new DataView(this.#buffer);
  #bytes = new Uint8Array(this.#buffer);

  attach(memory: WebAssembly.Memory): void {
    this.#memory = memory;
  }

  get view(): DataView {
    this.#renew();
    return this.#view;
  }

  get bytes(): Uint8Array {
    this.#renew();
    return this.#bytes;
  }

  text(pointer: number, length: number): string {
    return decoder.decode(this.bytes.subarray(pointer, pointer + length));
  }

  #renew(): void {
    if (this.#memory === null || this.#memory.buffer === this.#buffer) return;
    this.#buffer = this.#memory.buffer;
    this.#view = new DataView(this.#buffer);
    this.#bytes = new Uint8Array(this.#buffer);
  }
}
