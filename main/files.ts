import { open, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type BrowserWindow, dialog } from 'electron';
import type { DesktopFile } from '../preload/bridge.ts';
import { systemReason } from '../server/store/filesystem.ts';

/** Larger files are not HDL sources and are not read, bytes. */
const FILE_LIMIT = 64 * 1024 * 1024;
const HDL_EXTENSIONS = ['v', 'sv', 'vhd', 'vhdl', 'py'];

/** Only files that the bench accepts: the GUI must not read arbitrary files. */
export const isHdlFile = (file: string): boolean =>
  HDL_EXTENSIONS.includes(path.extname(file).slice(1).toLowerCase());

/** Reads a whole HDL source. Rejects with one sentence that names it. */
export async function readHdlFile(file: string): Promise<DesktopFile> {
  const name = path.basename(file);
  if (!isHdlFile(file)) throw new Error(`${name} is not an HDL source (.${HDL_EXTENSIONS.join(', .')}).`);
  const handle = await open(file).catch((error: unknown) => {
    throw new Error(`${name} cannot be read: ${systemReason(error)}.`, { cause: error });
  });
  try {
    const { size } = await handle.stat();
    if (size > FILE_LIMIT)
      throw new Error(`${name} is larger than ${FILE_LIMIT / 2 ** 20} MiB and was not opened.`);
    return { path: file, name, contents: new Uint8Array(await handle.readFile()) };
  } finally {
    await handle.close();
  }
}

/** Native dialog for one HDL source; null when cancelled or unreadable. */
export async function chooseHdlFile(window: BrowserWindow | null): Promise<DesktopFile | null> {
  const options = {
    properties: ['openFile' as const],
    filters: [{ name: 'HDL sources', extensions: HDL_EXTENSIONS }],
  };
  const { canceled, filePaths } = window
    ? await dialog.showOpenDialog(window, options)
    : await dialog.showOpenDialog(options);
  const [file] = filePaths;
  return canceled || file === undefined ? null : readHdlFile(file).catch(() => null);
}

/** Native dialog that saves `contents`, in `folder` unless the user chooses another; false when cancelled. */
export async function saveFile(
  window: BrowserWindow | null,
  folder: string,
  name: string,
  contents: string | Uint8Array,
): Promise<boolean> {
  const options = { defaultPath: path.join(folder, path.basename(name)) };
  const { canceled, filePath } = window
    ? await dialog.showSaveDialog(window, options)
    : await dialog.showSaveDialog(options);
  if (canceled || !filePath) return false;
  await writeFile(filePath, contents);
  return true;
}
