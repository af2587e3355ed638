import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { BuildReport } from '../../../server/contract/designs.ts';
import { silentLogger } from '../../../server/log.ts';
import { BuildCache, type CachedBuild } from '../../../server/toolchain/cache/build-cache.ts';

let folder: string;
let clock = 1_700_000_000_000;
const now = () => {
  clock += 1000;
  return clock;
};
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'wishbench-cache-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const id = (n: number) => n.toString(16).padStart(64, '0');
const build = (n: number, size = 1000): CachedBuild => ({
  bitstream: new Uint8Array(size).fill(n),
  report: { build_id: id(n), board: 'virtual-hx8k' } as BuildReport,
  log: `scan: build ${n}\n`,
});
const open = (limit = 1e9) => new BuildCache(path.join(folder, 'builds'), limit, silentLogger, now);

test('gives back what was put, also after a restart', async () => {
  const cache = open();
  expect(await cache.get(id(1))).toBeNull();
  await cache.put(id(1), build(1));
  for (const one of [cache, open()]) {
    const found = await one.get(id(1));
    expect(found?.log).toBe('scan: build 1\n');
    expect(found?.report?.build_id).toBe(id(1));
    expect(Buffer.from(found!.bitstream).equals(Buffer.alloc(1000, 1))).toBe(true);
  }
  expect(await cache.get(id(2))).toBeNull();
});

test('keeps a bitstream without a report', async () => {
  const cache = open();
  await cache.put(id(1), { ...build(1), report: null });
  expect((await cache.get(id(1)))?.report).toBeNull();
});

test('lets the least recently used go when it grows beyond its limit', async () => {
  const cache = open(3500);
  for (const n of [1, 2]) await cache.put(id(n), build(n));
  expect(await cache.get(id(1))).not.toBeNull(); // 2 is now the oldest
  await cache.put(id(3), build(3));
  expect(await cache.get(id(2))).toBeNull();
  expect(await cache.get(id(1))).not.toBeNull();
  expect(await cache.get(id(3))).not.toBeNull();
  expect(await cache.size()).toBeLessThanOrEqual(3500);
  expect(readdirSync(path.join(folder, 'builds')).sort()).toEqual([id(1), id(3)]);
});

test('remembers across a restart what was used last', async () => {
  const first = open(3500);
  for (const n of [1, 2]) await first.put(id(n), build(n));
  await first.get(id(1));
  const second = open(3500);
  await second.put(id(3), build(3));
  expect(await second.get(id(2))).toBeNull();
  expect(await second.get(id(1))).not.toBeNull();
});

test('keeps the newest even when it alone is larger than the limit', async () => {
  const cache = open(100);
  await cache.put(id(1), build(1));
  await cache.put(id(2), build(2));
  expect(await cache.get(id(1))).toBeNull();
  expect(await cache.get(id(2))).not.toBeNull();
});

test.each([
  ['a changed bitstream', (entry: string) => writeFileSync(path.join(entry, 'bitstream.bin'), 'other')],
  ['a bitstream that is cut off', (entry: string) => truncateSync(path.join(entry, 'bitstream.bin'), 10)],
  ['a missing report', (entry: string) => rmSync(path.join(entry, 'report.json'))],
  ['a changed log', (entry: string) => writeFileSync(path.join(entry, 'build.log'), '')],
  ['a manifest that is no JSON', (entry: string) => writeFileSync(path.join(entry, 'manifest.json'), '{')],
  [
    'a manifest of another version',
    (entry: string) => writeFileSync(path.join(entry, 'manifest.json'), '{"version":2,"files":{}}'),
  ],
  ['a missing manifest', (entry: string) => rmSync(path.join(entry, 'manifest.json'))],
])('takes an entry with %s for absent, removes it and can build it anew', async (_, damage) => {
  await open().put(id(1), build(1));
  const entry = path.join(folder, 'builds', id(1));
  damage(entry);
  const cache = open();
  expect(await cache.get(id(1))).toBeNull();
  expect(existsSync(entry)).toBe(false);
  await cache.put(id(1), build(1));
  expect(await cache.get(id(1))).not.toBeNull();
});

test('clears away what an interrupted write has left, and leaves foreign files alone', async () => {
  await open().put(id(1), build(1));
  const builds = path.join(folder, 'builds');
  writeFileSync(path.join(builds, 'README'), 'mine');
  const { mkdirSync } = await import('node:fs');
  mkdirSync(path.join(builds, '.unfinished-x'));
  writeFileSync(path.join(builds, '.unfinished-x', 'bitstream.bin'), 'half');
  expect(await open().size()).toBeGreaterThan(1000);
  expect(readdirSync(builds).sort()).toEqual([id(1), 'README'].sort());
  expect(readFileSync(path.join(builds, 'README'), 'utf8')).toBe('mine');
});

test('a folder that cannot be written costs the entry, not the build', async () => {
  writeFileSync(path.join(folder, 'builds'), 'a file where the folder should be');
  const cache = open();
  await cache.put(id(1), build(1));
  expect(await cache.get(id(1))).toBeNull();
});

test('many puts and gets at once leave whole entries only', async () => {
  const cache = open();
  await Promise.all(Array.from({ length: 30 }, (_, i) => cache.put(id(i % 5), build(i % 5))));
  for (let n = 0; n < 5; n++) {
    const found = await cache.get(id(n));
    if (found) expect(found.bitstream[0]).toBe(n);
  }
  const again = open();
  for (let n = 0; n < 5; n++) {
    await again.put(id(n), build(n));
    expect((await again.get(id(n)))?.bitstream[0]).toBe(n);
  }
  expect(readdirSync(path.join(folder, 'builds')).filter((name) => name.startsWith('.'))).toEqual([]);
});
