// node .github/release-notes.mjs TAG: prints what CHANGELOG.md says of the version. Fails unless the tag is the
// version of package.json with a `v` before it, and the change log has a section for it.
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

/**
 * The section of a version, without its heading.
 * @throws with a sentence when the tag or the change log does not fit the version.
 */
export function releaseNotes(tag, version, changelog) {
  if (tag !== `v${version}`)
    throw new Error(
      `The tag ${tag} does not fit version ${version} of package.json: it must be v${version}.`,
    );
  const sections = changelog.split(/^## /m);
  const section = sections.find((text) => text.startsWith(`[${version}] - `));
  if (!section) throw new Error(`CHANGELOG.md has no section "## [${version}] - DATE".`);
  // Links at the end of the file belong to no section.
  return section
    .split('\n')
    .slice(1)
    .filter((line) => !/^\[[^\]]+\]: /.test(line))
    .join('\n')
    .trim();
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  try {
    process.stdout.write(`${releaseNotes(process.argv[2], version, readFileSync('CHANGELOG.md', 'utf8'))}\n`);
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
