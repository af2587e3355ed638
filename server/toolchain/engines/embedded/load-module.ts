import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { loadCompiledCode } from './compiled-code-cache.ts';
import { HEAD_ROOM, limitMemory } from './memory-limit.ts';
import { type EmbeddedTool, modulePath } from './tool-packages.ts';

/** A tool as compiled. */
export interface CompiledTool {
  module: WebAssembly.Module;
  /** Its code is what an earlier process had compiled. */
  kept: boolean;
}

/** A file behind HEAD_ROOM free bytes. */
function readWithRoom(file: string): Uint8Array {
  const descriptor = openSync(file, 'r');
  try {
    const { size } = fstatSync(descriptor);
    const room = new Uint8Array(HEAD_ROOM + size);
    for (let at = HEAD_ROOM; at < room.length; ) {
      const count = readSync(descriptor, room, at, room.length - at, null);
      if (count === 0) throw new Error(`${file} has become shorter.`);
      at += count;
    }
    return room;
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Reads a tool and compiles it, in the thread that calls: with kept code a tenth of a second for the largest, else seconds.
 * @param memoryLimit linear memory of the tool, bytes
 * @param code the file of its kept code
 * @throws what the file system says; where a module of the packages is none
 */
export function loadModule(tool: EmbeddedTool, memoryLimit: number, code: string | null): CompiledTool {
  const wire = limitMemory(readWithRoom(modulePath(tool)), memoryLimit);
  const kept = code === null ? null : loadCompiledCode(code, wire);
  return { module: kept ?? new WebAssembly.Module(wire), kept: kept !== null };
}
