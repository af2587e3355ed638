import { EventEmitter } from 'node:events';
import { type FSWatcher, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { WatchedFile } from '../../../preload/bridge.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { until } from '../../support/test-pool.ts';

// Importing the real package would start its download; the tests do not use it.
vi.mock('electron', () => ({ dialog: {} }));
const { readHdlFile } = await import('../../../main/files.ts');
const { WatchedFiles } = await import('../../../main/watched-files.ts');

/** Counts how often a timer was set: the number of file system events. */
class CountingClock extends FakeClock {
  set = 0;
  override after(ms: number, callback: () => void): () => void {
    this.set++;
    return super.after(ms, callback);
  }
}

let root: string;
let folder: string;
let file: string;
let clock: CountingClock;
let watched: InstanceType<typeof WatchedFiles>;
let changes: WatchedFile[][];
let saves: number;
let reads: Promise<unknown>[];
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'wishbench-watch-'));
  folder = path.join(root, 'project');
  mkdirSync(folder);
  file = path.join(folder, 'mine.v');
  writeFileSync(file, 'before');
  clock = new CountingClock();
  reads = [];
  const read = (name: string) => {
    const contents = readHdlFile(name);
    reads.push(contents);
    return contents;
  };
  watched = new WatchedFiles({ clock, read });
  changes = [];
  saves = 0;
  watched.on('change', (list) => changes.push(list));
  watched.on('saved', () => saves++);
});
afterEach(async () => {
  watched.close();
  // Windows removes a folder when the last watch of it has ended, which takes a turn of the event loop.
  await rm(root, { recursive: true, force: true, maxRetries: 10 });
});

/** Timers at rest: except on Linux, the next check of each folder. */
const resting = () => (process.platform === 'linux' ? 0 : watched.list().length);

/** Lets time pass until the condition holds: the system reports a change when it likes. */
const inTime = (condition: () => boolean) =>
  until(() => {
    if (clock.pending > 0) clock.advance(250);
    return condition();
  });
/** This many saves were read, and no timer is due. */
const saved = (count: number) => inTime(() => saves >= count && clock.pending === resting());
const taken = () =>
  watched
    .take()
    .map((saved) => [saved.fpga_id, saved.file.name, new TextDecoder().decode(saved.file.contents)]);
const problem = () => watched.list()[0]?.problem;

test('a save is read whole once it has settled, and is handed over once', async () => {
  watched.watch(5, file);
  expect(changes).toEqual([[{ fpga_id: 5, path: file, problem: null }]]);
  expect(taken()).toEqual([]);

  writeFileSync(file, 'half');
  await until(() => clock.pending > resting());
  clock.advance(249);
  const before = clock.set;
  writeFileSync(file, 'the whole');
  await until(() => clock.set > before);
  clock.advance(249);
  expect([saves, clock.pending]).toEqual([0, resting() + 1]);
  await saved(1);
  expect(taken()).toEqual([[5, 'mine.v', 'the whole']]);
  expect(taken()).toEqual([]);
});

test('the newest save of each node waits until a window takes it', async () => {
  const other = path.join(folder, 'other.vhd');
  writeFileSync(other, 'before');
  watched.watch(5, file);
  watched.watch(2, other);
  for (const text of ['first', 'second']) {
    const before = saves;
    writeFileSync(file, text);
    await saved(before + 1);
  }
  const before = saves;
  writeFileSync(other, 'its own');
  await saved(before + 1);
  expect(taken().sort()).toEqual([
    [2, 'other.vhd', 'its own'],
    [5, 'mine.v', 'second'],
  ]);
});

test('a save through a temporary file and a rename is detected', async () => {
  watched.watch(5, file);
  writeFileSync(`${file}.tmp`, 'renamed');
  renameSync(`${file}.tmp`, file);
  await saved(1);
  expect(taken()).toEqual([[5, 'mine.v', 'renamed']]);
});

