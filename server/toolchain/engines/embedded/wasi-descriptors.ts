import { Directory, type DirectoryEntry, findEntry, type ToolFile } from './tool-files.ts';
import {
  E_BADF,
  E_EXIST,
  E_INVAL,
  E_ISDIR,
  E_NOENT,
  E_NOSPC,
  E_NOTDIR,
  E_ROFS,
  E_SPIPE,
  OK,
  type ServedFunctions,
  type ToolMemory,
} from './wasi-memory.ts';

const CHARACTER_DEVICE = 2;
const DIRECTORY = 3;
const REGULAR_FILE = 4;

const FDFLAG_APPEND = 1;
const ALL_RIGHTS = 0x1fff_ffffn;
/** FD_SEEK and FD_TELL. */
const SEEK_RIGHTS = 0x24n;

/** Descriptor of the root directory. */
const ROOT_FD = 3;

/** Standard input, output or error: a stream that can be renumbered like a file. */
const STANDARD_STREAM = 'stream';

interface OpenFile {
  entry: DirectoryEntry | typeof STANDARD_STREAM;
  position: number;
  append: boolean;
}

/** Open files of a tool, with the functions that use them. */
export interface Descriptors {
  /** The entry at a path below an open directory, or an error number. */
  lookUp(fd: number, names: string[]): DirectoryEntry | number;
  /** The parent directory of a path, with the last name, or an error number. */
  parentOf(fd: number, names: string[]): { parent: Directory; name: string } | number;
  /** Adds the lowest free descriptor. */
  add(entry: DirectoryEntry, fdFlags: number): number;
  writeStat(pointer: number, entry: DirectoryEntry): void;
  /** Functions of the system interface for open files. */
  functions: ServedFunctions;
}

const encoder = new TextEncoder();

