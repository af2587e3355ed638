import { MessagePort } from 'node:worker_threads';
import { EMBEDDED_TOOLS, type EmbeddedTool } from './tool-packages.ts';

/** The libraries of cells that Yosys reads, in one block of shared memory. */
export interface SharePack {
  bytes: SharedArrayBuffer;
  /** Path, offset and length of each file. */
  index: [path: string, offset: number, length: number][];
}

/** What a worker thread is started for. */
export type WorkerStart =
  /** Reads and compiles one tool, then ends: 30 MB need not pass through an event loop. `code` is the file of its kept code. */
  | { kind: 'load'; tool: EmbeddedTool; memoryLimit: number; code: string | null }
  /** Waits for one tool to run. `signal` counts the messages that were sent to `inbox`. */
  | { kind: 'run'; inbox: MessagePort; signal: SharedArrayBuffer };

export interface LoadedTool {
  kind: 'loaded';
  module: WebAssembly.Module;
  share: SharePack | null;
  /** Its code is what an earlier process had compiled. */
  kept: boolean;
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

/** How a tool ended: by itself, or by a trap of WebAssembly. */
export type Outcome = { kind: 'exit'; code: number } | { kind: 'trap'; message: string };

/** From a worker that runs a tool. */
export type FromWorker =
  /** The thread has started. */
  | { kind: 'waiting' }
  | { kind: 'lines'; lines: string[] }
  | {
      kind: 'end';
      outcome: Outcome;
      files: [path: string, contents: Uint8Array][];
      /** Highest size of the tool's memory, bytes. */
      memory: number;
    };

// Written out, unlike the checks of what comes as JSON: most of it is no JSON, and a compiler of schemas would have to
// be loaded by every thread that is started.

export type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null;
export const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
export const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');
const isFile = (value: unknown): value is [string, Uint8Array] =>
  Array.isArray(value) && typeof value[0] === 'string' && value[1] instanceof Uint8Array;
export const isFiles = (value: unknown): value is [string, Uint8Array][] =>
  Array.isArray(value) && value.every(isFile);
export const isTextOrNull = (value: unknown): value is string | null =>
  value === null || typeof value === 'string';
export const isTool = (value: unknown): value is EmbeddedTool =>
  EMBEDDED_TOOLS.some((tool) => tool === value);

const isShare = (value: unknown): boolean =>
  value === null ||
  (isFields(value) &&
    value['bytes'] instanceof SharedArrayBuffer &&
    Array.isArray(value['index']) &&
    value['index'].every(
      (entry: unknown) =>
        Array.isArray(entry) && typeof entry[0] === 'string' && isCount(entry[1]) && isCount(entry[2]),
    ));

export function isWorkerStart(value: unknown): value is WorkerStart {
  if (!isFields(value)) return false;
  return value['kind'] === 'load'
    ? isTool(value['tool']) && isCount(value['memoryLimit']) && isTextOrNull(value['code'])
    : value['kind'] === 'run' &&
        value['inbox'] instanceof MessagePort &&
        value['signal'] instanceof SharedArrayBuffer;
}

export const isLoadedTool = (value: unknown): value is LoadedTool =>
  isFields(value) &&
  value['kind'] === 'loaded' &&
  value['module'] instanceof WebAssembly.Module &&
  isShare(value['share']) &&
  typeof value['kept'] === 'boolean';

export function isToWorker(value: unknown): value is ToWorker {
  if (!isFields(value)) return false;
  if (value['kind'] === 'file')
    return typeof value['path'] === 'string' && value['contents'] instanceof Uint8Array;
  return (
    value['kind'] === 'job' &&
    isTool(value['tool']) &&
    value['module'] instanceof WebAssembly.Module &&
    isShare(value['share']) &&
    isTexts(value['args']) &&
    isFiles(value['files']) &&
    isTexts(value['late']) &&
    isFields(value['hostFiles']) &&
    isTexts(Object.values(value['hostFiles'])) &&
    isTexts(value['outputs'])
  );
}

export function isFromWorker(value: unknown): value is FromWorker {
  if (!isFields(value)) return false;
  if (value['kind'] === 'waiting') return true;
  if (value['kind'] === 'lines') return isTexts(value['lines']);
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
