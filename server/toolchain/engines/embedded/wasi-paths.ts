import { Directory, type DirectoryEntry, MemoryFile, splitPath } from './tool-files.ts';
import type { Descriptors } from './wasi-descriptors.ts';
import {
  E_EXIST,
  E_INVAL,
  E_ISDIR,
  E_NOENT,
  E_NOTDIR,
  E_NOTEMPTY,
  E_NOTSUP,
  E_ROFS,
  OK,
  type ServedFunctions,
  type ToolMemory,
} from './wasi-memory.ts';

const O_CREAT = 1;
const O_DIRECTORY = 2;
const O_EXCL = 4;
const O_TRUNC = 8;

/** Creates the functions of the system interface for paths. */
export function createPathFunctions(
  memory: ToolMemory,
  { lookUp, parentOf, add, writeStat }: Descriptors,
): ServedFunctions {
  const pathAt = (pointer: number, length: number) => splitPath(memory.text(pointer, length));

  return {
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
        if (flags & O_TRUNC) {
          if (entry.readOnly) return E_ROFS;
          entry.resize(0);
        }
      }
      memory.view.setUint32(out, add(entry, fdFlags), true);
      return OK;
    },

    path_filestat_get(fd: number, _flags: number, path: number, length: number, out: number): number {
      const entry = lookUp(fd, pathAt(path, length));
      if (typeof entry === 'number') return entry;
      writeStat(out, entry);
      return OK;
    },

    /** The file system has no links. */
    path_readlink(fd: number, path: number, length: number): number {
      const entry = lookUp(fd, pathAt(path, length));
      return typeof entry === 'number' ? entry : E_INVAL;
    },

    /** No tool calls it. */
    path_rename: (): number => E_NOTSUP,

    path_create_directory(fd: number, path: number, length: number): number {
      const place = parentOf(fd, pathAt(path, length));
      if (typeof place === 'number') return place;
      if (place.parent.entries.has(place.name)) return E_EXIST;
      place.parent.entries.set(place.name, new Directory());
      return OK;
    },

    path_unlink_file(fd: number, path: number, length: number): number {
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
}
