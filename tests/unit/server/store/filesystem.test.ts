import { expect, test } from 'vitest';
import { createDurably, renameOver } from '../../../../server/store/filesystem.ts';
import { MemoryDisk } from '../../../support/memory-disk.ts';

const held = (code: string) => Object.assign(new Error(`${code}: held by a scanner`), { code });

/** A disk whose renames are refused so many times first. */
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

test('on Windows a rename waits for a scanner to let go, with the same contents', async () => {
  for (const code of ['EPERM', 'EACCES', 'EBUSY']) {
    const { files, tries } = scanned(3, code);
    await createDurably(files, '/a.tmp', Buffer.from('new'));
    await renameOver(files, '/a.tmp', '/a', 'win32');
    expect(tries()).toBe(4);
    expect(String(await files.readFile('/a'))).toBe('new');
  }
});

test('it gives up after a second, and elsewhere at once', async () => {
  const windows = scanned(1000);
  await expect(renameOver(windows.files, '/a', '/b', 'win32')).rejects.toThrow('scanner');
  expect(windows.tries()).toBe(9);
  const linux = scanned(1000);
  await expect(renameOver(linux.files, '/a', '/b', 'linux')).rejects.toThrow('scanner');
  expect(linux.tries()).toBe(1);
});
