import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { appRoot } from '../../../server/paths.ts';

/** Large, and not used in the guest: it builds no design, and the GUI is in its bundles. */
const EXCLUDED = /^@yowasp\/|^react-dom$/;
/** Files that nothing loads at run time. */
const NOT_LOADED = /\.(?:map|md|[cm]?ts|flow)$/;

/** A file in the guest's memory: its path in the project's folder, and its contents. */
export interface PreloadedFile {
  name: string;
  content: Uint8Array;
}

interface Manifest {
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

/** Folders of the installed packages that the product needs when it runs, relative to the project's folder. */
function packages(): string[] {
  const found = new Set<string>();
  const visit = (folder: string): void => {
    const file = path.join(appRoot, folder, 'package.json');
    const { dependencies, optionalDependencies } = JSON.parse(readFileSync(file, 'utf8')) as Manifest;
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const place = placeOf(name, folder);
      if (place === null || found.has(place) || EXCLUDED.test(name)) continue;
      found.add(place);
      visit(place);
    }
  };
  visit('');
  return [...found];
}

/** The folder in which Node finds a package for a folder; null when it is not installed, as on another system. */
function placeOf(name: string, from: string): string | null {
  const place = path.join(from, 'node_modules', name);
  if (existsSync(path.join(appRoot, place, 'package.json'))) return place;
  return from === '' ? null : placeOf(name, path.dirname(from) === '.' ? '' : path.dirname(from));
}

function below(folder: string): PreloadedFile[] {
  return readdirSync(path.join(appRoot, folder), { withFileTypes: true }).flatMap((entry) => {
    const name = path.join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : below(name);
    return NOT_LOADED.test(name) ? [] : [{ name, content: readFileSync(path.join(appRoot, name)) }];
  });
}

/**
 * The files that the service loads at its start: its bundles and the packages. Node reads thousands of files then, each
 * of which would take the guest a few messages to the host.
 */
export function preloadedFiles(): PreloadedFile[] {
  return [...below('dist/server'), ...packages().flatMap(below)];
}