/** Creates the table of open files of one tool. */
export function createDescriptors(
  memory: ToolMemory,
  root: Directory,
  output: (bytes: Uint8Array) => void,
  writeLimit: number,
): Descriptors {
  const open = new Map<number, OpenFile>([[ROOT_FD, { entry: root, position: 0, append: false }]]);
  // In the table like files, because Yosys renumbers its standard output while ABC runs.
  for (const fd of [0, 1, 2]) open.set(fd, { entry: STANDARD_STREAM, position: 0, append: false });
  let written = 0;

  const lookUp = (fd: number, names: string[]): DirectoryEntry | number => {
    const base = open.get(fd)?.entry;
    if (base === undefined) return E_BADF;
    if (!(base instanceof Directory)) return E_NOTDIR;
    return findEntry(base, names) ?? E_NOENT;
  };

  const fileOf = (fd: number): { open: OpenFile; file: ToolFile } | number => {
    const found = open.get(fd);
    if (!found) return E_BADF;
    if (found.entry === STANDARD_STREAM) return E_SPIPE;
    return found.entry instanceof Directory ? E_ISDIR : { open: found, file: found.entry };
  };

  const typeOf = (entry: OpenFile['entry']) =>
    // For a character device the C library flushes each line.
    entry === STANDARD_STREAM ? CHARACTER_DEVICE : entry instanceof Directory ? DIRECTORY : REGULAR_FILE;

  const writeStat = (pointer: number, entry: OpenFile['entry']) => {
    memory.bytes.fill(0, pointer, pointer + 64);
    const size = entry === STANDARD_STREAM || entry instanceof Directory ? 0 : entry.size;
    memory.view.setUint8(pointer + 16, typeOf(entry));
    memory.view.setBigUint64(pointer + 24, 1n, true);
    memory.view.setBigUint64(pointer + 32, BigInt(size), true);
  };

  /** Copies from a file into the buffers of `iovs`; returns the number of bytes. */
  const readInto = (file: ToolFile, position: number, iovs: number, count: number): number => {
    let total = 0;
    for (let i = 0; i < count; i++) {
      const pointer = memory.view.getUint32(iovs + 8 * i, true);
      const length = memory.view.getUint32(iovs + 8 * i + 4, true);
      const copied = file.read(position + total, memory.bytes.subarray(pointer, pointer + length));
      total += copied;
      if (copied < length) break;
    }
    return total;
  };

  const functions = {
    fd_prestat_get(fd: number, out: number): number {
      if (fd !== ROOT_FD) return E_BADF;
      memory.view.setUint32(out, 0, true);
      memory.view.setUint32(out + 4, 1, true);
      return OK;
    },

    fd_prestat_dir_name(fd: number, pointer: number, length: number): number {
      if (fd !== ROOT_FD) return E_BADF;
      if (length < 1) return E_INVAL;
      memory.bytes[pointer] = 0x2f;
      return OK;
    },

    fd_fdstat_get(fd: number, out: number): number {
      const found = open.get(fd);
      if (!found) return E_BADF;
      memory.bytes.fill(0, out, out + 24);
      memory.view.setUint8(out, typeOf(found.entry));
      memory.view.setUint16(out + 2, found.append ? FDFLAG_APPEND : 0, true);
      // The C library takes a character device without seek and tell rights for a terminal.
      const rights = found.entry === STANDARD_STREAM ? ALL_RIGHTS & ~SEEK_RIGHTS : ALL_RIGHTS;
      memory.view.setBigUint64(out + 8, rights, true);
      memory.view.setBigUint64(out + 16, ALL_RIGHTS, true);
      return OK;
    },

    fd_fdstat_set_flags(fd: number, flags: number): number {
      const found = open.get(fd);
      if (!found) return E_BADF;
      found.append = (flags & FDFLAG_APPEND) !== 0;
      return OK;
    },

    fd_filestat_get(fd: number, out: number): number {
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
        if (written + growth > writeLimit) return E_NOSPC;
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
      if (open.get(fd)?.entry === STANDARD_STREAM) {
        memory.view.setUint32(out, 0, true); // standard input is empty
        return OK;
      }
      const target = fileOf(fd);
      if (typeof target === 'number') return target;
      const total = readInto(target.file, target.open.position, iovs, count);
      target.open.position += total;
      memory.view.setUint32(out, total, true);
      return OK;
    },

    fd_pread(fd: number, iovs: number, count: number, offset: bigint, out: number): number {
      const target = fileOf(fd);
      if (typeof target === 'number') return target;
      memory.view.setUint32(out, readInto(target.file, Number(offset), iovs, count), true);
      return OK;
    },

    fd_write(fd: number, iovs: number, count: number, out: number): number {
      const target = open.get(fd)?.entry === STANDARD_STREAM ? null : fileOf(fd);
      if (typeof target === 'number') return target;
      if (target?.file.readOnly) return E_ROFS;
      let total = 0;
      for (let i = 0; i < count; i++) {
        const pointer = memory.view.getUint32(iovs + 8 * i, true);
        const length = memory.view.getUint32(iovs + 8 * i + 4, true);
        if (length === 0) continue;
        const part = memory.bytes.subarray(pointer, pointer + length);
        if (target === null) output(part);
        else {
          if (written + length > writeLimit) return E_NOSPC;
          written += length;
          if (target.open.append) target.open.position = target.file.size;
          target.file.write(target.open.position, part);
          target.open.position += length;
        }
        total += length;
      }
      memory.view.setUint32(out, total, true);
      return OK;
    },

    fd_seek(fd: number, offset: bigint, whence: number, out: number): number {
      const target = fileOf(fd);
      if (typeof target === 'number') return target;
      const base = whence === 0 ? 0 : whence === 1 ? target.open.position : target.file.size;
      const position = base + Number(offset);
      if (position < 0 || !Number.isSafeInteger(position)) return E_INVAL;
      target.open.position = position;
      memory.view.setBigUint64(out, BigInt(position), true);
      return OK;
    },

    fd_readdir(fd: number, target: number, length: number, cookie: bigint, out: number): number {
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
        memory.bytes.set(part, target + position);
        position += part.length;
      }
      memory.view.setUint32(out, position, true);
      return OK;
    },
  };

  return {
    lookUp,
    parentOf(fd, names) {
      const name = names.at(-1);
      if (name === undefined) return E_EXIST;
      const parent = lookUp(fd, names.slice(0, -1));
      if (typeof parent === 'number') return parent;
      return parent instanceof Directory ? { parent, name } : E_NOTDIR;
    },
    add(entry, fdFlags) {
      let fd = 0;
      while (open.has(fd)) fd++;
      open.set(fd, { entry, position: 0, append: (fdFlags & FDFLAG_APPEND) !== 0 });
      return fd;
    },
    writeStat,
    functions,
  };
}
