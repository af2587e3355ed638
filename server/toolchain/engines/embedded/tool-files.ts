import { readSync } from 'node:fs';
import type { ToolFiles } from '../../tool-engine.ts';

/**
 * The file system of a WebAssembly tool: a tree in memory. The only host files in it are the chip databases, which are read
 * directly into the tool's memory.
 */

/** A file as the system interface uses it. */
export interface ToolFile {
  readonly size: number;
  readonly readOnly: boolean;
  /** Copies from `position` into `target`; returns the number of bytes, 0 at the end. */
  read(position: number, target: Uint8Array): number;
  write(position: number, bytes: Uint8Array): void;
  resize(size: number): void;
  /** Called before the file is opened; waits for late contents. */
  settle(): void;
}

/** A file in memory. It grows by doubling, because tools write netlists in many small blocks. */
export class MemoryFile implements ToolFile {
  #data: Uint8Array;
  #size: number;
  readonly readOnly: boolean;
  #pending: (() => Uint8Array) | null;

  /** @param pending blocks until the contents arrive; called when the tool opens the file */
  constructor(
    data: Uint8Array = new Uint8Array(),
    options: { readOnly?: boolean; pending?: () => Uint8Array } = {},
  ) {
    this.#data = data;
    this.#size = data.length;
    this.readOnly = options.readOnly ?? false;
    this.#pending = options.pending ?? null;
  }

  get size(): number {
    return this.#size;
  }

  /** View of the contents, valid until the next write. */
  get contents(): Uint8Array {
    return this.#data.subarray(0, this.#size);
  }

  settle(): void {
    if (!this.#pending) return;
    this.#data = this.#pending();
    this.#size = this.#data.length;
    this.#pending = null;
  }

  read(position: number, target: Uint8Array): number {
    const part = this.#data.subarray(position, Math.min(position + target.length, this.#size));
    target.set(part);
    return part.length;
  }

  write(position: number, bytes: Uint8Array): void {
    const end = position + bytes.length;
    this.#reserve(end);
    if (position > this.#size) this.#data.fill(0, this.#size, position);
    this.#data.set(bytes, position);
    if (end > this.#size) this.#size = end;
  }

  resize(size: number): void {
    this.#reserve(size);
    if (size > this.#size) this.#data.fill(0, this.#size, size);
    this.#size = size;
  }

  #reserve(size: number): void {
    if (size <= this.#data.length) return;
    const grown = new Uint8Array(Math.max(size, this.#data.length * 2, 64 * 1024));
    grown.set(this.contents);
    this.#data = grown;
  }
}

/** A read-only host file with an open descriptor. None of it is stored in memory. */
export class HostFile implements ToolFile {
  readonly size: number;
  readonly readOnly = true;
  readonly #descriptor: number;

  constructor(descriptor: number, size: number) {
    this.#descriptor = descriptor;
    this.size = size;
  }

  settle(): void {}

  read(position: number, target: Uint8Array): number {
    let total = 0;
    while (total < target.length) {
      const count = readSync(this.#descriptor, target, total, target.length - total, position + total);
      if (count === 0) break;
      total += count;
    }
    return total;
  }

  write(): void {
    throw new Error('A host file is read-only.');
  }

  resize(): void {
    throw new Error('A host file is read-only.');
  }
}

/** A directory in a tool's file system. */
export class Directory {
  readonly entries = new Map<string, DirectoryEntry>();
}

export type DirectoryEntry = ToolFile | Directory;

/** Names of a path; `.` is dropped and `..` stops at the root, as in a chroot. */
export function splitPath(path: string): string[] {
  const names: string[] = [];
  for (const name of path.split('/')) {
    if (name === '' || name === '.') continue;
    if (name === '..') names.pop();
    else names.push(name);
  }
  return names;
}

/** Finds an entry; undefined when a name on the way is absent or no directory. */
export function findEntry(root: Directory, names: readonly string[]): DirectoryEntry | undefined {
  let entry: DirectoryEntry | undefined = root;
  for (const name of names) {
    if (!(entry instanceof Directory)) return undefined;
    entry = entry.entries.get(name);
  }
  return entry;
}

/** Adds a directory with its parents. */
export function addDirectory(root: Directory, names: readonly string[]): Directory {
  let directory = root;
  for (const name of names) {
    let next = directory.entries.get(name);
    if (!(next instanceof Directory)) {
      next = new Directory();
      directory.entries.set(name, next);
    }
    directory = next;
  }
  return directory;
}

/** Adds a file with its parent directories. */
export function addFile(root: Directory, path: string, file: ToolFile): void {
  const names = splitPath(path);
  const name = names.pop();
  if (name === undefined) throw new Error(`No file name in "${path}".`);
  addDirectory(root, names).entries.set(name, file);
}

const encoder = new TextEncoder();

/** Contents of a file; text as UTF-8. */
export const bytesOf = (contents: Uint8Array | string): Uint8Array =>
  typeof contents === 'string' ? encoder.encode(contents) : contents;

/** Path and contents of each file. */
export const entriesOf = (files: ToolFiles): [path: string, contents: Uint8Array][] =>
  Object.entries(files).map(([path, contents]) => [path, bytesOf(contents)]);
