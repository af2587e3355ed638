import {
  isHidden,
  isOfProject,
  MAX_PROJECT_FILES,
} from '../../../../server/contract/designs/project-files.ts';
import type { PickedFile } from './drafts.ts';

/** Maximum depth of folders in a project. */
const DEEPEST = 12;

/** Maximum number of ignored files to list. */
const MAX_UNUSED_FILES = 100;

const fileOf = (entry: FileSystemFileEntry): Promise<File> =>
  new Promise((resolve, reject) => entry.file(resolve, reject));

/** A reader answers with a part of the folder at a time, and with an empty list at its end. */
async function entriesOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (part.length === 0) return all;
    all.push(...part);
  }
}

/** The files of a folder: those that a project may need, and the others. */
interface FoundFiles {
  files: PickedFile[];
  aside: PickedFile[];
}

/** Collects files up to the limit of a project, without the hidden ones. */
async function collect(entry: FileSystemEntry, found: FoundFiles, depth: number): Promise<void> {
  if (found.files.length > MAX_PROJECT_FILES || depth > DEEPEST || isHidden(entry.name)) return;
  if (entry.isFile) {
    const needed = isOfProject(entry.name);
    if (!needed && found.aside.length >= MAX_UNUSED_FILES) return;
    const file = await fileOf(entry as FileSystemFileEntry);
    found[needed ? 'files' : 'aside'].push({ path: entry.fullPath.replace(/^\//, ''), file });
  } else
    for (const child of await entriesOf(entry as FileSystemDirectoryEntry))
      await collect(child, found, depth + 1);
}

/**
 * The dropped files. Of a folder: the files that a project may need with their paths, then some of the others. Call it
 * during the event.
 */
export async function droppedFiles(transfer: DataTransfer): Promise<PickedFile[]> {
  // The browser empties the list after the event: copy everything first.
  const entries = [...transfer.items].flatMap((item) => item.webkitGetAsEntry?.() ?? []);
  if (!entries.some(({ isDirectory }) => isDirectory)) return pickedFiles(transfer.files);
  const found: FoundFiles = { files: [], aside: [] };
  for (const entry of entries) await collect(entry, found, 0);
  return [...found.files, ...found.aside];
}

/** The files chosen in a dialog. */
export const pickedFiles = (files: FileList | readonly File[]): PickedFile[] =>
  [...files].map((file) => ({ path: file.webkitRelativePath || file.name, file }));
