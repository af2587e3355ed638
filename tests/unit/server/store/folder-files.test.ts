import path from 'node:path';
import { expect, test } from 'vitest';
import { createDurably } from '../../../../server/store/filesystem.ts';
import { ASSIGNMENTS, DESIGNS, digestOf, FolderFiles } from '../../../../server/store/folder-files.ts';
import { MemoryDisk } from '../../../support/memory-disk.ts';

const FOLDER = path.join('/data/designs');
const ID = 'echo-v-0123abcd';
const HAND_IN = '00000000-0000-4000-8000-000000000000';
/** Of the text `source`. */
const DIGEST = digestOf(Buffer.from('source'));

function filesOn(disk: MemoryDisk, names = DESIGNS) {
  const failures: unknown[] = [];
  const files = new FolderFiles({
    files: disk.files,
    folder: FOLDER,
    names,
    onFailure: (error) => failures.push(error),
  });
  return { files, failures };
}

test('documents, sources and captures are read as they were written, and removed', async () => {
  const { files, failures } = filesOn(new MemoryDisk());
  expect(await files.folders()).toEqual([]);
  const parts = {
    document: {
      write: (text: string) => files.write(ID, 'script', text),
      read: () => files.read(ID, 'script'),
      remove: () => files.remove(ID, 'script'),
    },
    source: {
      write: (text: string) => files.writeSource(ID, Buffer.from(text)),
      read: () => files.readSource(ID, DIGEST),
      remove: () => files.removeSource(ID, DIGEST),
    },
    capture: {
      write: (text: string) => files.writeCapture(ID, HAND_IN, Buffer.from(text)),
      read: () => files.readCapture(ID, HAND_IN),
      remove: () => files.removeCapture(ID, HAND_IN),
    },
  };
  for (const [kind, { write, read, remove }] of Object.entries(parts)) {
    expect(await read(), kind).toBeNull();
    // What is not there may be removed.
    await remove();
    await write(kind);
    expect((await read())?.toString()).toBe(kind);
  }
  expect(await files.folders()).toEqual([ID]);
  expect(await files.documents(ID)).toEqual(['script']);
  expect(await files.sources(ID)).toEqual([DIGEST]);
  for (const { read, remove } of Object.values(parts)) {
    await remove();
    expect(await read()).toBeNull();
  }
  await files.write(ID, 'map', '{}');
  await files.removeFolder(ID);
  expect(await files.folders()).toEqual([]);
  expect(failures).toEqual([]);
});

test('a source with its digest is not written again', async () => {
  const disk = new MemoryDisk();
  const { files } = filesOn(disk);
  const write = () => files.writeSource(ID, Buffer.from('source'));
  expect(await write()).toBe(DIGEST);
  const { steps } = disk;
  await write();
  expect(disk.steps - steps).toBeLessThanOrEqual(1);
  // A power cut left it short.
  await createDurably(disk.files, path.join(FOLDER, ID, 'sources', DIGEST), Buffer.from('sou'));
  expect(await files.readSource(ID, DIGEST)).toBeNull();
  await write();
  expect((await files.readSource(ID, DIGEST))?.toString()).toBe('source');
});

test('no other name is ever read or written', async () => {
  const disk = new MemoryDisk();
  const { files } = filesOn(disk);
  const { files: handIns } = filesOn(disk, ASSIGNMENTS);
  for (const call of [
    () => files.read('..', 'script'),
    () => files.read('ECHO-0123abcd', 'script'),
    () => files.read(ID, '../bench'),
    () => files.readSource(ID, '..'),
    () => files.readCapture(ID, '../../x'),
    () => handIns.read(ID, HAND_IN),
    () => handIns.read(HAND_IN, 'script'),
  ])
    expect(call).toThrow(RangeError);
  expect(disk.steps).toBe(0);
});

test('a stray file in place of a folder has nothing in it; another error of the disk is not hidden', async () => {
  const disk = new MemoryDisk();
  const { files } = filesOn(disk);
  await disk.files.mkdir(FOLDER, { recursive: true });
  disk.files.closeSync(await disk.files.create(path.join(FOLDER, ID), 0o600));
  expect(await files.folders()).toEqual([ID]);
  expect([await files.documents(ID), await files.sources(ID)]).toEqual([[], []]);
  disk.faults.set(disk.steps, 'tears');
  await expect(files.folders()).rejects.toMatchObject({ code: 'EIO' });
});

test('a document whose removal is not durable is not acknowledged', async () => {
  const disk = new MemoryDisk();
  const { files, failures } = filesOn(disk);
  await files.write(ID, 'script', 'text');
  disk.faults.set(disk.steps + 1, 'fails');
  await expect(files.remove(ID, 'script')).rejects.toMatchObject({ code: 'store_unavailable' });
  expect(failures).toHaveLength(1);
});

test('a disk that fails is reported, and the caller is told', async () => {
  const disk = new MemoryDisk();
  const { files, failures } = filesOn(disk);
  await files.write(ID, 'script', 'before');
  disk.faults.set(disk.steps, 'fails');
  await expect(files.write(ID, 'script', 'after')).rejects.toMatchObject({ code: 'store_unavailable' });
  expect(failures).toHaveLength(1);
  expect((await files.read(ID, 'script'))?.toString()).toBe('before');
});
