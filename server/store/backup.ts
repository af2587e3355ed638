import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import fs, { type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import Type from 'typebox';
import { NODE_COUNT } from '../contract/boards/node-count.ts';
import { checkOf, parseAs } from '../contract/check.ts';
import { storeError } from '../errors/store.ts';
import { parseBench, SCHEMA_VERSION } from './bench-data.ts';
import {
  createDurably,
  nodeFileSystem,
  readIfPresent,
  renameOver,
  syncFolder,
  systemCode,
} from './filesystem.ts';
import { readTar, TAR_END, type TarEntry, tarBytes } from './tar.ts';

/** Version of the archive format; the data in it has the version of the schema. */
const FORMAT = 1;
/** First and last file of an archive. */
const HEAD = 'backup.json';
const TAIL = 'backup-end.json';

const isHead = checkOf(
  Type.Object({ format: Type.Integer(), schema: Type.Integer(), created_at: Type.String() }),
);
const isTail = checkOf(Type.Object({ files: Type.Integer(), sha256: Type.String() }));

/** An unpacked backup that waits for its restore, and the plan of what it replaces. */
const READY = 'restore.ready';
const UNPACKING = 'restore.unpacking';
const PLAN = 'restore.json';
const isPlan = checkOf(
  Type.Object({ created_at: Type.String(), before: Type.String(), entries: Type.Array(Type.String()) }),
);

const DOCUMENTS = ['settings.json', 'keys.json', 'boards.json', 'courses.json', 'assignments.json'];
/** Folders whose valid files all belong to a backup. */
const FOLDERS = ['designs', 'assignments'];
const HISTORIES = Array.from({ length: NODE_COUNT }, (_, fpgaId) => `history/${fpgaId}.jsonl`);
/** Everything that a backup contains, by its place in the directory. */
const PLACES = [
  'bench.json',
  'bench.previous.json',
  'history',
  'jobs',
  'bitstreams',
  ...FOLDERS,
  ...DOCUMENTS.flatMap((name) => [name, name.replace('.json', '.previous.json')]),
];
/** Valid file names of a backup: a restore writes nothing else. */
const NAME =
  /^(bench|settings|keys|boards|courses|assignments)\.json$|^history\/\d\.jsonl$|^jobs\/(?:\d|unplaced)\/[0-9a-f-]{36}\/(log\.txt|source|request|result|report\.json|script\.json)$|^designs\/(?:[a-z0-9-]{1,48}-)?[0-9a-f]{8}\/(?:[a-z]{1,32}\.json|sources\/[0-9a-f]{64}|captures\/[0-9a-f-]{36}\.gz)$|^assignments\/[0-9a-f-]{36}\/(?:[0-9a-f-]{36}\.json|sources\/[0-9a-f]{64})$|^bitstreams\/[0-9a-f]{64}\.bin$/;

const damaged = (cause?: unknown) => storeError('backup_damaged', cause === undefined ? {} : { cause });

/** bench.json and the histories at one moment. */
interface Snapshot {
  entries: TarEntry[];
  /** Folders of the jobs in them, and the builds. */
  jobs: string[];
}

/** Attempts to find a moment without a change before the backup fails. */
const ATTEMPTS = 2000;

/**
 * Reads bench.json and the histories as they were at one moment, while a service may write them. It opens each file,
 * then checks that the names still mean the same files. Every change replaces bench.json; a history only grows, so its
 * bytes at that moment are enough.
 */
async function snapshot(folder: string): Promise<Snapshot> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const open: { name: string; handle: FileHandle }[] = [];
    try {
      for (const name of ['bench.json', ...HISTORIES]) {
        const handle = await fs.open(path.join(folder, name)).catch((error) => {
          if (systemCode(error) === 'ENOENT') return null;
          throw error;
        });
        if (handle) open.push({ name, handle });
      }
      const found = await Promise.all(
        open.map(async (file) => ({ ...file, stat: await file.handle.stat() })),
      );
      const same = await Promise.all(
        found.map(async ({ name, stat }) => {
          const named = await fs.stat(path.join(folder, name)).catch(() => null);
          return named?.ino === stat.ino;
        }),
      );
      if (!same.every(Boolean)) continue;
      const entries: TarEntry[] = [];
      for (const { name, handle, stat } of found) {
        const contents = Buffer.alloc(stat.size);
        await handle.read(contents, 0, contents.length, 0);
        entries.push({ name, contents });
      }
      return { entries, jobs: knownJobs(entries) };
    } finally {
      for (const { handle } of open) await handle.close();
    }
  }
  throw storeError('backup_impossible');
}

