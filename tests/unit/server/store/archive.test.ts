import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { backUp, finishRestore, prepareRestore } from '../../../../server/store/backup.ts';
import { emptyBench, formatBench } from '../../../../server/store/bench-data.ts';
import { readTar, TAR_END, type TarEntry, tarBytes } from '../../../../server/store/tar.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

const NOW = new Date('2026-03-01T12:00:00.000Z');

const archiveOf = (entries: readonly TarEntry[]) =>
  Buffer.concat([...entries.flatMap((entry) => tarBytes(entry, 0)), TAR_END]);

async function entriesIn(bytes: Uint8Array, chunk = bytes.length): Promise<TarEntry[]> {
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += chunk) yield bytes.subarray(at, at + chunk);
  }
  const entries: TarEntry[] = [];
  for await (const entry of readTar(chunks())) entries.push(entry);
  return entries;
}

const part = (most: number) => fc.stringMatching(new RegExp(`^[a-z.0-9]{1,${most}}$`));

test('an archive in pieces of any size has the files that were written', async () => {
  const entry = fc.record({
    name: fc.oneof(
      part(100),
      fc.tuple(part(155), part(100)).map((parts) => parts.join('/')),
    ),
    contents: fc.uint8Array({ maxLength: 1500 }),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(entry, { maxLength: 4 }),
      fc.integer({ min: 1, max: 2000 }),
      async (entries, chunk) => {
        const found = await entriesIn(archiveOf(entries), chunk);
        expect(found.map(({ name, contents }) => [name, [...contents]])).toEqual(
          entries.map(({ name, contents }) => [name, [...contents]]),
        );
      },
    ),
  );
});

test('a name that no header takes is refused', () => {
  const contents = new Uint8Array();
  for (const name of ['n'.repeat(101), `${'d'.repeat(156)}/n`, `d/${'n'.repeat(101)}`])
    expect(() => tarBytes({ name, contents }, 0)).toThrow(RangeError);
});

test('a changed header and a missing end are damage', async () => {
  const whole = archiveOf([{ name: 'a', contents: Buffer.from('text') }]);
  for (let at = 0; at < 512; at++) {
    // What ends the sum is in no sum.
    if (at === 154 || at === 155) continue;
    const bytes = Buffer.from(whole);
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    await expect(entriesIn(bytes), `byte ${at}`).rejects.toThrow('damaged');
  }
  for (const length of [0, 511, 512, 1023, 1024])
    await expect(entriesIn(whole.subarray(0, length))).rejects.toThrow('too early');
});

const json = (name: string, value: unknown): TarEntry => ({
  name,
  contents: Buffer.from(JSON.stringify(value)),
});
const HEAD = json('backup.json', { format: 1, schema: 2, created_at: NOW.toISOString() });
const FILE = json('bench.json', { nodes: [] });

function tailOf(files: readonly TarEntry[], count = files.length): TarEntry {
  const hash = createHash('sha256');
  for (const { name, contents } of files) hash.update(name).update('\0').update(contents);
  return json('backup-end.json', { files: count, sha256: hash.digest('hex') });
}

/** Prepares the restore of an archive with these files; resolves with the code of the error, or null. */
async function restored(entries: readonly TarEntry[]): Promise<string | null> {
  const folder = temporaryFolder('archive');
  const file = path.join(folder, 'backup.tar.gz');
  writeFileSync(file, gzipSync(archiveOf(entries)));
  const data = path.join(folder, 'data');
  const code = await prepareRestore(data, file, NOW).then(
    () => null,
    (error) => error.code,
  );
  // Nothing is left of one that was refused.
  expect(readdirSync(data)).toEqual(code === null ? ['restore.ready'] : []);
  expect(existsSync(path.join(folder, 'evil'))).toBe(false);
  return code;
}

