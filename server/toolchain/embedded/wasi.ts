import {
  Directory,
  type DirectoryEntry,
  findEntry,
  MemoryFile,
  splitPath,
  type ToolFile,
} from './tool-files.ts';

/**
 * The system interface of the WebAssembly tools: `wasi_snapshot_preview1` over a file system in memory.
 * Only what the tools import is here, and nothing of it reaches the host: no host files, no network, no
 * environment, a fixed seed for random numbers so that a build can be repeated.
 * Numbers and layouts: WebAssembly/WASI, `legacy/preview1/docs.md`.
 */

const OK = 0;
const E_BADF = 8;
const E_EXIST = 20;
const E_INVAL = 28;
const E_ISDIR = 31;
const E_NOENT = 44;
const E_NOSPC = 51;
const E_NOTDIR = 54;
const E_NOTEMPTY = 55;
const E_ROFS = 69;
const E_SPIPE = 70;

const CHARACTER_DEVICE = 2;
const DIRECTORY = 3;
const REGULAR_FILE = 4;

const O_CREAT = 1;
const O_DIRECTORY = 2;
const O_EXCL = 4;
const O_TRUNC = 8;
const FDFLAG_APPEND = 1;

const ALL_RIGHTS = 0x1fff_ffffn;

/** The descriptor under which the root directory is handed to the tool. */
const ROOT_FD = 3;

/** Thrown by proc_exit to unwind the tool. */
export class ToolExit extends Error {
  readonly code: number;
  constructor(code: number) {
    super(`exit ${code}`);
    this.code = code;
  }
}

/** Standard input, output and error: a stream that can be renumbered like a file. */
const STANDARD_STREAM = 'stream';

interface OpenFile {
  entry: DirectoryEntry | typeof STANDARD_STREAM;
  position: number;
  append: boolean;
}

export interface WasiOptions {
  root: Directory;
  /** The tool's arguments, its own name first. */
  args: string[];
  /** Bytes written to standard output or standard error. A view: copy what is kept. */
  output(bytes: Uint8Array): void;
  /** How many bytes the tool may write to its files, all of them together. */
  writeLimit: number;
}

