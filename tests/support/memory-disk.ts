import path from 'node:path';
import type { FileSystem } from '../../server/store/filesystem.ts';

/** A fault of a disk's step. */
export type Fault =
  /** Does nothing, and fails. */
  | 'fails'
  /** Does half of it (or all, if it cannot be halved), and fails. */
  | 'tears'
  /** Does it correctly, but later than later requests. */
  | 'delays'
  /** It is the last step before the computer is without power. */
  | 'cuts';
export const FAULTS: readonly Fault[] = ['fails', 'tears', 'delays', 'cuts'];

/** What a power cut leaves of unflushed changes. */
export type Remains = 'nothing' | 'everything' | 'some';
export const REMAINS: readonly Remains[] = ['nothing', 'everything', 'some'];

interface Inode {
  kind: 'file' | 'folder';
  contents: Buffer;
  /** The contents that the last fsync made durable. */
  durable: Buffer;
}

/** A change of a name, in its folder's order. */
interface NameChange {
  folder: string;
  apply(names: Map<string, Inode>): void;
}

const systemError = (code: string, text: string) => Object.assign(new Error(`${code}: ${text}`), { code });

/**
 * A disk in memory that tracks what is durable: contents after an fsync of their file, names after one of their folder,
 * and nothing else. It counts its steps; each can be made to fail.
 */
export class MemoryDisk {
  readonly #names: Map<string, Inode>;
  readonly #durableNames: Map<string, Inode>;
  #changes: NameChange[] = [];
  readonly #handles = new Map<number, { file: string; inode: Inode }>();
  #nextHandle = 3;
  /** Steps so far, and what goes wrong at which of them. */
  steps = 0;
  faults = new Map<number, Fault>();
  /** The computer is without power: all steps have no effect. */
  #dark = false;
  /** Random numbers from 0 to 1. */
  readonly #random: () => number;

  constructor(random: () => number = Math.random, names = new Map<string, Inode>()) {
    this.#random = random;
    this.#names = names;
    // Windows' name for the same error.
    for (const root of ['/', path.resolve('/')])
      if (!names.has(root))
        names.set(root, { kind: 'folder', contents: Buffer.alloc(0), durable: Buffer.alloc(0) });
    this.#durableNames = new Map(names);
  }

  /** Takes the power away. */
  cut(): void {
    this.#dark = true;
  }

  /** The disk as it is found when the power is back. */
  afterCut(remains: Remains): MemoryDisk {
    const names = new Map(this.#durableNames);
    const lost = new Set<string>();
    for (const change of this.#changes) {
      // Changes in a folder stay in order; those of different folders may mix.
      if (lost.has(change.folder)) continue;
      if (remains === 'everything' || (remains === 'some' && this.#random() < 0.5)) change.apply(names);
      else lost.add(change.folder);
    }
    const copies = new Map<Inode, Inode>();
    const found = new Map<string, Inode>();
    for (const [name, inode] of names) {
      let copy = copies.get(inode);
      if (!copy) {
        const contents = this.#left(inode, remains);
        copy = { kind: inode.kind, contents, durable: contents };
        copies.set(inode, copy);
      }
      found.set(name, copy);
    }
    // A folder that loses its own name loses its contents too.
    for (const name of found.keys())
      for (let above = path.dirname(name); above !== path.dirname(above); above = path.dirname(above))
        if (!found.has(above) && this.#names.has(above)) found.delete(name);
    return new MemoryDisk(this.#random, found);
  }

  #left({ contents, durable }: Inode, remains: Remains): Buffer {
    if (remains === 'nothing' || contents.equals(durable)) return durable;
    if (remains === 'everything') return contents;
    const kept = Math.floor(this.#random() * (contents.length + 1));
    return contents.subarray(0, Math.max(kept, Math.min(durable.length, contents.length)));
  }

  /** Counts a step; returns its fault, if any. */
  #step(what: string): Fault | null {
    if (this.#dark) throw systemError('EIO', `no power, ${what}`);
    const fault = this.faults.get(this.steps++) ?? null;
    if (fault === 'fails') throw systemError('ENOSPC', `no space left on device, ${what}`);
    return fault;
  }

  /** Ends a step: with an error, a power cut, or normally. */
  #ends(fault: Fault | null, what: string): void {
    if (fault === 'tears') throw systemError('EIO', `input/output error, ${what}`);
    if (fault !== 'cuts') return;
    this.#dark = true;
    throw systemError('EIO', `no power, ${what}`);
  }

  async #later(fault: Fault | null): Promise<void> {
    if (fault === 'delays') for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
  }

  #change(folder: string, apply: NameChange['apply']): void {
    apply(this.#names);
    this.#changes.push({ folder, apply });
  }

  #inode(file: string): Inode {
    const inode = this.#names.get(file);
    if (!inode) throw systemError('ENOENT', `no such file or directory, '${file}'`);
    return inode;
  }

  /** `w` truncates the file. */
  #opened(file: string, flags: 'r' | 'a' | 'r+' | 'w'): number {
    const fault = this.#step(`open '${file}'`);
    let inode = this.#names.get(file);
    if (!inode) {
      if (flags === 'r' || flags === 'r+')
        throw systemError('ENOENT', `no such file or directory, '${file}'`);
      this.#inode(path.dirname(file));
      const created: Inode = { kind: 'file', contents: Buffer.alloc(0), durable: Buffer.alloc(0) };
      inode = created;
      this.#change(path.dirname(file), (names) => names.set(file, created));
    } else if (flags === 'w') inode.contents = Buffer.alloc(0);
    this.#ends(fault, `open '${file}'`);
    const handle = this.#nextHandle++;
    this.#handles.set(handle, { file, inode });
    return handle;
  }

  #open(handle: number) {
    const open = this.#handles.get(handle);
    if (!open) throw systemError('EBADF', 'bad file descriptor');
    return open;
  }

