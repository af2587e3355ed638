import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The application's folder: the one with our package.json, from the sources, from dist/ or from an asar. */
function findRoot(): string {
  let folder = path.dirname(fileURLToPath(import.meta.url));
  for (;;) {
    const manifest = path.join(folder, 'package.json');
    if (existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).name === 'wishbench')
      return folder;
    const parent = path.dirname(folder);
    if (parent === folder)
      throw new Error('The application folder (package.json of wishbench) was not found.');
    folder = parent;
  }
}

export const appRoot = findRoot();

/** A file or folder below resources/. */
export const resourcePath = (...parts: string[]): string => path.join(appRoot, 'resources', ...parts);

/** A built file below dist/: worker threads and the GUI always run from there. */
export const distPath = (...parts: string[]): string => path.join(appRoot, 'dist', ...parts);
