// Writes THIRD-PARTY-NOTICES.txt, or with --check says whether it is up to date: `npm run notices [-- --check]`.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { appRoot } from '../../server/paths.ts';
import { components, componentText, licenceText } from './licence-text.ts';
import { type ShippedPackage, shippedPackages } from './shipped-packages.ts';

export const NOTICES = 'THIRD-PARTY-NOTICES.txt';

const HEAD = `Wishbench contains the programs and packages below, under the licences that stand behind their names.
Wishbench itself is under the licence in the file LICENSE.

The desktop application stands on Electron and Chromium, whose licences are in LICENSE.electron.txt and
LICENSES.chromium.html beside the application.

This file is made by \`npm run notices\` from what is shipped.
`;

const RULE = '='.repeat(100);

export interface Notices {
  content: string;
  /** Packages for which no text was found: none may be shipped. */
  missing: ShippedPackage[];
}

/** What the file has to say. Packages with the same text share it. */
export function makeNotices(packages: ShippedPackage[] = shippedPackages()): Notices {
  const sections = components().map((component) => [
    `${component.name} (${component.licence})`,
    `in ${component.package}`,
    `Text from ${component.source}.`,
    '',
    componentText(component),
  ]);
  const missing: ShippedPackage[] = [];
  const byText = new Map<string, { names: string[]; origins: string[] }>();
  for (const shipped of packages) {
    const found = licenceText(shipped);
    if (found === null) {
      missing.push(shipped);
      continue;
    }
    const section = byText.get(found.text) ?? { names: [], origins: [] };
    section.names.push(`${shipped.name} ${shipped.version} (${shipped.licence})`);
    if (found.origin !== null)
      section.origins.push(`${shipped.name} has no text of its own: ${found.origin}.`);
    byText.set(found.text, section);
  }
  for (const [text, { names, origins }] of byText) sections.push([...names, ...origins, '', text]);
  const content = [HEAD, ...sections.map((lines) => `${lines.join('\n')}\n`)].join(`\n${RULE}\n\n`);
  return { content, missing };
}

/** The rule that `npm run check` holds: every shipped package has a text, and the file says so. Sentences, or none. */
export function noticesProblems(
  { content, missing }: Notices = makeNotices(),
  file = path.join(appRoot, NOTICES),
): string[] {
  const problems = missing.map(
    ({ name, version, licence }) =>
      `${name} ${version} is shipped without a licence text (${licence}): keep its text below resources/licences/texts and name it in components.json.`,
  );
  const written = existsSync(file) ? readFileSync(file, 'utf8').replaceAll('\r\n', '\n') : null;
  if (written !== content)
    problems.push(`${NOTICES} is ${written === null ? 'missing' : 'out of date'}: run \`npm run notices\`.`);
  return problems;
}

/** Resolves with the exit code. */
export default async function notices(args: string[]): Promise<number> {
  const made = makeNotices();
  if (!args.includes('--check') && made.missing.length === 0)
    writeFileSync(path.join(appRoot, NOTICES), made.content);
  const problems = noticesProblems(made);
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  return problems.length > 0 ? 1 : 0;
}
