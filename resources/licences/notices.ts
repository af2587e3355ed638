// THIRD-PARTY-NOTICES.txt: `npm run generate -- notices`.
import { components, componentText, licenceText } from './licence-text.ts';
import { type ShippedPackage, shippedPackages } from './shipped-packages.ts';

export const NOTICES = 'THIRD-PARTY-NOTICES.txt';

const HEAD = `Wishbench contains the programs and packages below, under the licences that stand behind their names.
Wishbench itself is under the licence in the file LICENSE.

The desktop application stands on Electron and Chromium, whose licences are in LICENSE.electron.txt and
LICENSES.chromium.html beside the application.

This file is made by \`npm run generate\` from what is shipped.
`;

const RULE = '='.repeat(100);

/**
 * The text of the file. Packages with the same licence text share it.
 * @throws Error when a package has no licence text: it must not be shipped
 */
export const makeNotices = (): string => noticesOf(shippedPackages());

export function noticesOf(packages: readonly ShippedPackage[]): string {
  const sections = components().map((component) => [
    `${component.name} (${component.licence})`,
    `in ${component.package}`,
    `Text from ${component.source}.`,
    '',
    componentText(component),
  ]);
  const missing: string[] = [];
  const byText = new Map<string, { names: string[]; origins: string[] }>();
  for (const shipped of packages) {
    const found = licenceText(shipped);
    if (found === null) {
      const { name, version, licence } = shipped;
      missing.push(
        `${name} ${version} is shipped without a licence text (${licence}): keep its text below resources/licences/texts and name it in components.json.`,
      );
      continue;
    }
    const section = byText.get(found.text) ?? { names: [], origins: [] };
    section.names.push(`${shipped.name} ${shipped.version} (${shipped.licence})`);
    if (found.origin !== null)
      section.origins.push(`${shipped.name} has no text of its own: ${found.origin}.`);
    byText.set(found.text, section);
  }
  for (const [text, { names, origins }] of byText) sections.push([...names, ...origins, '', text]);
  if (missing.length > 0) throw new Error(missing.join('\n'));
  return [HEAD, ...sections.map((lines) => `${lines.join('\n')}\n`)].join(`\n${RULE}\n\n`);
}
