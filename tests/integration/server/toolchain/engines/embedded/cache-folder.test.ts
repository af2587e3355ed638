import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  cacheFolder,
  workerFolder,
} from '../../../../../../server/toolchain/engines/embedded/cache-folder.ts';
import {
  allowNatives,
  compiledCodeFile,
  isOwnFolder,
  keepCode,
  loadCompiledCode,
} from '../../../../../../server/toolchain/engines/embedded/compiled-code-cache.ts';
import { temporaryFolder } from '../../../../../support/temporary.ts';

let folder = '';
beforeEach(() => {
  folder = path.join(temporaryFolder('cache'), 'code');
});

describe('the cache folder', () => {
  test('is WISHBENCH_CACHE, and none where that is off', () => {
    expect(cacheFolder({ WISHBENCH_CACHE: '/a/b' }, 'linux', '/home/u')).toBe('/a/b');
    expect(cacheFolder({ WISHBENCH_CACHE: 'C:\\a' }, 'win32', 'C:\\u')).toBe('C:\\a');
    expect(cacheFolder({ WISHBENCH_CACHE: 'off' }, 'linux', '/home/u')).toBeNull();
    expect(cacheFolder({ WISHBENCH_CACHE: '' }, 'linux', '/home/u')).toBe('/home/u/.cache/wishbench');
  });

  test('otherwise follows the system’s convention for caches', () => {
    expect(cacheFolder({}, 'linux', '/home/u')).toBe('/home/u/.cache/wishbench');
    expect(cacheFolder({ XDG_CACHE_HOME: '/x' }, 'linux', '/home/u')).toBe('/x/wishbench');
    expect(cacheFolder({}, 'darwin', '/Users/u')).toBe('/Users/u/Library/Caches/wishbench');
    expect(cacheFolder({ LOCALAPPDATA: 'D:\\local' }, 'win32', 'C:\\u')).toBe('D:\\local\\Wishbench\\Cache');
    expect(cacheFolder({}, 'win32', 'C:\\u')).toBe('C:\\u\\AppData\\Local\\Wishbench\\Cache');
  });

  test('a worker on Windows stores its builds in the folder for local application data', () => {
    expect(workerFolder({ LOCALAPPDATA: 'D:\\local' }, 'win32', 'C:\\u')).toBe(
      'D:\\local\\Wishbench\\Worker',
    );
    expect(workerFolder({}, 'win32', 'C:\\u')).toBe('C:\\u\\AppData\\Local\\Wishbench\\Worker');
    expect(workerFolder({}, 'linux', '/home/u')).toBe('/home/u/.cache/wishbench-worker');
  });

  // The basedir specification has paths that are not absolute ignored.
  test('does not depend on the working directory, unless WISHBENCH_CACHE does', () => {
    const relative = fc.stringMatching(/^[a-z.][a-z./]*$/);
    fc.assert(
      fc.property(relative, (caches) => {
        expect(cacheFolder({ XDG_CACHE_HOME: caches }, 'linux', '/home/u')).toBe('/home/u/.cache/wishbench');
      }),
    );
  });
});

describe('a folder of native code', () => {
  test('is created for this user only', () => {
    const deep = path.join(folder, 'a', 'b');
    expect(isOwnFolder(deep)).toBe(true);
    if (process.platform !== 'win32') expect(statSync(deep).mode & 0o777).toBe(0o700);
  });

  test.skipIf(process.platform === 'win32')('writable by others is refused', () => {
    mkdirSync(folder);
    for (const [mode, own] of [
      [0o755, true],
      [0o775, false],
      [0o757, false],
      [0o700, true],
    ] as const) {
      chmodSync(folder, mode);
      expect(isOwnFolder(folder)).toBe(own);
    }
  });

  test.skipIf(process.getuid === undefined)('owned by another user is refused', () => {
    mkdirSync(folder, { mode: 0o700 });
    const { getuid } = process;
    process.getuid = () => statSync(folder).uid + 1;
    try {
      expect(isOwnFolder(folder)).toBe(false);
    } finally {
      Object.assign(process, { getuid });
    }
  });

  test('that cannot be made is refused', () => {
    writeFileSync(folder, 'a file');
    expect(isOwnFolder(path.join(folder, 'within'))).toBe(false);
  });
});

