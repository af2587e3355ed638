import { unzipSync } from 'fflate';
import { isHidden, isOfProject, projectPath } from '../../../../server/contract/designs/project-files.ts';
import { formatBytes } from '../../format/size.ts';
import { text } from '../../text/text.ts';
import type { DesignFile } from './design-file.ts';

/** The contents of an archive. */
export interface UnpackedProject {
  files: DesignFile[];
  /** Paths of files that no project needs. */
  aside: string[];
}

/**
 * Unpacks the files that a project may need from a zip. Returns a sentence if it is not a zip, or has more than `most`
 * bytes unpacked: the sizes are checked before any file is unpacked.
 */
export function unpackProject(archive: Uint8Array, most: number): UnpackedProject | string {
  let bytes = 0;
  const aside: string[] = [];
  try {
    const files = unzipSync(archive, {
      filter: ({ name, originalSize }) => {
        if (!isOfProject(name)) {
          if (!isHidden(name) && !name.endsWith('/')) aside.push(name);
          return false;
        }
        bytes += originalSize;
        return bytes <= most;
      },
    });
    if (bytes > most) return text.node.drop.archiveTooLarge(formatBytes(most));
    return {
      files: Object.entries(files).map(([name, contents]) => ({ name: projectPath(name), contents })),
      aside,
    };
  } catch {
    return text.node.drop.notZip;
  }
}
