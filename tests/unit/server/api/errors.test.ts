import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { ERROR_AREAS } from '../../../../server/errors/catalogue.ts';
import { appRoot } from '../../../../server/paths.ts';

const codes = Object.entries(ERROR_AREAS).flatMap(([area, specs]) =>
  Object.entries(specs).map(([code, spec]) => ({ area, code, ...spec })),
);

const sources = (folder: string): string[] =>
  readdirSync(path.join(appRoot, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => path.join(entry.parentPath, entry.name));

describe('the catalogue of errors', () => {
  test('a code is unique, with a status and two complete sentences', () => {
    expect(codes.length).toBeGreaterThan(60);
    const names = codes.map(({ code }) => code);
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
    for (const { code, status, message, remedy } of codes) {
      expect(code).toMatch(/^[a-z][a-z0-9_]+$/);
      expect([code, status >= 400 && status < 600]).toEqual([code, true]);
      for (const sentence of [message, remedy]) {
        expect([code, sentence]).toEqual([code, expect.stringMatching(/^["“\p{L}?].*\.\)?$/su)]);
        expect([code, sentence]).not.toEqual([code, expect.stringMatching(/!|oops/i)]);
      }
    }
  });

  test('every code is thrown somewhere', () => {
    const files = sources('server').filter((file) => !file.includes(`${path.sep}errors${path.sep}`));
    const text = files.map((file) => readFileSync(file, 'utf8')).join('\n');
    // A fabric names its refusals in a worker thread; which of them can come is tested there.
    const named = codes.filter(({ code }) => !code.startsWith('fabric_'));
    expect(named.map(({ code }) => code).filter((code) => !text.includes(`'${code}'`))).toEqual([]);
  });
});
