import { writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packageFolder } from '../../resources/licences/bundled-packages.mjs';
import { makeNotices, noticesProblems } from '../../resources/licences/notices.ts';
import type { ShippedPackage } from '../../resources/licences/shipped-packages.ts';
import { temporaryFolder } from '../support/temporary.ts';

describe('THIRD-PARTY-NOTICES.txt', () => {
  let folder: string;
  beforeAll(async () => {
    folder = temporaryFolder('notices');
  });
  afterAll(() => rm(folder, { recursive: true }));

  const licensed: ShippedPackage = {
    name: 'fastify',
    version: '5.0.0',
    licence: 'MIT',
    folder: 'node_modules/fastify',
    partOf: null,
  };
  const bare: ShippedPackage = {
    ...licensed,
    name: 'bare',
    licence: 'WTFPL',
    folder: 'node_modules/.absent',
  };

  test('is up to date and has a text for everything that is shipped', () => {
    expect(noticesProblems()).toEqual([]);
  });

  test('fails the check when a shipped package has no text', () => {
    const made = makeNotices([licensed, bare]);
    const file = path.join(folder, 'current.txt');
    writeFileSync(file, made.content);
    expect(noticesProblems(made, file)).toEqual([
      expect.stringMatching(/^bare 5\.0\.0 is shipped without a licence text \(WTFPL\): /),
    ]);
  });

  test('fails the check when it is missing or out of date', () => {
    const file = path.join(folder, 'old.txt');
    const made = makeNotices([licensed]);
    expect(noticesProblems(made, file)).toEqual([
      'THIRD-PARTY-NOTICES.txt is missing: run `npm run notices`.',
    ]);
    writeFileSync(file, makeNotices([{ ...licensed, version: '4.9.0' }]).content);
    expect(noticesProblems(made, file)).toEqual([
      'THIRD-PARTY-NOTICES.txt is out of date: run `npm run notices`.',
    ]);
    writeFileSync(file, made.content.replaceAll('\n', '\r\n'));
    expect(noticesProblems(made, file)).toEqual([]);
  });

  test('says how a text was come by that the package does not have', () => {
    const { content, missing } = makeNotices([
      { ...licensed, name: 'native', folder: 'node_modules/.absent', partOf: 'node_modules/usb' },
    ]);
    expect(missing).toEqual([]);
    expect(content).toContain(
      'native has no text of its own: it is a part of the package that has this one.\n\nThe MIT License',
    );
  });
});

describe('a module of a bundle', () => {
  test('belongs to the innermost package, to the bundler or to us', () => {
    const of = (id: string) => packageFolder('/app', id);
    expect(of('/app/renderer/main.tsx')).toBeNull();
    expect(of('/app/node_modules/react/index.js?commonjs-es-import')).toBe('node_modules/react');
    expect(of('\0/app/node_modules/react/index.js?commonjs-proxy')).toBe('node_modules/react');
    expect(of('/app/node_modules/@a/b/node_modules/c/x.css')).toBe('node_modules/@a/b/node_modules/c');
    expect(of('\0rolldown/runtime.js')).toBe('node_modules/rolldown');
    expect(() => of('\0somebody/else.js')).toThrow(/whose code is that/);
  });
});