  readonly files: FileSystem = {
    openSync: (file, flags) => this.#opened(file, flags),
    create: async (file) => this.#opened(file, 'w'),
    writeSync: (handle, bytes, offset, length) => {
      const fault = this.#step('write');
      const { inode } = this.#open(handle);
      const part = fault === 'tears' || fault === 'cuts' ? length >> 1 : length;
      inode.contents = Buffer.concat([inode.contents, bytes.subarray(offset, offset + part)]);
      this.#ends(fault, 'write');
      return part;
    },
    closeSync: (handle) => {
      this.#handles.delete(handle);
    },
    ftruncateSync: (handle, length) => {
      const fault = this.#step('ftruncate');
      const { inode } = this.#open(handle);
      inode.contents = inode.contents.subarray(0, length);
      this.#ends(fault, 'ftruncate');
    },
    rename: async (from, to) => {
      const fault = this.#step(`rename '${from}'`);
      await this.#later(fault);
      const inode = this.#inode(from);
      this.#change(path.dirname(to), (names) => {
        names.delete(from);
        names.set(to, inode);
      });
      this.#ends(fault, `rename '${from}'`);
    },
    link: async (from, to) => {
      const fault = this.#step(`link '${from}'`);
      await this.#later(fault);
      const inode = this.#inode(from);
      if (this.#names.has(to)) throw systemError('EEXIST', `file already exists, link '${to}'`);
      this.#change(path.dirname(to), (names) => names.set(to, inode));
      this.#ends(fault, `link '${from}'`);
    },
    fsync: async (handle) => {
      const fault = this.#step('fsync');
      const { file, inode } = this.#open(handle);
      const contents = Buffer.from(inode.contents);
      await this.#later(fault);
      if (this.#dark) throw systemError('EIO', 'no power, fsync');
      if (fault !== 'tears') {
        if (inode.kind === 'file') inode.durable = contents;
        else {
          for (const change of this.#changes) if (change.folder === file) change.apply(this.#durableNames);
          this.#changes = this.#changes.filter(({ folder }) => folder !== file);
        }
      }
      this.#ends(fault, 'fsync');
    },
    mkdir: async (folder) => {
      const missing: string[] = [];
      for (
        let name = folder;
        !this.#names.has(name) && path.dirname(name) !== name;
        name = path.dirname(name)
      )
        missing.unshift(name);
      if (missing.length === 0) return undefined;
      const fault = this.#step(`mkdir '${folder}'`);
      await this.#later(fault);
      for (const name of missing) {
        const inode: Inode = { kind: 'folder', contents: Buffer.alloc(0), durable: Buffer.alloc(0) };
        this.#change(path.dirname(name), (names) => names.set(name, inode));
      }
      this.#ends(fault, `mkdir '${folder}'`);
      return missing[0];
    },
    readFile: async (file) => {
      const fault = this.#step(`read '${file}'`);
      const inode = this.#inode(file);
      if (inode.kind === 'folder') throw systemError('EISDIR', 'illegal operation on a directory, read');
      await this.#later(fault);
      this.#ends(fault, `read '${file}'`);
      return Buffer.from(inode.contents);
    },
    readdir: async (folder) => {
      const fault = this.#step(`readdir '${folder}'`);
      if (this.#inode(folder).kind === 'file') throw systemError('ENOTDIR', `not a directory, '${folder}'`);
      await this.#later(fault);
      this.#ends(fault, `readdir '${folder}'`);
      return [...this.#names.keys()]
        .filter((name) => path.dirname(name) === folder)
        .map((name) => path.basename(name));
    },
    rm: async (file) => {
      const fault = this.#step(`rm '${file}'`);
      await this.#later(fault);
      for (const name of [...this.#names.keys()])
        if (name.startsWith(file + path.sep)) this.#change(path.dirname(name), (names) => names.delete(name));
      if (this.#names.has(file)) this.#change(path.dirname(file), (names) => names.delete(file));
      this.#ends(fault, `rm '${file}'`);
    },
    copyFile: async (from, to) => {
      const fault = this.#step(`copy '${from}'`);
      const { contents } = this.#inode(from);
      const inode: Inode = { kind: 'file', contents: Buffer.from(contents), durable: Buffer.alloc(0) };
      this.#change(path.dirname(to), (names) => names.set(to, inode));
      this.#ends(fault, `copy '${from}'`);
    },
    access: async (file) => {
      this.#inode(file);
    },
    stat: async (file) => ({ size: this.#inode(file).contents.length, mtimeMs: 0 }),
    statfs: async () => ({ blocks: 1000, bavail: 500, bsize: 4096 }),
  };
}
