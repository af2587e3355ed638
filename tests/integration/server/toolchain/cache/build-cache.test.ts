import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import type { BuildReport } from '../../../../../server/contract/designs/uploads.ts';
import { createLogger, silentLogger } from '../../../../../server/log.ts';
import { BuildCache } from '../../../../../server/toolchain/cache/build-cache.ts';
import type { CachedBuild } from '../../../../../server/toolchain/cache/build-file.ts';
import { FakeClock } from '../../../../support/fake-clock.ts';
import { temporaryFolder } from '../../../../support/temporary.ts';

let folder: string;
/** A second passes between two reads of the clock. */
class SteppingClock extends FakeClock {
  override now(): number {
    this.advance(1000);
    return super.now();
  }
}
const clock = new SteppingClock();
beforeEach(() => {
  folder = temporaryFolder('cache');
});

const id = (n: number) => n.toString(16).padStart(64, '0');
const reportOf = (build_id: string): BuildReport => ({
  build_id,
  board: 'virtual-hx8k',
  part: 'hx8k-ct256',
  engine: 'embedded',
  cached: false,
  design: {
    module: 'm',
    roles: { ack: 'wb_ack' },
    dataWidth: 32,
    addressWidth: 30,
    addressing: 'word',
    addressingReason: 'wb_adr of the contract is a word address',
    resetActiveLow: false,
    handshake: 'classic',
    ties: [],
    open: [],
    ports: [{ name: 'wb_ack', direction: 'output', width: 1, offset: 0 }],
  },
  utilisation: [{ resource: 'LUT', used: 1, available: 7680 }],
  timing: { fmax_mhz: null, target_mhz: 12, met: true, critical_path: [] },
  seconds: { synthesis: 1.5 },
  versions: { yosys: 'Yosys 0.55' },
  diagnostics: [{ severity: 'warning', code: 'yosys_warning', message: 'a warning', line: 1 }],
  bitstream_size: 1000,
});
const build = (n: number, size = 1000): CachedBuild => ({
  bitstream: new Uint8Array(size).fill(n),
  report: reportOf(id(n)),
  log: `scan: build ${n}\n`,
  symbols: Uint8Array.of(n, n),
  floorplan: Uint8Array.of(n, n, n),
});

/** Changes an entry, and puts the checksum in that belongs to it. */
function rewrite(entry: string, change: (encoded: string) => string): void {
  const encoded = change(readFileSync(entry, 'latin1').slice(64));
  const hash = createHash('sha256').update(encoded, 'latin1').digest('hex');
  writeFileSync(entry, hash + encoded, 'latin1');
}

/** A report of another version of the bench, of the same length. */
const otherReport = (encoded: string) => encoded.replace('"severity":"warning"', '"SEVERITY":"warning"');

const open = (limit = 1e9) => new BuildCache(path.join(folder, 'builds'), limit, silentLogger, clock);

test('returns a stored build, also after a restart', async () => {
  const cache = open();
  expect(await cache.get(id(1))).toBeNull();
  await cache.put(id(1), build(1));
  for (const one of [cache, open()]) {
    const found = await one.get(id(1));
    expect(found?.log).toBe('scan: build 1\n');
    expect(found?.report?.build_id).toBe(id(1));
    expect(Buffer.from(found!.bitstream).equals(Buffer.alloc(1000, 1))).toBe(true);
    expect([found?.symbols, found?.floorplan].map((part) => [...(part ?? [])])).toEqual([
      [1, 1],
      [1, 1, 1],
    ]);
  }
  expect(await cache.get(id(2))).toBeNull();
});

test('stores a bitstream alone', async () => {
  const cache = open();
  await cache.put(id(1), { ...build(1), report: null, log: '', symbols: null, floorplan: null });
  expect(await cache.get(id(1))).toMatchObject({ report: null, log: '', symbols: null, floorplan: null });
});

test('evicts the least recently used entry beyond its limit', async () => {
  const cache = open(5000);
  for (const n of [1, 2]) await cache.put(id(n), build(n));
  expect(await cache.get(id(1))).not.toBeNull(); // 2 is now the oldest
  await cache.put(id(3), build(3));
  expect(await cache.get(id(2))).toBeNull();
  expect(await cache.get(id(1))).not.toBeNull();
  expect(await cache.get(id(3))).not.toBeNull();
  expect(await cache.size()).toBeLessThanOrEqual(5000);
  expect(readdirSync(path.join(folder, 'builds')).sort()).toEqual([id(1), id(3)]);
});

test('remembers the order of use across a restart', async () => {
  const first = open(5000);
  for (const n of [1, 2]) await first.put(id(n), build(n));
  await first.get(id(1));
  const second = open(5000);
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
  ['a changed byte', (entry: string) => writeFileSync(entry, 'X', { flag: 'r+' })],
  ['a missing end', (entry: string) => truncateSync(entry, 1000)],
  ['no contents', (entry: string) => writeFileSync(entry, '')],
  ['a header of another version', (entry: string) => rewrite(entry, (text) => text.replace('log', 'LOG'))],
  ['other sizes', (entry: string) => rewrite(entry, (text) => `${text} `)],
  ['a report of another version of the bench', (entry: string) => rewrite(entry, otherReport)],
  [
    'a folder of an earlier version',
    (entry: string) => {
      rmSync(entry);
      mkdirSync(path.join(entry, 'parts'), { recursive: true });
    },
  ],
])('treats an entry with %s as absent, removes it and can rebuild it', async (_, damage) => {
  await open().put(id(1), build(1));
  const entry = path.join(folder, 'builds', id(1));
  damage(entry);
  const cache = open();
  expect(await cache.get(id(1))).toBeNull();
  expect(existsSync(entry)).toBe(false);
  await cache.put(id(1), build(1));
  expect(await cache.get(id(1))).not.toBeNull();
});

test('reports once that an entry is invalid, and why', async () => {
  await open().put(id(1), build(1));
  rewrite(path.join(folder, 'builds', id(1)), otherReport);
  const lines: string[] = [];
  const logger = createLogger('warn', { write: (line: string) => lines.push(line) });
  const cache = new BuildCache(path.join(folder, 'builds'), 1e9, logger, clock);
  expect(await cache.get(id(1))).toBeNull();
  expect(await cache.get(id(1))).toBeNull();
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('its report is damaged or of another version');
});

test('removes remains of an interrupted write, and leaves foreign files', async () => {
  await open().put(id(1), build(1));
  const builds = path.join(folder, 'builds');
  writeFileSync(path.join(builds, 'README'), 'mine');
  writeFileSync(path.join(builds, '.unfinished-x'), 'half');
  expect(await open().size()).toBeGreaterThan(1000);
  expect(readdirSync(builds).sort()).toEqual([id(1), 'README'].sort());
  expect(readFileSync(path.join(builds, 'README'), 'utf8')).toBe('mine');
});

test('an unwritable folder loses the entry, not the build', async () => {
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
