// Appends our lines to electron-builder's own deb scripts. A custom script would replace the default one, with its
// AppArmor profile and sandbox bit. Composing it from the installed template keeps both, and stays up to date.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';

export default async function beforePack(context) {
  const project = context.packager.projectDir;
  const builder = createRequire(path.join(project, 'package.json')).resolve('app-builder-lib/package.json');
  const templates = path.join(path.dirname(builder), 'templates', 'linux');
  const target = path.join(project, 'release', 'scripts');
  await mkdir(target, { recursive: true });
  for (const name of ['after-install', 'after-remove']) {
    const theirs = await readFile(path.join(templates, `${name}.tpl`), 'utf8');
    const ours = await readFile(path.join(project, 'resources', 'linux', `${name}.sh`), 'utf8');
    await writeFile(path.join(target, `${name}.tpl`), `${theirs.trimEnd()}\n\n${ours}`, { mode: 0o755 });
  }
}