const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** Makes the import object of a tool; `attach` hands over the memory of the instance before `_start`. */
export function createWasi(options: WasiOptions): {
  imports: WebAssembly.Imports;
  attach(memory: WebAssembly.Memory): void;
  /** Bytes written to files so far. */
  written(): number;
} {
  let memory: WebAssembly.Memory;
  let buffer: ArrayBuffer = new ArrayBuffer(0);
  let view = new DataView(buffer);
  let bytes = new Uint8Array(buffer);
  /** The views of the linear memory, renewed after it has grown. */
  const sync = () => {
    if (memory.buffer === buffer) return;
    buffer = memory.buffer;
    view = new DataView(buffer);
    bytes = new Uint8Array(buffer);
  };

  const { root } = options;
  const open = new Map<number, OpenFile>([[ROOT_FD, { entry: root, position: 0, append: false }]]);
  // In the table like any file: Yosys moves its standard output aside while ABC runs.
  for (const fd of [0, 1, 2]) open.set(fd, { entry: STANDARD_STREAM, position: 0, append: false });
  const args = options.args.map((arg) => encoder.encode(`${arg}\0`));
  let written = 0;
  let seed = 0x2545_f491;

  const lowestFreeFd = () => {
    let fd = 0;
    while (open.has(fd)) fd++;
    return fd;
  };

  const pathAt = (pointer: number, length: number) =>
    splitPath(decoder.decode(bytes.subarray(pointer, pointer + length)));

  const lookUp = (fd: number, names: string[]): DirectoryEntry | number => {
    const base = open.get(fd)?.entry;
    if (base === undefined) return E_BADF;
    if (!(base instanceof Directory)) return E_NOTDIR;
    return findEntry(base, names) ?? E_NOENT;
  };

  const parentOf = (fd: number, names: string[]): { parent: Directory; name: string } | number => {
    const name = names.at(-1);
    if (name === undefined) return E_EXIST;
    const parent = lookUp(fd, names.slice(0, -1));
    if (typeof parent === 'number') return parent;
    return parent instanceof Directory ? { parent, name } : E_NOTDIR;
  };

  const fileOf = (fd: number): { open: OpenFile; file: ToolFile } | number => {
    const found = open.get(fd);
    if (!found) return E_BADF;
    if (found.entry === STANDARD_STREAM) return E_SPIPE;
    return found.entry instanceof Directory ? E_ISDIR : { open: found, file: found.entry };
  };

  const typeOf = (entry: OpenFile['entry']) =>
    // A character device makes the C library write line by line.
    entry === STANDARD_STREAM ? CHARACTER_DEVICE : entry instanceof Directory ? DIRECTORY : REGULAR_FILE;

  const writeStat = (pointer: number, entry: OpenFile['entry']) => {
    bytes.fill(0, pointer, pointer + 64);
    view.setUint8(pointer + 16, typeOf(entry));
    view.setBigUint64(pointer + 24, 1n, true);
    view.setBigUint64(
      pointer + 32,
      BigInt(typeof entry === 'object' && 'size' in entry ? entry.size : 0),
      true,
    );
  };

  /** Copies from a file into the buffers of `iovs`; returns the number of bytes. */
  const readInto = (file: ToolFile, position: number, iovs: number, count: number): number => {
    let total = 0;
    for (let i = 0; i < count; i++) {
      const pointer = view.getUint32(iovs + 8 * i, true);
      const length = view.getUint32(iovs + 8 * i + 4, true);
      const copied = file.read(position + total, bytes.subarray(pointer, pointer + length));
      total += copied;
      if (copied < length) break;
    }
    return total;
  };

  const wasi = {
    args_sizes_get(countOut: number, sizeOut: number): number {
      sync();
      view.setUint32(countOut, args.length, true);
      view.setUint32(
        sizeOut,
        args.reduce((sum, arg) => sum + arg.length, 0),
        true,
      );
      return OK;
    },

    args_get(pointers: number, target: number): number {
      sync();
      let position = target;
      for (const [i, arg] of args.entries()) {
        view.setUint32(pointers + 4 * i, position, true);
        bytes.set(arg, position);
        position += arg.length;
      }
      return OK;
    },

    environ_sizes_get(countOut: number, sizeOut: number): number {
      sync();
      view.setUint32(countOut, 0, true);
      view.setUint32(sizeOut, 0, true);
      return OK;
    },

    environ_get: (): number => OK,

    clock_time_get(id: number, _precision: bigint, out: number): number {
      sync();
      const milliseconds = id === 0 ? Date.now() : performance.now();
      view.setBigUint64(out, BigInt(Math.floor(milliseconds * 1000)) * 1000n, true);
      return OK;
    },

    random_get(pointer: number, length: number): number {
      sync();
      // xorshift32 (Marsaglia 2003): enough for hash seeds, and the same in every run.
      for (let i = 0; i < length; i++) {
        seed ^= seed << 13;
        seed ^= seed >>> 17;
        seed ^= seed << 5;
        bytes[pointer + i] = seed & 0xff;
      }
      return OK;
    },

    proc_exit(code: number): never {
      throw new ToolExit(code);
    },

    fd_prestat_get(fd: number, out: number): number {
      sync();
      if (fd !== ROOT_FD) return E_BADF;
      view.setUint32(out, 0, true);
      view.setUint32(out + 4, 1, true);
      return OK;
    },

    fd_prestat_dir_name(fd: number, pointer: number, length: number): number {
      sync();
      if (fd !== ROOT_FD) return E_BADF;
      if (length < 1) return E_INVAL;
      bytes[pointer] = 0x2f;
      return OK;
    },

    fd_fdstat_get(fd: number, out: number): number {
      sync();
      const found = open.get(fd);
      if (!found) return E_BADF;
      bytes.fill(0, out, out + 24);
      view.setUint8(out, typeOf(found.entry));
      view.setUint16(out + 2, found.append ? FDFLAG_APPEND : 0, true);
      // To the C library a terminal is a character device without the rights to seek and to tell.
      const rights = found.entry === STANDARD_STREAM ? ALL_RIGHTS & ~0x24n : ALL_RIGHTS;
      view.setBigUint64(out + 8, rights, true);
      view.setBigUint64(out + 16, ALL_RIGHTS, true);
      return OK;
    },

    fd_fdstat_set_flags(fd: number, flags: number): number {
      const found = open.get(fd);
      if (!found) return E_BADF;
      found.append = (flags & FDFLAG_APPEND) !== 0;
      return OK;
    },

    fd_filestat_get(fd: number, out: number): number {
      sync();
      const found = open.get(fd);
      if (!found) return E_BADF;
      writeStat(out, found.entry);
      return OK;
    },

    fd_filestat_set_size(fd: number, size: bigint): number {
      const target = fileOf(fd);
      if (typeof target === 'number') return target;
      if (target.file.readOnly) return E_ROFS;
      const growth = Number(size) - target.file.size;
      if (growth > 0) {
        if (written + growth > options.writeLimit) return E_NOSPC;
        written += growth;
      }
      target.file.resize(Number(size));
      return OK;
    },

    fd_close(fd: number): number {
      return open.delete(fd) ? OK : E_BADF;
    },

    fd_renumber(from: number, to: number): number {
      const found = open.get(from);
      if (!found) return E_BADF;
      open.delete(from);
      open.set(to, found);
      return OK;
    },

    fd_read(fd: number, iovs: number, count: number, out: number): number {
      sync();
      if (open.get(fd)?.entry === STANDARD_STREAM) {
        view.setUint32(out, 0, true); // standard input is empty
        return OK;
      }
      const target = fileOf(fd);
      if (typeof target === 'number') return target;
      const total = readInto(target.file, target.open.position, iovs, count);
      target.open.position += total;
      view.setUint32(out, total, true);
      return OK;
    },

    fd_pread(fd: number, iovs: number, count: number, offset: bigint, out: number): number {
      sync();
      const target = fileOf(fd);
      if (typeof target === 'number') return target;
      view.setUint32(out, readInto(target.file, Number(offset), iovs, count), true);
      return OK;
    },

    fd_write(fd: number, iovs: number, count: number, out: number): number {
      sync();
      const target = open.get(fd)?.entry === STANDARD_STREAM ? null : fileOf(fd);
      if (typeof target === 'number') return target;
      if (target?.file.readOnly) return E_ROFS;
      let total = 0;
      for (let i = 0; i < count; i++) {
        const pointer = view.getUint32(iovs + 8 * i, true);
        const length = view.getUint32(iovs + 8 * i + 4, true);
        if (length === 0) continue;
        const part = bytes.subarray(pointer, pointer + length);
        if (target === null) options.output(part);
        else {
          if (written + length > options.writeLimit) return E_NOSPC;
          written += length;
          if (target.open.append) target.open.position = target.file.size;
          target.file.write(target.open.position, part);
          target.open.position += length;
        }
        total += length;
      }
      view.setUint32(out, total, true);
      return OK;
    },

    fd_seek(fd: number, offset: bigint, whence: number, out: number): number {
      sync();
      const target = fileOf(fd);
      if (typeof target === 'number') return target;
      const base = whence === 0 ? 0 : whence === 1 ? target.open.position : target.file.size;
      const position = base + Number(offset);
      if (position < 0 || !Number.isSafeInteger(position)) return E_INVAL;
      target.open.position = position;
      view.setBigUint64(out, BigInt(position), true);
      return OK;
    },

    fd_readdir(fd: number, target: number, length: number, cookie: bigint, out: number): number {
      sync();
      const directory = open.get(fd)?.entry;
      if (!(directory instanceof Directory)) return directory ? E_NOTDIR : E_BADF;
      const entries = [...directory.entries];
      let position = 0;
      for (let i = Number(cookie); i < entries.length && position < length; i++) {
        const [name, entry] = entries[i]!;
        const encoded = encoder.encode(name);
        const record = new Uint8Array(24 + encoded.length);
        const fields = new DataView(record.buffer);
        fields.setBigUint64(0, BigInt(i + 1), true);
        fields.setUint32(16, encoded.length, true);
        fields.setUint8(20, typeOf(entry));
        record.set(encoded, 24);
        const part = record.subarray(0, length - position);
        bytes.set(part, target + position);
        position += part.length;
      }
      view.setUint32(out, position, true);
      return OK;
    },

    path_open(
      fd: number,
      _lookupFlags: number,
      path: number,
      pathLength: number,
      flags: number,
      _rights: bigint,
      _inheriting: bigint,
      fdFlags: number,
      out: number,
    ): number {
      sync();
      const names = pathAt(path, pathLength);
      const found = lookUp(fd, names);
      let entry: DirectoryEntry;
      if (found === E_NOENT && flags & O_CREAT) {
        const place = parentOf(fd, names);
        if (typeof place === 'number') return place;
        entry = new MemoryFile();
        place.parent.entries.set(place.name, entry);
      } else if (typeof found === 'number') {
        return found;
      } else if (flags & O_CREAT && flags & O_EXCL) {
        return E_EXIST;
      } else {
        entry = found;
      }
      if (!(entry instanceof Directory)) {
        if (flags & O_DIRECTORY) return E_NOTDIR;
        entry.settle();
        sync();
        if (flags & O_TRUNC) {
          if (entry.readOnly) return E_ROFS;
          entry.resize(0);
        }
      }
      const handle = lowestFreeFd();
      open.set(handle, {
        entry,
        position: 0,
        append: (fdFlags & FDFLAG_APPEND) !== 0,
      });
      view.setUint32(out, handle, true);
      return OK;
    },

    path_filestat_get(fd: number, _flags: number, path: number, length: number, out: number): number {
      sync();
      const entry = lookUp(fd, pathAt(path, length));
      if (typeof entry === 'number') return entry;
      writeStat(out, entry);
      return OK;
    },

    path_create_directory(fd: number, path: number, length: number): number {
      sync();
      const place = parentOf(fd, pathAt(path, length));
      if (typeof place === 'number') return place;
      if (place.parent.entries.has(place.name)) return E_EXIST;
      place.parent.entries.set(place.name, new Directory());
      return OK;
    },

    path_unlink_file(fd: number, path: number, length: number): number {
      sync();
      const place = parentOf(fd, pathAt(path, length));
      if (typeof place === 'number') return place;
      const entry = place.parent.entries.get(place.name);
      if (!entry) return E_NOENT;
      if (entry instanceof Directory) return E_ISDIR;
      if (entry.readOnly) return E_ROFS;
      place.parent.entries.delete(place.name);
      return OK;
    },

    path_remove_directory(fd: number, path: number, length: number): number {
      sync();
      const place = parentOf(fd, pathAt(path, length));
      if (typeof place === 'number') return place;
      const entry = place.parent.entries.get(place.name);
      if (!entry) return E_NOENT;
      if (!(entry instanceof Directory)) return E_NOTDIR;
      if (entry.entries.size > 0) return E_NOTEMPTY;
      place.parent.entries.delete(place.name);
      return OK;
    },
  };

  return {
    imports: { wasi_snapshot_preview1: wasi },
    attach(attached) {
      memory = attached;
      sync();
    },
    written: () => written,
  };
}
