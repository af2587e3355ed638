import { expect, test } from 'vitest';
import { environmentIn, plainEnvironment } from '../../../../../server/toolchain/engines/run-tool.ts';

const OWN = {
  PATH: '/bin',
  SystemRoot: 'C:\\Windows',
  SystemDrive: 'C:',
  TEMP: 'C:\\Users\\a\\Temp',
  TMP: 'C:\\Users\\a\\Temp',
  USERPROFILE: 'C:\\Users\\a',
  WISHBENCH_OPERATOR_TOKEN: 'secret',
};

test('a tool on Windows gets a writable temporary folder', () => {
  const { WISHBENCH_OPERATOR_TOKEN: _, ...windows } = OWN;
  expect(plainEnvironment('win32', OWN)).toEqual(windows);
  const folder = 'C:\\build';
  expect(environmentIn(folder, 'win32', OWN)).toEqual({
    ...windows,
    ...{ HOME: folder, TMPDIR: folder, TEMP: folder, TMP: folder, USERPROFILE: folder, LANG: 'C.UTF-8' },
  });
});

test('on other systems it has the PATH and its own folder', () => {
  expect(plainEnvironment('linux', OWN)).toEqual({ PATH: '/bin' });
  expect(environmentIn('/build', 'linux', OWN)).toEqual({
    PATH: '/bin',
    HOME: '/build',
    TMPDIR: '/build',
    LANG: 'C.UTF-8',
  });
});
