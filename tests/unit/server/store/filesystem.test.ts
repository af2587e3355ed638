import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import {
  createDurably,
  makeFolder,
  nodeFileSystem,
  readOwn,
  renameOver,
  renameOverSync,
  storeUnavailable,
  syncFolder,
  systemCode,
  systemReason,
  writeDurably,
} from '../../../../server/store/filesystem.ts';
import { MemoryDisk } from '../../../support/memory-disk.ts';

const held = (code: string) => Object.assign(new Error(`${code}: held by a scanner`), { code });

/** A disk that refuses the first renames. */
function scanned(times: number, code = 'EPERM') {
  const { files } = new MemoryDisk();
  let left = times;
  let tried = 0;
  const rename = async (from: string, to: string) => {
    tried++;
    if (left-- > 0) throw held(code);
    await files.rename(from, to);
  };
  return { files: { ...files, rename }, tries: () => tried };
}

test('on Windows a rename retries until a scanner releases the file', async () => {
  for (const code of ['EPERM', 'EACCES', 'EBUSY']) {
    const { files, tries } = scanned(3, code);
    await createDurably(files, '/a.tmp', Buffer.from('new'));
    await renameOver(files, '/a.tmp', '/a', 'win32');
    expect(tries()).toBe(4);
    expect(String(await files.readFile('/a'))).toBe('new');
  }
});

test('it gives up after a second, on other systems at once', async () => {
  const windows = scanned(1000);
  await expect(renameOver(windows.files, '/a', '/b', 'win32')).rejects.toThrow('scanner');
  expect(windows.tries()).toBe(9);
  const linux = scanned(1000);
  await expect(renameOver(linux.files, '/a', '/b', 'linux')).rejects.toThrow('scanner');
  expect(linux.tries()).toBe(1);
  const absent = scanned(1, 'ENOENT');
  await expect(renameOver(absent.files, '/a', '/b', 'win32')).rejects.toThrow('ENOENT');
  expect(absent.tries()).toBe(1);
});

