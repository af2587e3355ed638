/**
 * A WebAssembly module with exceptions of the older kind and without custom sections: see older-exceptions.mjs.
 * @param module one with exceptions of the standard; its types are changed where they lie
 * @throws where the module has something that is not known here
 */
export function withOlderExceptions(module: Uint8Array): Uint8Array;