test('a deleted file is a problem until it is saved again', async () => {
  watched.watch(5, file);
  rmSync(file);
  await inTime(() => problem() !== null);
  expect(problem()).toBe('mine.v cannot be read: no such file or directory.');
  expect(changes.at(-1)).toEqual(watched.list());
  writeFileSync(file, 'back');
  await saved(1);
  expect(problem()).toBeNull();
  expect(taken()).toEqual([[5, 'mine.v', 'back']]);
});

test('a replaced folder stays watched; a deleted one is a problem with a remedy', async () => {
  watched.watch(5, file);
  renameSync(folder, path.join(root, 'moved'));
  mkdirSync(folder);
  writeFileSync(file, 'of the new folder');
  await saved(1);
  expect(taken()).toEqual([[5, 'mine.v', 'of the new folder']]);

  writeFileSync(file, 'and once more');
  await saved(saves + 1);
  rmSync(folder, { recursive: true });
  // On some systems the file goes first.
  await inTime(() => problem()?.startsWith('Changes in') ?? false);
  expect(problem()).toBe(
    `Changes in ${folder} cannot be watched: no such file or directory. Fix that, then watch the file again.`,
  );
  watched.watch(5, file);
  expect(problem()).toMatch(/^Changes in .* cannot be watched/);
  mkdirSync(folder);
  watched.watch(5, file);
  expect(problem()).toBeNull();
});

/** Watches on another system, through a watch that reports only what a test makes it report. */
function onSystem(platform: NodeJS.Platform) {
  let tell: (name: string) => void = () => {};
  watched.close();
  watched = new WatchedFiles({
    clock,
    read: readHdlFile,
    platform,
    watch: (_folder, changed) => {
      tell = (name) => changed('change', name);
      return Object.assign(new EventEmitter(), { close: () => {} }) as unknown as FSWatcher;
    },
  });
  watched.on('saved', () => saves++);
  watched.watch(5, file);
  return { tell: (name: string) => tell(name) };
}

test.each(['win32', 'darwin'] as const)(
  'on %s a replaced folder is noticed without an event',
  async (platform) => {
    onSystem(platform);
    clock.advance(4000);
    expect(clock.pending).toBe(1);
    renameSync(folder, path.join(root, 'moved'));
    mkdirSync(folder);
    writeFileSync(file, 'of the new folder');
    clock.advance(2000);
    clock.advance(250);
    await until(() => saves === 1);
    expect(taken()).toEqual([[5, 'mine.v', 'of the new folder']]);
    clock.advance(4000);
    watched.unwatch(5);
    expect([saves, clock.pending]).toEqual([1, 0]);
  },
);

test('names that differ only in case match on Windows and macOS, not on Linux', () => {
  for (const [platform, due] of [
    ['win32', 2],
    ['darwin', 2],
    ['linux', 0],
  ] as const) {
    onSystem(platform).tell('MINE.V');
    expect(clock.pending).toBe(due);
  }
});

test('unwatching a file discards its pending save, even while it is being read', async () => {
  watched.watch(5, file);
  writeFileSync(file, 'late');
  await until(() => clock.pending > resting());
  clock.advance(250);
  watched.unwatch(5);
  watched.unwatch(7);
  expect(changes.at(-1)).toEqual([]);
  expect(changes).toHaveLength(2);
  expect(reads).toHaveLength(1);
  await reads[0];
  await new Promise(setImmediate);
  expect([saves, taken()]).toEqual([0, []]);
});

test('only HDL sources of a sound size are read', async () => {
  const text = path.join(folder, 'notes.txt');
  writeFileSync(text, 'secret');
  await expect(readHdlFile(text)).rejects.toThrow(
    'notes.txt is not an HDL source (.v, .sv, .vhd, .vhdl, .py).',
  );
  await expect(readHdlFile(path.join(folder, 'absent.v'))).rejects.toThrow(
    /^absent\.v cannot be read: no such/,
  );
  await expect(readHdlFile(folder)).rejects.toThrow('project is not an HDL source');
  expect(new TextDecoder().decode((await readHdlFile(file)).contents)).toBe('before');
});