test('a synchronous rename behaves the same', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'wishbench-rename-'));
  const [from, to] = [path.join(folder, 'a.new'), path.join(folder, 'a')];
  let left = 3;
  const rename = (one: string, other: string) => {
    if (left-- > 0) throw held('EBUSY');
    renameSync(one, other);
  };
  try {
    writeFileSync(from, 'new');
    renameOverSync(from, to, 'win32', rename);
    expect(readFileSync(to, 'utf8')).toBe('new');
    left = 1;
    expect(() => renameOverSync(from, to, 'linux', rename)).toThrow('scanner');
    expect(() => renameOverSync(path.join(folder, 'absent'), to, 'win32')).toThrow('ENOENT');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

/** A disk with one folder that notes what was opened how and flushed, in its order. */
function noted() {
  const { files } = new MemoryDisk();
  const done: string[] = [];
  const opened = new Map<number, string>();
  return {
    done,
    files: {
      ...files,
      rename: async (from: string, to: string) => {
        await files.rename(from, to);
        done.push(`rename ${to}`);
      },
      openSync: (file: string, flags: 'r' | 'a' | 'r+') => {
        const handle = files.openSync(file, flags);
        opened.set(handle, `${flags} ${file}`);
        return handle;
      },
      fsync: async (handle: number) => {
        await files.fsync(handle);
        if (opened.has(handle)) done.push(`flush ${opened.get(handle)}`);
      },
    },
  };
}

test('a rename is flushed before it is acknowledged: on Windows the file under its name and its folder', async () => {
  const windows = noted();
  await writeDurably(windows.files, '/bench.json', 'new', { platform: 'win32' });
  expect(windows.done).toEqual(['rename /bench.json', 'flush r+ /bench.json', 'flush r+ /']);
  const linux = noted();
  await writeDurably(linux.files, '/bench.json', 'new', { platform: 'linux' });
  expect(linux.done).toEqual(['rename /bench.json', 'flush r /']);
});

test('Windows file systems that cannot flush folders are accepted; other errors are not', async () => {
  const { files } = new MemoryDisk();
  const refusing = (code: string) => ({
    ...files,
    openSync: () => {
      throw held(code);
    },
  });
  for (const code of ['EPERM', 'EISDIR', 'EINVAL'])
    await expect(syncFolder(refusing(code), '/', 'win32')).resolves.toBeUndefined();
  await expect(syncFolder(refusing('EIO'), '/', 'win32')).rejects.toThrow('EIO');
  await expect(syncFolder(refusing('EPERM'), '/', 'linux')).rejects.toThrow('EPERM');
});

test('the error for a held file suggests closing the program, not freeing space', () => {
  const cause = Object.assign(held('EPERM'), {
    path: 'C:\\data\\bench.json.tmp',
    dest: 'C:/data/bench.json',
  });
  const windows = storeUnavailable(cause, 'win32');
  expect(windows.message).toContain('Windows does not allow writing to bench.json.');
  expect(windows.remedy).toMatch(/^Close the program/);
  for (const other of [storeUnavailable(cause, 'linux'), storeUnavailable(held('ENOSPC'), 'win32')])
    expect(other.remedy).toMatch(/^Free space/);
  expect([windows.code, windows.cause]).toEqual(['store_unavailable', cause]);
  const opened = Object.assign(held('EBUSY'), { path: 'C:/data/keys.json' });
  expect(storeUnavailable(opened, 'win32').message).toContain('writing to keys.json.');
  expect(storeUnavailable(held('EACCES'), 'win32').message).toContain('writing to a file.');
});

test('the code and the reason of an error of the system are read, and those of no other', () => {
  const denied = Object.assign(new Error("EACCES: permission denied, open '/a'"), { code: 'EACCES' });
  expect([systemCode(denied), systemReason(denied)]).toEqual(['EACCES', 'permission denied']);
  const mistake = Object.assign(new Error('It is wrong.'), { code: 7 });
  expect([systemCode(mistake), systemReason(mistake)]).toEqual(['', 'It is wrong.']);
  expect([systemCode('text'), systemReason('text')]).toEqual(['', 'text']);
  expect(systemCode(new Error('x'))).toBe('');
});

test('a folder is made with its parents, and each name is flushed where this process may', async () => {
  const { files, done } = noted();
  const flushed = () => done.filter((one) => one.startsWith('flush')).map((one) => one.replace(/^.* /, ''));
  const folder = path.resolve('/a/b/c');
  await makeFolder(files, folder);
  expect(flushed()).toEqual(['/a/b', '/a', '/'].map((name) => path.resolve(name)));
  await makeFolder(files, folder);
  expect(flushed()).toHaveLength(3);
  const refusing = (code: string) => ({
    ...files,
    openSync: (file: string, flags: 'r' | 'a' | 'r+') => {
      if (path.dirname(file) === file) throw held(code);
      return files.openSync(file, flags);
    },
  });
  // The parent of another user.
  await expect(makeFolder(refusing('EACCES'), path.resolve('/d/e'))).resolves.toBeUndefined();
  await expect(makeFolder(refusing('EIO'), path.resolve('/f/g'))).rejects.toThrow('EIO');
});

test('a file of the store that cannot be read is named with the reason', async () => {
  const { files } = new MemoryDisk();
  await files.mkdir('/keys.json', { recursive: true });
  await expect(readOwn(files, '/keys.json')).rejects.toMatchObject({
    code: 'store_unreadable',
    message: '/keys.json in the data directory cannot be read: illegal operation on a directory.',
  });
  expect(await readOwn(files, '/absent')).toBeNull();
});

test('a folder is removed with what is in it, files or more folders', async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'wishbench-remove-'));
  const options = { recursive: true, force: true } as const;
  try {
    for (const inside of ['.', 'deeper']) {
      const job = path.join(folder, 'job');
      mkdirSync(path.join(job, inside), { recursive: true });
      for (const name of ['log.txt', 'result']) writeFileSync(path.join(job, inside, name), name);
      writeFileSync(path.join(job, 'source'), 'source');
      await nodeFileSystem.rm(job, options);
      expect(existsSync(job)).toBe(false);
      await nodeFileSystem.rm(job, options);
    }
  } finally {
    rmSync(folder, options);
  }
});
