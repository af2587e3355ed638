import { toolchainError } from '../../../errors/toolchain.ts';
import { isCount, isFields, isFiles, isTexts } from './messages.ts';
import type { EmbeddedTool } from './tool-packages.ts';

/** Interval of the process's sign of life while it runs tools, ms. */
export const ALIVE = 2000;

/** Messages to the tools' process. */
export type ToTools =
  /** The first message: folder of the compiled-code cache, and memory limit of the first run. */
  | { kind: 'start'; codeFolder: string | null; memoryLimit: number }
  | { kind: 'warm'; memoryLimit: number }
  | {
      kind: 'run';
      id: number;
      tool: EmbeddedTool;
      /** Linear memory of the tool, bytes. */
      memoryLimit: number;
      args: string[];
      files: [path: string, contents: Uint8Array][];
      /** Paths of files that arrive later, each in its own message. */
      late: string[];
      outputs: string[];
      /** Seconds. */
      deadline: number;
    }
  | { kind: 'file'; id: number; path: string; contents: Uint8Array }
  | { kind: 'abort'; id: number }
  /** Store compiled code. Nothing runs meanwhile. */
  | { kind: 'keep' }
  | { kind: 'end' };

export type ToolchainCode = keyof typeof toolchainError.specs;

/** Why a run has failed. Without a code it is a bug. */
export interface RunFailure {
  code: ToolchainCode | null;
  message: string;
  remedy: string;
  details: Record<string, unknown>;
}

/** Messages from the tools' process. */
export type FromTools =
  | { kind: 'ready' }
  | { kind: 'lines'; id: number; lines: string[] }
  | {
      kind: 'done';
      id: number;
      files: [path: string, contents: Uint8Array][];
      seconds: number;
      peakMemory: number;
    }
  | { kind: 'failed'; id: number; failure: RunFailure }
  | { kind: 'kept' }
  /** Sign of life, every ALIVE while it runs tools. */
  | { kind: 'alive' }
  | { kind: 'log'; level: 'info' | 'warn'; fields: [name: string, value: unknown][]; text: string };

const isDuration = (value: unknown): value is number => typeof value === 'number' && value >= 0;

const isPairs = (value: unknown): boolean =>
  Array.isArray(value) && value.every((pair) => Array.isArray(pair) && typeof pair[0] === 'string');

const isFailure = (value: unknown): value is RunFailure =>
  isFields(value) &&
  (value['code'] === null ||
    (typeof value['code'] === 'string' && Object.hasOwn(toolchainError.specs, value['code']))) &&
  typeof value['message'] === 'string' &&
  typeof value['remedy'] === 'string' &&
  isFields(value['details']);

export function isFromTools(value: unknown): value is FromTools {
  if (!isFields(value)) return false;
  switch (value['kind']) {
    case 'lines':
      return isCount(value['id']) && isTexts(value['lines']);
    case 'done':
      return (
        isCount(value['id']) &&
        isFiles(value['files']) &&
        isDuration(value['seconds']) &&
        isCount(value['peakMemory'])
      );
    case 'failed':
      return isCount(value['id']) && isFailure(value['failure']);
    case 'log':
      return (
        (value['level'] === 'info' || value['level'] === 'warn') &&
        isPairs(value['fields']) &&
        typeof value['text'] === 'string'
      );
    default:
      return value['kind'] === 'ready' || value['kind'] === 'kept' || value['kind'] === 'alive';
  }
}