/** `(module (func (export "_start")))` */
const WIRE = new Uint8Array([
  ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
  ...[1, 4, 1, 0x60, 0, 0],
  ...[3, 2, 1, 0],
  ...[7, 10, 1, 6, ...Buffer.from('_start'), 0, 0],
  ...[10, 4, 1, 2, 0, 0x0b],
]);

describe('compiled-code cache', () => {
  const HOUR = 3600;
  const aged = (name: string, seconds: number) => {
    const file = path.join(folder, name);
    writeFileSync(file, name);
    const time = Date.now() / 1000 - seconds;
    utimesSync(file, time, time);
  };
  const names = () => readdirSync(folder).sort();
  const keep = (name: string) => keepCode(path.join(folder, name), new WebAssembly.Module(WIRE));

  beforeEach(() => {
    mkdirSync(folder, { mode: 0o700 });
    expect(allowNatives()).toBe(true);
  });

  test('stores the compiled module, readable only by its user', () => {
    const file = path.join(folder, 'a.code');
    expect(keepCode(file, new WebAssembly.Module(WIRE))).toBe(true);
    expect(names()).toEqual(['a.code']);
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600);
    // A view with an offset, as in the threads that load tools.
    const room = new Uint8Array(WIRE.length + 5);
    room.set(WIRE, 5);
    expect(loadCompiledCode(file, room.subarray(5))).toBeInstanceOf(WebAssembly.Module);
    expect(keepCode(file, new WebAssembly.Module(WIRE))).toBe(false); // no more than there is
  });

  test('is removed when any byte differs', () => {
    const file = path.join(folder, 'a.code');
    expect(keep('a.code')).toBe(true);
    const sound = readFileSync(file);
    fc.assert(
      fc.property(fc.nat(sound.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const damaged = Uint8Array.from(sound);
        damaged[at]! ^= change;
        writeFileSync(file, damaged);
        expect(loadCompiledCode(file, WIRE)).toBeNull();
        expect(names()).toEqual([]);
      }),
    );
    for (const length of [0, 5, 16, 47, 48, sound.length - 1]) {
      writeFileSync(file, sound.subarray(0, length));
      expect(loadCompiledCode(file, WIRE)).toBeNull();
      expect(names()).toEqual([]);
    }
  });

  test('holds twelve files at most: evicts the least recently used', () => {
    for (let i = 0; i < 15; i++) aged(`tool-${String(i).padStart(2, '0')}.code`, 60 * (i + 1));
    expect(keep('new.code')).toBe(true);
    expect(names()).toEqual([
      'new.code',
      ...Array.from({ length: 11 }, (_, i) => `tool-${String(i).padStart(2, '0')}.code`),
    ]);
  });

  test('counts as used when read', () => {
    keep('read.code');
    const file = path.join(folder, 'read.code');
    utimesSync(file, 1, 1);
    for (let i = 0; i < 12; i++) aged(`tool-${i}.code`, 60);
    expect(loadCompiledCode(file, WIRE)).not.toBeNull();
    keep('new.code');
    expect(names()).toContain('read.code');
    expect(names()).toHaveLength(12);
  });

  test('ignores foreign files in the folder', () => {
    aged('notes.txt', 100 * HOUR);
    keep('a.code');
    expect(names()).toEqual(['a.code', 'notes.txt']);
  });

  test('is not written while another process claims it, for an hour', () => {
    aged('a.code.claim', HOUR - 60);
    expect(keep('a.code')).toBe(false);
    expect(names()).toEqual(['a.code.claim']);
    aged('a.code.claim', HOUR + 60);
    expect(keep('a.code')).toBe(true);
    expect(names()).toEqual(['a.code']);
  });

  test('removes abandoned unfinished files', () => {
    aged('b.code.77-abc.new', HOUR + 60);
    aged('c.code.claim', HOUR + 60);
    aged('d.code.78-abc.new', HOUR - 60);
    keep('a.code');
    expect(names()).toEqual(['a.code', 'd.code.78-abc.new']);
  });

  test('has a distinct name for each tool and memory limit', () => {
    const all = (['yosys', 'nextpnr-ice40'] as const).flatMap((tool) =>
      [2 ** 28, 2 ** 29].map((limit) => compiledCodeFile(folder, tool, limit)),
    );
    expect(new Set(all).size).toBe(4);
    expect(compiledCodeFile(folder, 'yosys', 2 ** 28)).toBe(all[0]);
  });
});
