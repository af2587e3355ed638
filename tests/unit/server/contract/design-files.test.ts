import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  extensionOf,
  isOfProject,
  projectPath,
  roleOf,
} from '../../../../server/contract/designs/project-files.ts';
import { uploadOf } from '../../../../server/contract/designs/project-upload.ts';

test('the role of a file follows from its last extension, in any case', () => {
  const roles = ['a/Top.SV', 'defs.vh', 'rom.tar.hex', 'board.pcf', 'readme.md', 'Makefile', 'x.constructor'];
  expect(roles.map(roleOf)).toEqual([
    'source',
    'header',
    'data',
    'constraints',
    undefined,
    undefined,
    undefined,
  ]);
  expect(extensionOf('v1.0/Makefile')).toBe('');
});

test('hidden files and folders belong to no project', () => {
  for (const path of ['.git/a.v', 'a/.b.v', '__MACOSX/a.v', 'a.md'])
    expect(isOfProject(path), path).toBe(false);
  expect(isOfProject('rtl/a.v')).toBe(true);
});

test('the path of any file becomes one that the tools accept, in the same folder', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.constantFrom('..', '.', '-a', '+b'), fc.string()), { minLength: 1 }),
      (names) => {
        const written = names.map((name) => name.replaceAll('/', '')).join('/');
        const path = projectPath(written);
        for (const name of path.split('/')) expect(name).toMatch(/^(?:[\w.][\w.+-]*)?$/);
        expect(path.split('/')).toHaveLength(written.split('/').length);
        expect(projectPath(path)).toBe(path);
      },
    ),
  );
  expect(projectPath('../my lib/-a.v')).toBe('../my_lib/_a.v');
});

test('a single file and a small project are sent as they are, a large project as an archive', async () => {
  const file = (name: string, size: number) => ({ name, contents: new Uint8Array(size) });
  const packed: string[][] = [];
  const zip = async (files: Record<string, Uint8Array>) => {
    packed.push(Object.keys(files));
    return Uint8Array.of(7);
  };
  const large = file('rtl/top.v', 256 << 10);
  const small = [file('a.v', 1), file('b.v', 2)];
  expect(await uploadOf([large], zip)).toBe(large);
  expect(await uploadOf(small, zip)).toBe(small);
  expect(await uploadOf([], zip)).toEqual([]);
  expect(packed).toEqual([]);
  expect(await uploadOf([large, file('b.v', 0)], zip)).toEqual({
    name: 'top.zip',
    contents: Uint8Array.of(7),
  });
  expect(packed).toEqual([['rtl/top.v', 'b.v']]);
});