/** Folders of the jobs in bench.json and the histories: a restore could not use any other. */
function knownJobs(entries: readonly TarEntry[]): string[] {
  const folders = new Set<string>();
  for (const { name, contents } of entries) {
    const text = Buffer.from(contents).toString('utf8');
    if (name === 'bench.json') {
      const parsed = parseBench(text);
      if ('data' in parsed) {
        for (const { job } of parsed.data.jobs.values()) folders.add(`jobs/${job.fpga_id}/${job.job_id}`);
        for (const jobId of parsed.data.unplaced.keys()) folders.add(`jobs/unplaced/${jobId}`);
      }
      continue;
    }
    const fpgaId = name.slice('history/'.length, -'.jsonl'.length);
    for (const [, jobId] of text.matchAll(/"job_id":"([0-9a-f-]{36})"/g))
      folders.add(`jobs/${fpgaId}/${jobId}`);
  }
  return [...folders];
}

async function* filesOf(folder: string): AsyncIterable<TarEntry> {
  const { entries, jobs } = await snapshot(folder);
  yield* entries;
  const read = async (name: string) => {
    const contents = await readIfPresent(nodeFileSystem, path.join(folder, name));
    return contents && { name, contents };
  };
  for (const name of DOCUMENTS) {
    const file = await read(name);
    if (file) yield file;
  }
  const bitstreams = await fs.readdir(path.join(folder, 'bitstreams')).catch(() => []);
  for (const below of [...jobs, 'bitstreams'])
    for (const name of below === 'bitstreams'
      ? bitstreams
      : await fs.readdir(path.join(folder, below)).catch(() => [])) {
      // Retention may remove it meanwhile.
      const file = NAME.test(`${below}/${name}`) ? await read(`${below}/${name}`) : null;
      if (file) yield file;
    }
  for (const below of FOLDERS) {
    const names = await fs.readdir(path.join(folder, below), { recursive: true }).catch(() => []);
    for (const name of names.map((one) => `${below}/${one.split(path.sep).join('/')}`)) {
      const file = NAME.test(name) ? await read(name) : null;
      if (file) yield file;
    }
  }
}

const exists = (file: string): Promise<boolean> =>
  fs.access(file).then(
    () => true,
    () => false,
  );

/** @throws backup_impossible for a folder without a bench. */
async function requireBench(folder: string): Promise<void> {
  if (!(await exists(path.join(folder, 'bench.json'))))
    throw storeError('backup_impossible', {
      message: `There is no bench in ${folder}.`,
      remedy: 'Name the directory of the bench with --data.',
    });
}

/** The bytes of the tar file; `onFile` is called for each file of the data directory. */
async function* archive(folder: string, now: Date, onFile: () => void): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  let count = 0;
  const seconds = Math.floor(now.getTime() / 1000);
  const head = { format: FORMAT, schema: SCHEMA_VERSION, created_at: now.toISOString() };
  yield* tarBytes({ name: HEAD, contents: Buffer.from(`${JSON.stringify(head)}\n`) }, seconds);
  for await (const entry of filesOf(folder)) {
    count++;
    onFile();
    hash.update(entry.name).update('\0').update(entry.contents);
    yield* tarBytes(entry, seconds);
  }
  const tail = { files: count, sha256: hash.digest('hex') };
  yield* tarBytes({ name: TAIL, contents: Buffer.from(`${JSON.stringify(tail)}\n`) }, seconds);
  yield TAR_END;
}

/**
 * A backup as a stream: the gzipped tar file that `backUp` writes. One that breaks off has no end, so that a restore
 * refuses it.
 * @throws backup_impossible.
 */
export async function streamBackup(folder: string, now: Date): Promise<Readable> {
  await requireBench(folder);
  const gzip = createGzip();
  // An error destroys the stream; its reader sees that.
  void pipeline(Readable.from(archive(folder, now, () => {})), gzip).catch(() => {});
  return gzip;
}

/**
 * Writes a data directory, as it is at one moment, into a gzipped tar file. A service may run on it. The build cache is
 * left out. Resolves with the number of files.
 * @throws backup_exists, backup_impossible.
 */
export async function backUp(folder: string, file: string, now: Date): Promise<number> {
  if (await exists(file)) throw storeError('backup_exists');
  await requireBench(folder);
  let count = 0;
  const counted = () => {
    count++;
  };
  const temporary = `${file}.tmp`;
  try {
    await pipeline(
      Readable.from(archive(folder, now, counted)),
      createGzip(),
      createWriteStream(temporary, { mode: 0o600, flush: true }),
    );
    await renameOver(nodeFileSystem, temporary, file);
    await syncFolder(nodeFileSystem, path.dirname(path.resolve(file)));
  } catch (error) {
    await fs.rm(temporary, { force: true });
    throw error;
  }
  return count;
}

