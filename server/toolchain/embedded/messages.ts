import type { MessagePort } from 'node:worker_threads';
import type { EmbeddedTool } from './tool-packages.ts';

/** The libraries of cells that Yosys reads, in one block of shared memory. */
export interface SharePack {
  bytes: SharedArrayBuffer;
  /** Path, offset and length of each file. */
  index: [path: string, offset: number, length: number][];
}

/** What a worker thread is started for. */
export type WorkerStart =
  /** Reads and compiles one tool, then ends: 30 MB need not pass through the service's event loop. */
  | { kind: 'load'; tool: EmbeddedTool; memoryLimit: number }
  /** Waits for one tool to run. `signal` counts the messages that were sent to `inbox`. */
  | { kind: 'run'; inbox: MessagePort; signal: SharedArrayBuffer };

export interface LoadedTool {
  kind: 'loaded';
  module: WebAssembly.Module;
  share: SharePack | null;
}

/** To a worker that waits. */
export type ToWorker =
  | {
      kind: 'job';
      tool: EmbeddedTool;
      module: WebAssembly.Module;
      share: SharePack | null;
      args: string[];
      files: [path: string, contents: Uint8Array][];
      /** Files that arrive later, each in a message of its own. */
      late: string[];
      /** Path in the tool's file system → path on the host. */
      hostFiles: Record<string, string>;
      outputs: string[];
    }
  | { kind: 'file'; path: string; contents: Uint8Array };

/** From a worker that runs a tool. */
export type FromWorker =
  | { kind: 'lines'; lines: string[] }
  | {
      kind: 'end';
      outcome: { kind: 'exit'; code: number } | { kind: 'trap'; message: string };
      files: [path: string, contents: Uint8Array][];
      /** Highest size of the tool's memory, bytes. */
      memory: number;
    };
