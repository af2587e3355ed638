import {
  isHidden,
  isOfProject,
  MAX_PROJECT_FILES,
} from '../../../../server/contract/designs/project-files.ts';
import type { PickedFile } from './drafts.ts';

/** Folders deeper than this are no project. */
const DEEPEST = 12;

/** So many of the files that no project needs are looked at: enough to say that they are left out. */
const MAX_UNUSED_FILES = 100;

const fileOf = (entry: FileSystemFileEntry): Promise<File> =>
  new Promise((resolve, reject) => entry.file(resolve, reject));

/** A reader answers with a part of the folder at a time, and with none at its end. */
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

/** What a folder holds: what a project may need, and what tools left beside it. */
interface Held {
  files: PickedFile[];
  aside: PickedFile[];
}

/** Collects until a project would have more files than it may, and not what a computer keeps for itself. */
async function collect(entry: FileSystemEntry, held: Held, depth: number): Promise<void> {
  if (held.files.length > MAX_PROJECT_FILES || depth > DEEPEST || isHidden(entry.name)) return;
  if (entry.isFile) {
    const needed = isOfProject(entry.name);
    if (!needed && held.aside.length >= MAX_UNUSED_FILES) return;
    const file = await fileOf(entry as FileSystemFileEntry);
    held[needed ? 'files' : 'aside'].push({ path: entry.fullPath.replace(/^\//, ''), file });
  } else
    for (const child of await entriesOf(entry as FileSystemDirectoryEntry))
      await collect(child, held, depth + 1);
}

/**
 * What was dropped: files, and of folders what a project may need, with its paths, and behind it some of what lies beside
 * that. To be called while the event is handled.
 */
export async function droppedFiles(transfer: DataTransfer): Promise<PickedFile[]> {
  // The list is emptied when the event is over, so everything is taken from it first.
  const entries = [...transfer.items].flatMap((item) => item.webkitGetAsEntry?.() ?? []);
  if (!entries.some(({ isDirectory }) => isDirectory)) return pickedFiles(transfer.files);
  const held: Held = { files: [], aside: [] };
  for (const entry of entries) await collect(entry, held, 0);
  return [...held.files, ...held.aside];
}

/** What was chosen in a dialog. */
export const pickedFiles = (files: FileList | readonly File[]): PickedFile[] =>
  [...files].map((file) => ({ path: file.webkitRelativePath || file.name, file }));
