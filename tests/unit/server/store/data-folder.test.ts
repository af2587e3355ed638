import { describe, expect, test } from 'vitest';
import { findDataFolder } from '../../../../server/data-folder.ts';

/** A system in which these folders hold a bench. */
const system = (
  platform: NodeJS.Platform,
  home: string,
  environment: NodeJS.ProcessEnv = {},
  benches: string[] = [],
) => ({
  platform,
  home,
  environment,
  exists: (file: string) => benches.some((folder) => file === `${folder}/bench.json`),
});

describe('the data directory is', () => {
  test('the given one, else WISHBENCH_DATA, before any other', () => {
    const environment = { WISHBENCH_DATA: '/srv/bench' };
    const there = system('linux', '/home/a', environment, ['/home/a/.local/share/wishbench']);
    expect(findDataFolder('/data', [], there)).toEqual({ folder: '/data', notices: [] });
    expect(findDataFolder(undefined, [], there)).toEqual({ folder: '/srv/bench', notices: [] });
  });

  test('on Windows without trailing dots of names, which other programs cannot open', () => {
    const folder = (given: string, platform: NodeJS.Platform = 'win32') =>
      findDataFolder(given, [], system(platform, 'C:\\Users\\a')).folder;
    expect(folder('C:\\bench.')).toBe('C:\\bench');
    expect(folder('C:\\lab. \\my.bench\\data...')).toBe('C:\\lab\\my.bench\\data');
    expect(folder('\\\\lab\\share\\bench ')).toBe('\\\\lab\\share\\bench');
    expect(folder('/srv/bench.', 'linux')).toBe('/srv/bench.');
  });

  test('the system’s usual folder for user data', () => {
    const found = (platform: NodeJS.Platform, home: string, environment: NodeJS.ProcessEnv = {}) =>
      findDataFolder(undefined, [], system(platform, home, environment)).folder;
    expect(found('linux', '/home/a')).toBe('/home/a/.local/share/wishbench');
    expect(found('linux', '/home/a', { WISHBENCH_DATA: '' })).toBe('/home/a/.local/share/wishbench');
    expect(found('linux', '/home/a', { XDG_DATA_HOME: '/data' })).toBe('/data/wishbench');
    expect(found('linux', '/home/a', { XDG_DATA_HOME: 'data' })).toBe('/home/a/.local/share/wishbench');
    expect(found('darwin', '/Users/a')).toBe('/Users/a/Library/Application Support/Wishbench/bench');
    expect(found('win32', '/a', { LOCALAPPDATA: 'D:\\Local' })).toBe('D:\\Local\\Wishbench');
    expect(found('win32', 'C:\\Users\\a')).toBe('C:\\Users\\a\\AppData\\Local\\Wishbench');
  });
});

describe('a bench of an earlier version', () => {
  const shared = '/home/a/.local/share/wishbench';
  const earlier = '/home/a/.config/Wishbench/bench';

  test('of the desktop application remains in use, by the command line as well', () => {
    const there = system('linux', '/home/a', {}, [earlier]);
    expect(findDataFolder(undefined, [], there)).toEqual({ folder: earlier, notices: [] });
    expect(findDataFolder(undefined, [earlier], there)).toEqual({ folder: earlier, notices: [] });
  });

  test('that the shared one supersedes is reported once, with a remedy', () => {
    const { folder, notices } = findDataFolder(
      undefined,
      [earlier, '/elsewhere/bench'],
      system('linux', '/home/a', {}, [shared, earlier]),
    );
    expect(folder).toBe(shared);
    expect(notices).toEqual([
      expect.stringMatching(
        /^The bench in \/home\/a\/.config\/Wishbench\/bench is not used: .*WISHBENCH_DATA.*--data/,
      ),
    ]);
  });

  test('in a custom settings folder of the application is found by the application', () => {
    const mine = '/elsewhere/bench';
    const there = system('linux', '/home/a', {}, [mine, earlier]);
    const { folder, notices } = findDataFolder(undefined, [mine], there);
    expect(folder).toBe(mine);
    expect(notices).toEqual([expect.stringContaining(earlier)]);
  });

  test('of the command line remains in use on macOS, where it lies in the application’s folder', () => {
    const folder = '/Users/a/Library/Application Support/Wishbench';
    const there = system('darwin', '/Users/a', {}, [folder]);
    expect(findDataFolder(undefined, [`${folder}/bench`], there)).toEqual({ folder, notices: [] });
  });
});
