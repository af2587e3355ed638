import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { loadCompiledCode } from './compiled-code-cache.ts';
import { HEAD_ROOM, limitMemory } from './memory-limit.ts';
import { type EmbeddedTool, modulePath } from './tool-packages.ts';

/** A compiled tool. */
export interface CompiledTool {
  module: WebAssembly.Module;
  /** The code comes from the compiled-code cache. */
  kept: boolean;
}

/** Reads a file into a buffer, after HEAD_ROOM free bytes. */
function readWithRoom(file: string): Uint8Array {
  const descriptor = openSync(file, 'r');
  try {
    const { size } = fstatSync(descriptor);
    const room = new Uint8Array(HEAD_ROOM + size);
    for (let at = HEAD_ROOM; at < room.length; ) {
      const count = readSync(descriptor, room, at, room.length - at, null);
      if (count === 0) throw new Error(`${file} became shorter while it was read.`);
      at += count;
    }
    return room;
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Reads and compiles a tool in the calling thread. With cached code that takes a tenth of a second for the largest tool,
 * else seconds.
 * @param memoryLimit linear memory of the tool, bytes
 * @param code file of the cached code
 * @throws errors of the file system; an error when a package's module is invalid
 */
export function loadModule(tool: EmbeddedTool, memoryLimit: number, code: string | null): CompiledTool {
  const wire = limitMemory(readWithRoom(modulePath(tool)), memoryLimit);
  const kept = code === null ? null : loadCompiledCode(code, wire);
  return { module: kept ?? new WebAssembly.Module(wire), kept: kept !== null };
}
