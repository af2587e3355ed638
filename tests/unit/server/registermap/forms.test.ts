import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { ReadMap } from '../../../../server/registermap/draft.ts';
import { readMap } from '../../../../server/registermap/formats.ts';

const FOLDER = path.resolve('tests/support/registermap/forms');

/** The result, a line for each register, field and warning. */
function shown(read: ReadMap): string[] {
  if ('problems' in read) return read.problems.map(({ msg }) => `refused: ${msg}`);
  return [
    ...read.map.registers.flatMap(({ name, address, access, words, width, reset, fields }) => [
      [
        `0x${address.toString(16)} ${name} ${access}`,
        ...(words === undefined ? [] : [`words=${words}`]),
        ...(width === undefined ? [] : [`width=${width}`]),
        ...(reset === undefined ? [] : [`=0x${reset.toString(16)}`]),
      ].join(' '),
      ...fields.map(({ name: field, msb, lsb, access: own, values }) =>
        [
          `  ${msb}:${lsb} ${field}`,
          ...(own === undefined ? [] : [own]),
          ...(values === undefined
            ? []
            : [
                `{${Object.entries(values)
                  .map(([value, text]) => `${value}=${text}`)
                  .join(' ')}}`,
              ]),
        ].join(' '),
      ),
    ]),
    ...(read.warnings ?? []).map(({ loc, msg, type }) => {
      expect([loc[0], type]).toEqual(['body', 'not_read']);
      expect(loc[1]).toMatch(/^line \d+$/);
      // The unread part, then the remedy.
      expect(msg).toMatch(/; \w/);
      return `! ${msg}`;
    }),
  ];
}

// One form of a standard each. The comment at the end of the file has the expected result, checked by hand; for
// refusals and warnings their beginning.
test.each(readdirSync(FOLDER))('%s', (file) => {
  const text = readFileSync(path.join(FOLDER, file), 'utf8');
  const expected = /<!-- expected\n(.*)\n-->\n$/s.exec(text)?.[1]?.split('\n') ?? [];
  const found = shown(readMap(text, file.endsWith('.svd') ? 'svd' : 'ipxact', 'file'));
  expect(
    found.map((line, at) => {
      const wanted = expected[at] ?? '';
      return /^(?:!|refused:)/.test(wanted) && line.startsWith(wanted) ? wanted : line;
    }),
  ).toEqual(expected);
});
