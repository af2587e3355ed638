import { readFileSync } from 'node:fs';
import path from 'node:path';
import { appRoot, distPath } from '../../server/paths.ts';

/** An npm package whose code is shipped. */
export interface ShippedPackage {
  name: string;
  version: string;
  /** SPDX expression of its licence. */
  licence: string;
  /** Relative to the project. It may be empty: see `partOf`. */
  folder: string;
  /**
   * For binaries of one platform, which other platforms do not install: the folder of the package that they belong to. Else
   * null.
   */
  partOf: string | null;
}

/** An entry of package-lock.json, as far as it is used. Source: npm manual, package-lock.json. */
interface LockedPackage {
  name?: string;
  version: string;
  license?: string;
  dev?: boolean;
  devOptional?: boolean;
  os?: string[];
  optionalDependencies?: Record<string, string>;
}

const readJson = (...parts: string[]): unknown => JSON.parse(readFileSync(path.join(...parts), 'utf8'));

const nameOf = (folder: string): string =>
  folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);

/**
 * Every package in the packaged application: as a folder, on any platform, or as code in a bundle. Folders are the
 * production dependencies in package-lock.json, which electron-builder packs. Bundled packages are in
 * dist/bundled-packages.json: dist/ must be built. Sorted by name and version, each once.
 */
export function shippedPackages(): ShippedPackage[] {
  const { packages } = readJson(appRoot, 'package-lock.json') as { packages: Record<string, LockedPackage> };
  const bundles = readJson(distPath('bundled-packages.json')) as Record<string, string[]>;
  const bundled = new Set(Object.values(bundles).flat());

  const shipped = new Map<string, ShippedPackage>();
  for (const [folder, locked] of Object.entries(packages)) {
    const ofProduction = folder !== '' && !locked.dev && !locked.devOptional;
    if (!ofProduction && !bundled.has(folder)) continue;
    bundled.delete(folder);
    const name = locked.name ?? nameOf(folder);
    const parent =
      locked.os === undefined
        ? undefined
        : Object.entries(packages).find(([, other]) => other.optionalDependencies?.[name] === locked.version);
    shipped.set(`${name} ${locked.version}`, {
      name,
      version: locked.version,
      licence: locked.license ?? 'not stated',
      folder,
      partOf: parent?.[0] ?? null,
    });
  }
  if (bundled.size > 0)
    throw new Error(`In a bundle but not in package-lock.json: ${[...bundled].join(', ')}.`);
  return [...shipped.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry);
}
