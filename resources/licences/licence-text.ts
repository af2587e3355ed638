import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { appRoot, resourcePath } from '../../server/paths.ts';
import type { ShippedPackage } from './shipped-packages.ts';

/** A program or library that is compiled into a package, or from which a file of ours is made. */
export interface Component {
  name: string;
  /** What it is in. */
  package: string;
  licence: string;
  /** File below texts/. */
  text: string;
  /** Where the text is from. */
  source: string;
  /** Packages that have no text of their own and that this is the text of. */
  ownTextOf?: string[];
}

/** Text of a licence and, where it is not a file of the package itself, how we came by it: the end of a sentence. */
export interface LicenceText {
  text: string;
  origin: string | null;
}

const text = (name: string): string => readFileSync(resourcePath('licences', 'texts', name), 'utf8');

export const components = (): Component[] =>
  JSON.parse(readFileSync(resourcePath('licences', 'components.json'), 'utf8')) as Component[];

export const componentText = (component: Component): string => tidy(text(component.text));

/** What packages call the files that state their licences. */
export const isLicenceFile = (name: string): boolean =>
  /^(licen[cs]e|copying|notice|unlicen[cs]e)/i.test(name);

/** Lines without blanks at their ends, no empty ones around. */
export const tidy = (value: string): string =>
  value
    .replace(/\r\n?/g, '\n')
    .replace(/[ \t]+$/gm, '')
    .replace(/^\n+|\n+$/g, '');

/** Vite hands out its own build with other packages in it, whose licences follow; of Vite itself, a few lines of its own get into our bundle. */
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

/** `author` of package.json, in either of the forms that npm allows. */
function authorOf(folder: string): string | null {
  const file = path.join(appRoot, folder, 'package.json');
  if (!existsSync(file)) return null;
  const { author } = JSON.parse(readFileSync(file, 'utf8')) as { author?: string | { name: string } };
  return (typeof author === 'string' ? author : author?.name) ?? null;
}

/** Texts that are the same for everybody but for the line with the holder's name. */
const BY_SPDX: Record<string, string> = { MIT: 'MIT.txt', ISC: 'ISC.txt' };

/** The text of a package's licence; null when there is none to be had. */
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
