import { chmodSync, copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { build, Platform } from 'electron-builder';
import { appRoot } from '../../../server/paths.ts';
import { electronRuntime } from './standin/launch.mjs';

/** electron-builder's mark in an executable for Electron's fuses: @electron/fuses' sentinel. */
const FUSE_SENTINEL = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX';

/** A folder that has what electron-builder takes from an Electron distribution, but no Electron. */
function standInDistribution(): string {
  const folder = path.join(appRoot, 'release', 'electron-stand-in');
  const version = createRequire(import.meta.url)('electron/package.json').version as string;
  mkdirSync(folder, { recursive: true });
  // The sentinel, the fuse wire's version 1, its length, then one byte a fuse: `0` off, `1` on, `r` removed.
  const wire = Buffer.concat([Buffer.from(FUSE_SENTINEL), Buffer.from([1, 9]), Buffer.from('000000000')]);
  writeFileSync(
    path.join(folder, 'electron'),
    Buffer.concat([Buffer.from('#!/bin/sh\nexit 1\n'), wire, Buffer.from('\n')]),
  );
  chmodSync(path.join(folder, 'electron'), 0o755);
  writeFileSync(path.join(folder, 'version'), version);
  for (const name of ['LICENSE', 'LICENSES.chromium.html']) {
    const own = createRequire(import.meta.url)
      .resolve('electron/package.json')
      .replace('package.json', name);
    if (existsSync(own)) copyFileSync(own, path.join(folder, name));
    else writeFileSync(path.join(folder, name), 'A stand-in, not an Electron distribution.\n');
  }
  return folder;
}

/** `npm run package:dir`. */
export default async function main(): Promise<void> {
  process.stdout.write(`${await packageDir()}\n`);
}

/** Builds release/linux-unpacked (or the platform's own) and returns it; prints when it contains a stand-in. */
export async function packageDir(): Promise<string> {
  const runtime = electronRuntime();
  if (!runtime)
    process.stderr.write(
      'The Electron runtime is not installed: packaging with a stand-in, which cannot run.\n',
    );
  const [artifact] = await build({
    projectDir: appRoot,
    targets: Platform.current().createTarget('dir'),
    publish: 'never',
    config: {
      extends: path.join(appRoot, 'electron-builder.yml'),
      electronDist: runtime ? path.dirname(runtime) : standInDistribution(),
    },
  });
  return artifact ?? path.join(appRoot, 'release', 'linux-unpacked');
}
