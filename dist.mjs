// Builds dist/ when its sources have changed. It imports only Node's own modules, as run.mjs does.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(fileURLToPath(import.meta.url));
const at = (...parts) => path.join(root, ...parts);

/** SHA-256 of the names and contents of files; paths from the root. */
export function digest(files) {
  const hash = createHash('sha256');
  for (const file of files.sort())
    hash
      .update(file)
      .update('\0')
      .update(readFileSync(at(file)))
      .update('\0');
  return hash.digest('hex');
}

export function filesBelow(folder) {
  if (!existsSync(at(folder))) return [];
  return readdirSync(at(folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath ?? entry.path, entry.name)));
}

/** True when the file `stamp` contains `value`. */
export const stamped = (stamp, value) => existsSync(at(stamp)) && readFileSync(at(stamp), 'utf8') === value;

export function stamp(file, value) {
  mkdirSync(path.dirname(at(file)), { recursive: true });
  writeFileSync(at(file), value);
}

/**
 * Builds dist/ when a source has changed since the last build: 7 s. Progress goes to stderr.
 * @param prepares also compiles the embedded tools for this computer, once
 * @throws Error when the build fails
 */
export function build({ force = false, prepares = false } = {}) {
  const sources = ['server', 'main', 'preload', 'renderer', 'resources/clients/typescript'].flatMap(
    filesBelow,
  );
  const others = ['build.mjs', 'resources/licences/bundled-packages.mjs', 'THIRD-PARTY-NOTICES.txt'];
  const wanted = digest([...sources, ...others, 'package.json', 'package-lock.json']);
  if (!force && stamped('dist/.built', wanted)) return;
  process.stderr.write('Building…\n');
  const args = [at('build.mjs'), ...(force ? ['--clean'] : []), ...(prepares ? ['--prepare'] : [])];
  const { status, error } = spawnSync(process.execPath, args, { cwd: root, stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error(`dist/ could not be built: ${error?.message ?? 'see above'}.`);
  stamp('dist/.built', wanted);
}
