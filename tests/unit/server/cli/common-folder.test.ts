import path from 'node:path';
import { expect, test } from 'vitest';
import { commonFolder } from '../../../../server/cli/shared/design-files.ts';

test('files on two Windows drives have no common folder: the error gives a remedy', () => {
  const folder = (...files: string[]) => commonFolder(files, path.win32);
  expect(folder('C:\\a\\x.v', 'c:\\A\\lib\\y.v')).toBe('C:\\a');
  expect(folder('C:\\a\\x.v', 'C:\\b\\y.v')).toBe('C:\\');
  expect(() => folder('C:\\a\\x.v', 'D:\\b\\y.v')).toThrow(
    'The files are on two drives, C:\\ and D:\\, and a project has one folder. Copy them below one folder, and name that.',
  );
  expect(() => folder('C:\\a\\x.v', '\\\\lab\\share\\y.v')).toThrow('two drives');
  expect(commonFolder(['/a/x.v', '/b/c/y.v'], path.posix)).toBe('/');
});
