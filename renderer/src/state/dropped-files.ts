import type { PickedFile } from './drafts.ts';

/** Files and folders deeper or more than these are no project. */
const MOST_FILES = 1000;
const DEEPEST = 12;

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

async function collect(entry: FileSystemEntry, files: PickedFile[], depth: number): Promise<void> {
  if (files.length >= MOST_FILES || depth > DEEPEST || entry.name.startsWith('.')) return;
  if (entry.isFile) {
    const file = await fileOf(entry as FileSystemFileEntry);
    files.push({ path: entry.fullPath.replace(/^\//, ''), file });
  } else
    for (const child of await entriesOf(entry as FileSystemDirectoryEntry))
      await collect(child, files, depth + 1);
}

/** What was dropped: files, and those of folders with their paths. To be called while the event is handled. */
export async function droppedFiles(transfer: DataTransfer): Promise<PickedFile[]> {
  // The list is emptied when the event is over, so everything is taken from it first.
  const entries = [...transfer.items].flatMap((item) => item.webkitGetAsEntry?.() ?? []);
  if (!entries.some(({ isDirectory }) => isDirectory)) return pickedFiles(transfer.files);
  const files: PickedFile[] = [];
  for (const entry of entries) await collect(entry, files, 0);
  return files;
}

/** What was chosen in a dialog. */
export const pickedFiles = (files: FileList | readonly File[]): PickedFile[] =>
  [...files].map((file) => ({ path: file.webkitRelativePath || file.name, file }));
