import type { MessagePort } from 'node:worker_threads';
import type { CompiledTool } from './load-module.ts';
import type { EmbeddedTool } from './tool-packages.ts';

/** Yosys's cell libraries in one block of shared memory. */
export interface SharePack {
  bytes: SharedArrayBuffer;
  /** Path, offset and length of each file. */
  index: [path: string, offset: number, length: number][];
}

/**
 * Channels of a tool thread: `signal` counts the messages that were sent to `inbox`; `output` is the memory of an
 * OutputWriter.
 */
export interface WorkerStart {
  inbox: MessagePort;
  signal: SharedArrayBuffer;
  output: SharedArrayBuffer;
}

/** Asks an idle thread to read and compile a tool. The 46 MB of the module stay out of the parent's event loop. */
export interface LoadTool {
  kind: 'load';
  tool: EmbeddedTool;
  memoryLimit: number;
  /** File of its cached code. */
  code: string | null;
}

/** Asks an idle thread to pack the cell libraries. */
export interface PackShare {
  kind: 'pack-share';
}

/** Messages to an idle thread; `file` goes to a thread that runs a tool. */
export type ToWorker =
  | LoadTool
  | PackShare
  | {
      kind: 'job';
      tool: EmbeddedTool;
      module: WebAssembly.Module;
      share: SharePack | null;
      args: string[];
      files: [path: string, contents: Uint8Array][];
      /** Paths of files that arrive later, each in its own message. */
      late: string[];
      /** Host path by path in the tool's file system. */
      hostFiles: Record<string, string>;
      outputs: string[];
    }
  | { kind: 'file'; path: string; contents: Uint8Array };

/** Message of a trap for an uncaught C++ exception, for which JavaScript has no message. */
export const UNCAUGHT = 'uncaught exception';

/** How a tool ended: by itself, or by a trap of WebAssembly. */
export type Outcome = { kind: 'exit'; code: number } | { kind: 'trap'; message: string };

/** Messages from a tool thread. */
export type FromWorker =
  /** It has started, or has freed everything of its last request: it is ready for a request. */
  | { kind: 'waiting' }
  | ({ kind: 'loaded' } & CompiledTool)
  | { kind: 'share'; share: SharePack }
  /** It has received its job. */
  | { kind: 'begun' }
  /** It waits until its output is read. */
  | { kind: 'full' }
  | {
      kind: 'end';
      outcome: Outcome;
      files: [path: string, contents: Uint8Array][];
      /** Peak size of the tool's memory, bytes. */
      memory: number;
    };

// Checks of answers. A thread or process trusts the service that starts it, but its tools read designs of strangers.
// Written by hand and not as schemas: most values are no JSON, and every new thread would load the schema compiler.

type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null;
export const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
export const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');
const isFile = (value: unknown): value is [string, Uint8Array] =>
  Array.isArray(value) && typeof value[0] === 'string' && value[1] instanceof Uint8Array;
export const isFiles = (value: unknown): value is [string, Uint8Array][] =>
  Array.isArray(value) && value.every(isFile);

const isShare = (value: unknown): boolean =>
  isFields(value) &&
  value['bytes'] instanceof SharedArrayBuffer &&
  Array.isArray(value['index']) &&
  value['index'].every(
    (entry: unknown) =>
      Array.isArray(entry) && typeof entry[0] === 'string' && isCount(entry[1]) && isCount(entry[2]),
  );

const isCompiledTool = (value: Fields): boolean =>
  value['module'] instanceof WebAssembly.Module && typeof value['kept'] === 'boolean';

export function isFromWorker(value: unknown): value is FromWorker {
  if (!isFields(value)) return false;
  if (value['kind'] === 'waiting' || value['kind'] === 'begun' || value['kind'] === 'full') return true;
  if (value['kind'] === 'loaded') return isCompiledTool(value);
  if (value['kind'] === 'share') return isShare(value['share']);
  return (
    value['kind'] === 'end' &&
    isOutcome(value['outcome']) &&
    isFiles(value['files']) &&
    isCount(value['memory'])
  );
}

const isOutcome = (value: unknown): value is Outcome =>
  isFields(value) &&
  (value['kind'] === 'exit'
    ? isCount(value['code'])
    : value['kind'] === 'trap' && typeof value['message'] === 'string');
