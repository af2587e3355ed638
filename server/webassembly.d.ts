/**
 * The part of the WebAssembly JavaScript API that the service uses. TypeScript has it only in the DOM library, which
 * Node code must not use. Source: the WebAssembly JavaScript Interface.
 */
declare namespace WebAssembly {
  type ImportValue = ((...args: never[]) => unknown) | Memory | Table | Global | number;
  type Imports = Record<string, Record<string, ImportValue>>;
  type Exports = Record<string, unknown>;

  interface ModuleDescriptor {
    name: string;
    kind: 'function' | 'table' | 'memory' | 'global' | 'tag';
    module?: string;
  }

  class Module {
    constructor(bytes: ArrayBufferView | ArrayBuffer);
    static imports(module: Module): ModuleDescriptor[];
    static exports(module: Module): ModuleDescriptor[];
  }

  class Instance {
    constructor(module: Module, imports?: Imports);
    readonly exports: Exports;
  }

  class Memory {
    /** `initial` and `maximum` in pages of 64 KiB. */
    constructor(descriptor: { initial: number; maximum?: number; shared?: boolean });
    readonly buffer: ArrayBuffer;
    grow(pages: number): number;
  }

  class Table {
    constructor(descriptor: { element: 'anyfunc' | 'externref'; initial: number; maximum?: number });
    readonly length: number;
    get(index: number): unknown;
    set(index: number, value: unknown): void;
  }

  class Global {
    constructor(descriptor: { value: 'i32' | 'i64' | 'f32' | 'f64'; mutable?: boolean }, value?: unknown);
    value: unknown;
  }

  class CompileError extends Error {}
  class LinkError extends Error {}
  class RuntimeError extends Error {}

  function validate(bytes: ArrayBufferView | ArrayBuffer): boolean;
  function compile(bytes: ArrayBufferView | ArrayBuffer): Promise<Module>;
  function instantiate(module: Module, imports?: Imports): Promise<Instance>;
}
