import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { appRoot, resourcePath } from '../../server/paths.ts';
import type { ShippedPackage } from './shipped-packages.ts';

/** A program or library that is compiled into a package, or from which a file of this project is made. */
export interface Component {
  name: string;
  /** The package with it. */
  package: string;
  licence: string;
  /** File below texts/. */
  text: string;
  /** Origin of the text. */
  source: string;
  /** Packages without a text of their own for which this is the text. */
  ownTextOf?: string[];
}

/** Text of a licence. If it is no file of the package, `origin` says where it comes from, as the end of a sentence. */
export interface LicenceText {
  text: string;
  origin: string | null;
}

const text = (name: string): string => readFileSync(resourcePath('licences', 'texts', name), 'utf8');

export const components = (): Component[] =>
  JSON.parse(readFileSync(resourcePath('licences', 'components.json'), 'utf8')) as Component[];

export const componentText = (component: Component): string => tidy(text(component.text));

/** Whether a file states a package's licence, by its name. */
export const isLicenceFile = (name: string): boolean =>
  /^(licen[cs]e|copying|notice|unlicen[cs]e)/i.test(name);

/** Removes blanks at line ends, and blank lines at both ends. */
export const tidy = (value: string): string =>
  value
    .replace(/\r\n?/g, '\n')
    .replace(/[ \t]+$/gm, '')
    .replace(/^\n+|\n+$/g, '');

/** Vite's licence file goes on with those of packages in Vite. Only a few lines of Vite itself are in our bundle. */
const OTHER_PACKAGES = /^# Licenses of bundled dependencies$/m;

function ownFiles(folder: string): string | null {
  const whole = path.join(appRoot, folder);
  if (!existsSync(whole)) return null;
  const files = readdirSync(whole).filter(isLicenceFile).sort();
  if (files.length === 0) return null;
  return files
    .map((name) => tidy(readFileSync(path.join(whole, name), 'utf8').split(OTHER_PACKAGES)[0] ?? ''))
    .join('\n\n');
}

/** `author` of package.json, in either of npm's forms. */
function authorOf(folder: string): string | null {
  const file = path.join(appRoot, folder, 'package.json');
  if (!existsSync(file)) return null;
  const { author } = JSON.parse(readFileSync(file, 'utf8')) as { author?: string | { name: string } };
  return (typeof author === 'string' ? author : author?.name) ?? null;
}

/** Licences whose text is the same for every package except for the holder's line. */
const BY_SPDX: Record<string, string> = { MIT: 'MIT.txt', ISC: 'ISC.txt' };

/** The text of a package's licence; null when none is found. */
export function licenceText(shipped: ShippedPackage): LicenceText | null {
  const { name, licence, folder, partOf } = shipped;
  if (partOf !== null) {
    const parent = ownFiles(partOf);
    return parent === null ? null : { text: parent, origin: 'it is a part of the package that has this one' };
  }
  const own = ownFiles(folder);
  if (own !== null) return { text: own, origin: null };
  const component = components().find(({ ownTextOf }) => ownTextOf?.includes(name));
  if (component) return { text: componentText(component), origin: `this one is from ${component.source}` };
  const author = authorOf(folder);
  const template = BY_SPDX[licence];
  if (author === null || template === undefined) return null;
  return {
    text: `Copyright (c) ${author}\n\n${tidy(text(template))}`,
    origin: `its package.json names the licence (${licence}) and the author`,
  };
}
