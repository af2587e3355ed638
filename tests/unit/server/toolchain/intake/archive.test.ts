import { crc32, deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { zipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { MAX_PROJECT_FILES, UNPACKED } from '../../../../../server/contract/designs/project-files.ts';
import { BenchError } from '../../../../../server/errors/bench-error.ts';
import { isArchive } from '../../../../../server/toolchain/intake/archive.ts';
import {
  type Project,
  packProject,
  projectDigest,
  projectOfArchive,
  projectOfFiles,
  unpackProject,
} from '../../../../../server/toolchain/intake/project.ts';

const UPLOAD = 2 ** 20;
const MODULE = Buffer.from('module m; endmodule\n');

const read = (archive: Uint8Array, limit = UPLOAD): Promise<Project> => projectOfArchive(archive, limit);
const refusal = (promise: Promise<unknown>): Promise<BenchError> =>
  promise.then(
    () => expect.unreachable('it was taken'),
    (error: unknown) => {
      if (!(error instanceof BenchError)) throw error;
      return error;
    },
  );

/** One entry of a handmade archive that libraries would not make. */
interface Entry {
  name: string;
  contents?: Uint8Array;
  /** Name in the local header. */
  ownName?: string;
  flags?: number;
  method?: number;
  mode?: number;
  size?: number;
  checksum?: number;
  /** Stated offset of the contents; after the previous ones by default. */
  at?: number;
}

/** An archive with the given entries, right or wrong. */
function archive(entries: Entry[], { count = entries.length, comment = '' } = {}): Buffer {
  const bodies: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const { name, contents = MODULE, ownName = name, flags = 0x0800, method = 8, mode = 0o100644 } = entry;
    const packed = method === 8 ? deflateRawSync(contents) : Buffer.from(contents);
    const size = entry.size ?? contents.length;
    const checksum = entry.checksum ?? crc32(contents);
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(Buffer.byteLength(ownName), 26);
    const central = Buffer.alloc(46);
    central.writeUInt32LE(0x02014b50, 0);
    central.writeUInt16LE(0x0314, 4);
    central.writeUInt16LE(flags, 8);
    central.writeUInt16LE(method, 10);
    central.writeUInt32LE(checksum >>> 0, 16);
    central.writeUInt32LE(packed.length, 20);
    central.writeUInt32LE(size, 24);
    central.writeUInt16LE(Buffer.byteLength(name), 28);
    central.writeUInt32LE((mode << 16) >>> 0, 38);
    central.writeUInt32LE(entry.at ?? offset, 42);
    const body = Buffer.concat([local, Buffer.from(ownName), packed]);
    bodies.push(body);
    directory.push(central, Buffer.from(name));
    offset += body.length;
  }
  const list = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(count, 8);
  end.writeUInt16LE(count, 10);
  end.writeUInt32LE(list.length, 12);
  end.writeUInt32LE(offset, 16);
  end.writeUInt16LE(comment.length, 20);
  return Buffer.concat([...bodies, list, end, Buffer.from(comment)]);
}

describe('a project in an archive', () => {
  test('has its files by path, without a common top folder', async () => {
    const project = await read(
      Buffer.from(
        zipSync({
          'blinky/': new Uint8Array(),
          'blinky/top.v': MODULE,
          'blinky/rtl/a.v': MODULE,
          'blinky/data/init.hex': Buffer.from('00\n'),
          '__MACOSX/blinky/._top.v': Buffer.from('x'),
        }),
      ),
    );
    expect(project.files.map(({ path }) => path)).toEqual(['data/init.hex', 'rtl/a.v', 'top.v']);
    expect(project).toMatchObject({ ignored: [], language: 'verilog' });
  });

  test('ignores files that no project needs, and reports them', async () => {
    const { files, ignored } = await read(
      zipSync({
        'top.v': MODULE,
        'README.md': MODULE,
        '.git/config': MODULE,
        'old.zip': MODULE,
        'gen.py': MODULE,
      }),
    );
    expect(files).toHaveLength(1);
    expect(ignored.join('\n')).toMatch(
      /README\.md \(not an HDL.*\n?.*\.git\/config.*a hidden file[\s\S]*old\.zip.*not unpacked[\s\S]*gen\.py.*Amaranth/,
    );
  });

  test('extracts what was archived, and equal projects have equal archives and digests', async () => {
    const name = fc.stringMatching(/^[a-z][a-z0-9_]{0,7}$/);
    const files = fc.dictionary(
      fc.tuple(name, name, fc.constantFrom('v', 'sv', 'vh', 'hex')).map(([a, b, c]) => `${a}/${b}.${c}`),
      fc.uint8Array({ maxLength: 300 }),
      { minKeys: 1, maxKeys: 20 },
    );
    await fc.assert(
      fc.asyncProperty(files, async (sent) => {
        const all = { ...sent, 'top/first.v': MODULE, 'zz.v': MODULE };
        const project = await read(zipSync(all));
        expect(Object.fromEntries(project.files.map(({ path, contents }) => [path, [...contents]]))).toEqual(
          Object.fromEntries(Object.entries(all).map(([path, contents]) => [path, [...contents]])),
        );
        const shuffled = Object.entries(all)
          .reverse()
          .map(([path, contents]) => ({ path, contents }));
        const again = await projectOfFiles(shuffled, UPLOAD);
        expect(packProject(again)).toEqual(packProject(project));
        const kept = await unpackProject(packProject(project));
        expect(projectDigest(kept)).toBe(projectDigest(project.files));
      }),
      { numRuns: 60 },
    );
  });

  test('its digest changes with a path and with a byte', () => {
    const digest = (path: string, text: string) => projectDigest([{ path, contents: Buffer.from(text) }]);
    expect(new Set([digest('a.v', 'x'), digest('b.v', 'x'), digest('a.v', 'y')]).size).toBe(3);
  });
});

describe('forbidden in an archive', () => {
  test.each([
    ['a way out', '../top.v', /has \.\. in its path/],
    ['a way out within', 'a/../../top.v', /has \.\. in its path/],
    ['an absolute path', '/etc/top.v', /absolute path/],
    ['a drive', 'C:/top.v', /absolute path/],
    ['backslashes', 'a\\top.v', /backslash/],
    ['a hidden character', 'a\u202etop.v', /invisible characters/],
    ['a NUL', 'top.v\0.png', /invisible characters/],
    ['an empty folder name', 'a//top.v', /empty folder name/],
    ['a device of Windows', 'rtl/aux.v', /some systems do not allow/],
  ])('%s: the error names the file', async (_what, name, reason) => {
    const error = await refusal(read(archive([{ name: 'fine.v' }, { name }])));
    expect(error).toMatchObject({ code: 'project_path', status: 422 });
    expect(error.message).toMatch(reason);
  });

  test('a path outside the project is refused even for a file that would be ignored', async () => {
    expect(await refusal(read(archive([{ name: 'top.v' }, { name: '../../x.png' }])))).toMatchObject({
      code: 'project_path',
    });
  });

  test('a duplicate name, also by case, or a file that is also a folder', async () => {
    const twice = async (...names: string[]) =>
      (await refusal(read(archive(names.map((name) => ({ name })))))).message;
    expect(await twice('a/top.v', 'b.v', 'a/top.v')).toBe('The file “a/top.v” occurs twice.');
    expect(await twice('Top.v', 'top.v')).toMatch(/“Top\.v” and “top\.v” differ only in case/);
    expect(await twice('b.v', 'a.v', 'a.v/c.v')).toMatch(
      /“a\.v” is a file, but “a\.v\/c\.v” uses it as a folder/,
    );
  });

  test('devices; links are ignored', async () => {
    const secret = { name: 'secret.v', contents: Buffer.from('/etc/passwd'), mode: 0o120777 };
    const { files, ignored } = await read(archive([{ name: 'top.v' }, secret]));
    expect(files.map(({ path }) => path)).toEqual(['top.v']);
    expect(ignored).toEqual(['secret.v (a link; a project has only files)']);
    expect((await refusal(read(archive([secret])))).message).toMatch(/secret\.v \(a link/);
    expect((await refusal(read(archive([{ name: 'top.v', mode: 0o020600 }])))).message).toMatch(
      /neither a file/,
    );
  });

  test.each<[string, Entry[], RegExp]>([
    ['encrypted', [{ name: 'top.v', flags: 0x0801 }], /is encrypted: “top\.v”/],
    ['packed in another way', [{ name: 'top.v', method: 12 }], /method 12/],
    ['another name inside', [{ name: 'top.v', ownName: '../x.v' }], /another name in its own header/],
    ['another size', [{ name: 'top.v', size: 3 }], /does not match its directory/],
    ['another checksum', [{ name: 'top.v', checksum: 1 }], /does not match its directory/],
    ['shared contents', [{ name: 'a.v' }, { name: 'a.v', at: 0 }], /its files overlap/],
    ['no place', [{ name: 'a.v', at: 7 }], /not where its directory says/],
  ])('%s', async (_what, entries, reason) => {
    const error = await refusal(read(archive(entries)));
    expect(error).toMatchObject({ code: 'project_archive', status: 422 });
    expect(error.message).toMatch(reason);
  });

  test('several parts, the 64-bit format, a wrong count and truncation', async () => {
    const good = archive([{ name: 'top.v' }]);
    for (let end = 0; end < good.length; end += 7)
      expect(await refusal(read(good.subarray(0, end)))).toMatchObject({ code: 'project_archive' });
    expect((await refusal(read(archive([{ name: 'top.v' }], { count: 0xffff })))).message).toMatch(/ZIP64/);
    expect((await refusal(read(archive([{ name: 'top.v' }], { count: 3 })))).message).toMatch(
      /its directory is incomplete/,
    );
    expect((await refusal(read(archive([{ name: 'a.v' }, { name: 'b.v' }], { count: 1 })))).message).toMatch(
      /data after its end/,
    );
  });

  test('no buildable source', async () => {
    const code = async (files: Record<string, Uint8Array>) => refusal(read(zipSync(files)));
    expect((await code({ 'README.md': MODULE })).message).toMatch(
      /The upload has no file of a project.*README\.md/,
    );
    expect(await code({ 'a.hex': MODULE })).toMatchObject({ code: 'project_sources' });
    expect(await code({})).toMatchObject({ code: 'project_sources' });
    expect((await code({ 'top.py': MODULE })).message).toMatch(/Amaranth/);
  });
});

test('unsafe characters in names become underscores, without creating duplicates', async () => {
  const named = async (...names: string[]) =>
    (await read(archive(names.map((name) => ({ name }))))).files.map(({ path }) => path);
  expect(
    await named('top.v', 'RTL files/uart (1).v', 'rtl/-o.v', 'a".v', 'a;exec.v', 'ä.v', 'läuft/日.v'),
  ).toEqual(['RTL_files/uart__1_.v', '_.v', 'a_.v', 'a_exec.v', 'l_uft/_.v', 'rtl/_o.v', 'top.v']);
  const both = await refusal(read(archive([{ name: 'a b.v' }, { name: 'a_b.v' }])));
  expect(both).toMatchObject({ code: 'project_path' });
  expect(both.message).toMatch(/“a b\.v” and “a_b\.v” both become a_b\.v for the tools/);
});

describe('limits', () => {
  test('a bomb is stopped during extraction, whatever size it declares', async () => {
    const zeros = Buffer.alloc(64 * UPLOAD);
    for (const size of [zeros.length, 10, 0xffff_fff0]) {
      const before = process.memoryUsage().arrayBuffers;
      const error = await refusal(read(archive([{ name: 'top.v', contents: zeros, size }])));
      expect(error).toMatchObject({ code: 'project_too_large', status: 413 });
      expect(error.message).toContain('“top.v”');
      expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8 * UPLOAD);
    }
  });

  test('the total size and the compression ratio count', async () => {
    const noise = (n: number) =>
      Buffer.from(Array.from({ length: 20_000 }, (_, i) => (i * i * 31 + n * 7) & 0xff));
    const small = 20_000;
    const files = (n: number) =>
      Object.fromEntries(Array.from({ length: n }, (_, i) => [`f${i}.v`, noise(i)]));
    expect((await read(zipSync(files(UNPACKED)), small)).files).toHaveLength(UNPACKED);
    expect(await refusal(read(zipSync(files(UNPACKED + 1)), small))).toMatchObject({
      code: 'project_too_large',
    });
    const zeros = Buffer.alloc(UPLOAD);
    const repeated = zipSync({ 'a.v': MODULE, 'a.hex': zeros, 'b.hex': zeros, 'c.hex': zeros });
    expect(await refusal(read(repeated))).toMatchObject({ code: 'project_too_large' });
    // A memory of zeros is no bomb.
    expect((await read(zipSync({ 'a.v': MODULE, 'a.hex': zeros.subarray(0, 600_000) }))).files).toHaveLength(
      2,
    );
  });

  test('files, entries, folders within folders, and the length of a path', async () => {
    const many = (n: number) =>
      zipSync(Object.fromEntries(Array.from({ length: n }, (_, i) => [`f${i}.v`, MODULE])), { level: 0 });
    expect((await read(many(MAX_PROJECT_FILES))).files).toHaveLength(MAX_PROJECT_FILES);
    expect(await refusal(read(many(MAX_PROJECT_FILES + 1)))).toMatchObject({
      code: 'project_too_large',
      message: expect.stringContaining(
        'has 2001 sources, headers and data files; the bench takes at most 2000',
      ),
      remedy: expect.not.stringContaining('limit'),
    });
    const entries = (n: number) =>
      read(
        zipSync(
          Object.fromEntries(
            [...Array(n)].map((_, i) => [`d${i}/`, new Uint8Array()]).concat([['f.v', MODULE]]),
          ),
          { level: 0 },
        ),
      );
    expect((await entries(19_999)).files).toHaveLength(1);
    expect((await refusal(entries(20_000))).message).toMatch(/20001 entries/);
    expect(await refusal(read(zipSync({ 'a.v': MODULE, [`${'d/'.repeat(20)}a.v`]: MODULE })))).toMatchObject({
      code: 'project_path',
    });
    expect(await refusal(read(zipSync({ 'a.v': MODULE, [`${'x'.repeat(250)}.v`]: MODULE })))).toMatchObject({
      code: 'project_path',
    });
  });
});

test('any bytes are read or refused by a code, and no path leads outside', async () => {
  const good = archive([{ name: 'a/top.v' }, { name: 'a/b.hex', method: 0 }, { name: 'a/c.vh' }], {
    comment: 'made by hand',
  });
  const damage = fc.array(fc.tuple(fc.nat({ max: good.length - 1 }), fc.nat({ max: 255 })), {
    minLength: 1,
    maxLength: 6,
  });
  const shapes = fc.oneof(
    damage.map((changes) => {
      const bytes = Buffer.from(good);
      for (const [at, value] of changes) bytes[at] = value;
      return bytes;
    }),
    fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from([0x50, 0x4b, 3, 4, ...bytes])),
    fc
      .array(
        fc.record({
          name: fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('..', '../x.v', 'x.v', '/x.v')),
          mode: fc.nat({ max: 0xffff }),
          flags: fc.nat({ max: 0xffff }),
          method: fc.constantFrom(0, 8, 9),
          size: fc.option(fc.nat(), { nil: undefined }),
        }),
        { maxLength: 5 },
      )
      .map((entries) =>
        archive(entries.map(({ size, ...entry }) => ({ ...entry, ...(size === undefined ? {} : { size }) }))),
      ),
  );
  await fc.assert(
    fc.asyncProperty(shapes, async (bytes) => {
      const project = await read(bytes).catch((error: unknown) => {
        if (error instanceof BenchError && error.code.startsWith('project_')) return null;
        throw error;
      });
      for (const { path } of project?.files ?? [])
        expect(path).toMatch(/^(?:[\w.][\w.+-]*\/)*[\w.][\w.+-]*$/);
      for (const { path } of project?.files ?? []) expect(path.split('/')).not.toContain('..');
    }),
    { numRuns: 2000 },
  );
});

test('an archive is known by its first bytes', () => {
  expect([zipSync({ a: MODULE }), zipSync({})].map(isArchive)).toEqual([true, true]);
  expect([MODULE, Buffer.from('PK\x03\x05'), Buffer.alloc(0)].map(isArchive)).toEqual([false, false, false]);
});
