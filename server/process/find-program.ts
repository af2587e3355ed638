import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import path from 'node:path';

/** What the name of a program that can be started ends with. */
export const programEnding = (platform: NodeJS.Platform = process.platform): string =>
  platform === 'win32' ? '.exe' : '';

/**
 * Windows starts these through its shell, which reads words of its own out of the arguments. Node refuses to start
 * them without a shell (CVE-2024-27980), and names of a design are among the arguments.
 */
const BATCH_FILES = ['.cmd', '.bat'];

/** A program on a search path. */
export interface FoundProgram {
  /** Absolute path; null where there is none that can be started. */
  file: string | null;
  /** Absolute path of a batch file of that name, where there is no program. */
  batch: string | null;
}

/** Whether this is the path of a program that can be started. */
export async function isProgram(
  file: string,
  platform: NodeJS.Platform = process.platform,
): Promise<boolean> {
  if (!path.isAbsolute(file) || !file.toLowerCase().endsWith(programEnding(platform))) return false;
  return await isExecutable(file);
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}

/**
 * Looks for a program as both the service and the doctor do. Relative folders of the search path are left out: they
 * would depend on where the service was started.
 */
export async function findProgram(
  name: string,
  searchPath: string = process.env['PATH'] ?? '',
  platform: NodeJS.Platform = process.platform,
): Promise<FoundProgram> {
  const folders = searchPath.split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  for (const folder of folders) {
    const file = path.join(folder, name + programEnding(platform));
    if (await isExecutable(file)) return { file, batch: null };
  }
  for (const folder of platform === 'win32' ? folders : [])
    for (const ending of BATCH_FILES) {
      const batch = path.join(folder, name + ending);
      if (await isExecutable(batch)) return { file: null, batch };
    }
  return { file: null, batch: null };
}
