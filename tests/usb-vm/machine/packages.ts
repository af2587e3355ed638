import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { appRoot } from '../../../server/paths.ts';

/** Cache of fetched and unpacked files. */
const CACHE = path.join(appRoot, 'node_modules/.cache/usb-vm');

/** Folder of an unpacked, not installed package: its `usr`, `lib` … are there. */
export const unpackedAt = (name: string): string => path.join(CACHE, name);

/** Runs a program for a result. @throws Error with its output, when it fails. */
export function must(command: string, args: string[]): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8', timeout: 300_000 });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${error?.message ?? stderr}`);
  return stdout;
}

/** Unpacks the file of a Debian package; returns the folder. */
export function unpack(deb: string, name: string): string {
  const root = unpackedAt(name);
  rmSync(root, { recursive: true, force: true });
  mkdirSync(root, { recursive: true });
  must('dpkg-deb', ['-x', deb, root]);
  return root;
}

/** Fetches a Debian package with apt-get and unpacks it; null when there is none to be had. */
export function fetchPackage(debian: string, name: string): string | null {
  const folder = path.join(CACHE, 'fetched');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  // As root, apt-get would fetch as a user without permission here.
  const args = ['download', '-qq', '-o', 'APT::Sandbox::User=root', debian];
  const { status } = spawnSync('apt-get', args, { cwd: folder, timeout: 300_000 });
  const deb = readdirSync(folder).find((file) => file.endsWith('.deb'));
  const root = status === 0 && deb ? unpack(path.join(folder, deb), name) : null;
  rmSync(folder, { recursive: true });
  return root;
}