const LATER = { format: 1, schema: 2, created_at: '' };
test.each<[what: string, entries: TarEntry[], code: string | null]>([
  ['whole', [HEAD, FILE, tailOf([FILE])], null],
  ['empty', [], 'backup_damaged'],
  ['without its head', [FILE, tailOf([FILE])], 'backup_damaged'],
  ['with another head', [json('backup.json', { format: '1' }), FILE, tailOf([FILE])], 'backup_damaged'],
  ['of a later format', [json('backup.json', { ...LATER, format: 2 }), tailOf([])], 'store_too_new'],
  ['of a later schema', [json('backup.json', { ...LATER, schema: 99 }), tailOf([])], 'store_too_new'],
  ['without its tail', [HEAD, FILE], 'backup_damaged'],
  ['with another tail', [HEAD, FILE, json('backup-end.json', {})], 'backup_damaged'],
  ['with a file too few', [HEAD, FILE, tailOf([FILE], 2)], 'backup_damaged'],
  ['with another file', [HEAD, FILE, tailOf([json('bench.json', {})])], 'backup_damaged'],
  ...['../evil', '/evil', 'jobs/0/../../evil', 'restore.json', 'jobs/0/evil/log.txt'].map(
    (name): [string, TarEntry[], string] => {
      const entry = json(name, {});
      return [`with ${name}`, [HEAD, entry, tailOf([entry])], 'backup_damaged'];
    },
  ),
])('a backup %s', async (_what, entries, code) => {
  expect(await restored(entries)).toBe(code);
});

const [JOB, ENDED, LOST] = [1, 2, 3].map((n) => `00000000-0000-4000-8000-00000000000${n}`);
const job = (job_id: string | undefined, fpga_id: number | null) => ({
  job: {
    ...{ job_id, fpga_id, type: 'build_and_program', status: 'queued', owner: 'alice' },
    ...{ created_at: NOW.toISOString(), updated_at: NOW.toISOString() },
    submit: { filename: 'a.v', size: 1, options: {} },
  },
  seq: 1,
});

test.each([
  ['whole', (text: string) => text, ['jobs/3/', 'jobs/unplaced/']],
  ['damaged', () => '{', []],
])(
  'a backup has what belongs to the bench, whose file is %s, and nothing else',
  async (_what, spoil, also) => {
    const [folder, target] = [temporaryFolder('archive'), temporaryFolder('archive')];
    const put = (name: string, text: string) => {
      mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
      writeFileSync(path.join(folder, name), text);
    };
    const digest = '5f'.repeat(32);
    const bench = formatBench({
      ...emptyBench(),
      jobs: new Map([['', job(JOB, 3) as never]]),
      unplaced: new Map([['', job(ENDED, null) as never]]),
    });
    put('bench.json', spoil(bench));
    put('history/7.jsonl', `${JSON.stringify(job(ENDED, 7))}\n`);
    const known = [
      ...['settings.json', `jobs/7/${ENDED}/log.txt`, `bitstreams/${digest}.bin`],
      ...[`designs/echo-v-0123abcd/sources/${digest}`, 'designs/echo-v-0123abcd/map.json'],
      ...[`assignments/${JOB}/${ENDED}.json`],
    ];
    const ofBench = [`jobs/3/${JOB}/source`, `jobs/unplaced/${ENDED}/source`];
    const others = [
      ...[`jobs/3/${LOST}/source`, `jobs/7/${ENDED}/source.tmp`, 'bitstreams/a.bin', 'cache/a', 'lock'],
      ...['settings.json.damaged-1', 'designs/echo-v-0123abcd/map.json.tmp'],
    ];
    for (const name of [...known, ...ofBench, ...others]) put(name, name);
    const file = path.join(target, 'backup.tar.gz');
    const expected = [...known, ...ofBench.filter((name) => also.some((one) => name.startsWith(one)))];
    expect(await backUp(folder, file, NOW)).toBe(expected.length + 2);
    const data = path.join(target, 'data');
    await prepareRestore(data, file, NOW);
    expect(await finishRestore(data)).toBe(`The backup of ${NOW.toISOString()} was restored.`);
    const files = readdirSync(data, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(data, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, '/'));
    expect(files.sort()).toEqual([...expected, 'bench.json', 'history/7.jsonl'].sort());
    for (const name of expected) expect(readFileSync(path.join(data, name), 'utf8')).toBe(name);
  },
);

test('without a backup nothing is restored, and an unreadable plan is an error', async () => {
  const folder = temporaryFolder('archive');
  expect(await finishRestore(folder)).toBeNull();
  // A crash removed the plan last.
  await mkdir(path.join(folder, 'restore.ready'));
  expect(await finishRestore(folder)).toBeNull();
  expect(readdirSync(folder)).toEqual([]);
  await mkdir(path.join(folder, 'restore.ready'));
  writeFileSync(path.join(folder, 'restore.ready', 'restore.json'), '{}');
  await expect(finishRestore(folder)).rejects.toMatchObject({ code: 'backup_damaged' });
});
