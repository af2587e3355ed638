import type { Clock } from '../../../clock.ts';
import type { Directory } from './tool-files.ts';
import { createDescriptors } from './wasi-descriptors.ts';
import { E_NOTSUP, OK, type ServedFunctions, ToolMemory } from './wasi-memory.ts';
import { createPathFunctions } from './wasi-paths.ts';

/** Thrown by proc_exit to unwind the tool. */
export class ToolExit extends Error {
  readonly code: number;
  constructor(code: number) {
    super(`exit ${code}`);
    this.code = code;
  }
}

/** Options of createWasi. */
export interface WasiOptions {
  root: Directory;
  /** Arguments, with the tool's name first. */
  args: string[];
  /** Receives bytes of standard output and standard error. They are a view: copy what you store. */
  output(bytes: Uint8Array): void;
  clock: Clock;
  /** Limit of the bytes that the tool may write to its files. */
  writeLimit: number;
}

const encoder = new TextEncoder();

/** Wraps a function: the views of the memory are renewed first. */
const afterRenewal =
  (memory: ToolMemory, serve: ServedFunctions[string]): ServedFunctions[string] =>
  (...values) => {
    memory.renew();
    return serve(...values);
  };

/**
 * The system interface of the WebAssembly tools: `wasi_snapshot_preview1` over a file system in memory. It has only what the
 * tools import, and reaches nothing of the host: no files, no network, no environment. Random numbers have a fixed seed,
 * so that a build can be repeated.
 * Source: WebAssembly/WASI, `legacy/preview1/docs.md`.
 *
 * @returns the imports of an instance, and `attach`, which takes its memory before `_start` is called
 */
export function createWasi(options: WasiOptions): {
  imports: WebAssembly.Imports;
  attach(memory: WebAssembly.Memory): void;
} {
  const memory = new ToolMemory();
  const descriptors = createDescriptors(memory, options.root, options.output, options.writeLimit);
  const args = options.args.map((arg) => encoder.encode(`${arg}\0`));
  let seed = 0x2545_f491;

  const process = {
    args_sizes_get(countOut: number, sizeOut: number): number {
      memory.view.setUint32(countOut, args.length, true);
      memory.view.setUint32(
        sizeOut,
        args.reduce((sum, arg) => sum + arg.length, 0),
        true,
      );
      return OK;
    },

    args_get(pointers: number, target: number): number {
      let position = target;
      for (const [i, arg] of args.entries()) {
        memory.view.setUint32(pointers + 4 * i, position, true);
        memory.bytes.set(arg, position);
        position += arg.length;
      }
      return OK;
    },

    environ_sizes_get(countOut: number, sizeOut: number): number {
      memory.view.setUint32(countOut, 0, true);
      memory.view.setUint32(sizeOut, 0, true);
      return OK;
    },

    environ_get: (): number => OK,

    clock_time_get(id: number, _precision: bigint, out: number): number {
      const milliseconds = id === 0 ? options.clock.now() : options.clock.monotonic();
      // In two halves: Yosys reads the time a hundred thousand times in a build, and bigints would cost much garbage.
      const microseconds = Math.floor(milliseconds * 1000);
      const low = (microseconds % 2 ** 32) * 1000;
      memory.view.setUint32(out, low % 2 ** 32, true);
      memory.view.setUint32(
        out + 4,
        Math.floor(microseconds / 2 ** 32) * 1000 + Math.floor(low / 2 ** 32),
        true,
      );
      return OK;
    },

    random_get(pointer: number, length: number): number {
      // xorshift32 (Marsaglia 2003) suffices for hash seeds, and is the same in every run.
      for (let i = 0; i < length; i++) {
        seed ^= seed << 13;
        seed ^= seed >>> 17;
        seed ^= seed << 5;
        memory.bytes[pointer + i] = seed & 0xff;
      }
      return OK;
    },

    /** A tool never waits. */
    poll_oneoff: (): number => E_NOTSUP,

    sched_yield: (): number => OK,

    proc_exit(code: number): never {
      throw new ToolExit(code);
    },
  };

  const functions: ServedFunctions = {
    ...process,
    ...descriptors.functions,
    ...createPathFunctions(memory, descriptors),
  };
  return {
    imports: {
      wasi_snapshot_preview1: Object.fromEntries(
        Object.entries(functions).map(([name, serve]) => [name, afterRenewal(memory, serve)]),
      ),
    },
    attach: (attached) => memory.attach(attached),
  };
}