/**
 * Unpacks and checks a backup next to the present data. The next start puts it in place, see `finishRestore`. Resolves
 * with the time of the backup.
 * @throws backup_damaged, store_too_new.
 */
export async function prepareRestore(folder: string, file: string, now: Date): Promise<string> {
  await fs.mkdir(folder, { recursive: true, mode: 0o700 });
  const unpacking = path.join(folder, UNPACKING);
  await fs.rm(unpacking, { recursive: true, force: true });
  await fs.mkdir(unpacking, { mode: 0o700 });
  try {
    const created = await unpack(file, unpacking);
    const entries = await fs.readdir(unpacking);
    const before = `before-restore-${now.toISOString().replaceAll(':', '-')}`;
    const plan = Buffer.from(`${JSON.stringify({ created_at: created, before, entries })}\n`);
    await createDurably(nodeFileSystem, path.join(unpacking, PLAN), plan);
    const folders = (await fs.readdir(unpacking, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isDirectory())
      .map((entry) => path.join(entry.parentPath, entry.name));
    for (const one of [...folders, unpacking]) await syncFolder(nodeFileSystem, one);
    await fs.rm(path.join(folder, READY), { recursive: true, force: true });
    await renameOver(nodeFileSystem, unpacking, path.join(folder, READY));
    await syncFolder(nodeFileSystem, folder);
    return created;
  } catch (error) {
    await fs.rm(unpacking, { recursive: true, force: true });
    // Errors of zlib and the archive mean damage; others come from the system.
    if (error instanceof RangeError || systemCode(error).startsWith('Z_')) throw damaged(error);
    throw error;
  }
}

/** Writes the files of an archive into a folder; resolves with the time of the backup. */
async function unpack(file: string, into: string): Promise<string> {
  const hash = createHash('sha256');
  let count = 0;
  let created: string | null = null;
  let whole = false;
  const gunzip = createGunzip();
  const reading = pipeline(createReadStream(file), gunzip);
  reading.catch(() => {});
  for await (const { name, contents } of readTar(gunzip)) {
    const text = () => Buffer.from(contents).toString('utf8');
    if (created === null) {
      const head = name === HEAD ? parseAs(text(), isHead) : null;
      if (head === null) throw damaged();
      if (head.format > FORMAT || head.schema > SCHEMA_VERSION)
        throw storeError('store_too_new', { message: 'The backup was made by a later version.' });
      created = head.created_at;
    } else if (name === TAIL) {
      const tail = parseAs(text(), isTail);
      whole = tail !== null && tail.files === count && tail.sha256 === hash.digest('hex');
      break;
    } else {
      if (!NAME.test(name)) throw damaged();
      count++;
      hash.update(name).update('\0').update(contents);
      const target = path.join(into, name);
      await fs.mkdir(path.dirname(target), { recursive: true, mode: 0o700 });
      await createDurably(nodeFileSystem, target, contents);
    }
  }
  gunzip.destroy();
  if (!whole || created === null) throw damaged();
  return created;
}

/**
 * Replaces the data with an unpacked backup and moves the old data into a folder of its own. The caller has the
 * directory's lock. After a crash it continues where it stopped. Resolves with a sentence on what it did, or null when
 * there is no backup to restore.
 */
export async function finishRestore(folder: string): Promise<string | null> {
  const ready = path.join(folder, READY);
  const text = await readIfPresent(nodeFileSystem, path.join(ready, PLAN)).catch(() => null);
  if (text === null) {
    // Only the empty folder is left if the plan was removed last.
    await fs.rmdir(ready).catch(() => {});
    return null;
  }
  const plan = parseAs(text.toString('utf8'), isPlan);
  if (plan === null) throw damaged();
  const before = path.join(folder, path.basename(plan.before));
  for (const name of PLACES) {
    const comes = await exists(path.join(ready, name));
    // A file that is in place already stays.
    const goes = comes || !plan.entries.includes(name);
    if (goes && (await exists(path.join(folder, name)))) {
      await fs.mkdir(before, { recursive: true, mode: 0o700 });
      await renameOver(nodeFileSystem, path.join(folder, name), path.join(before, name));
      await syncFolder(nodeFileSystem, before);
    }
    if (comes) await renameOver(nodeFileSystem, path.join(ready, name), path.join(folder, name));
  }
  await syncFolder(nodeFileSystem, folder);
  await fs.rm(path.join(ready, PLAN));
  await fs.rmdir(ready);
  const kept = (await exists(before)) ? ` The earlier data are in ${path.basename(before)}.` : '';
  return `The backup of ${plan.created_at} was restored.${kept}`;
}
