import { describe, expect, test } from 'vitest';
import { LineCutter, type LineRules } from '../../../../server/process/line-cutter.ts';

const rules: LineRules = { carriageReturn: 'ends-line', longest: 100, most: 1000 };

/** The lines that come of chunks, and what the end adds to them. */
function cut(chunks: (string | Uint8Array)[], changed: Partial<LineRules> = {}) {
  const lines: string[] = [];
  const cutter = new LineCutter({ ...rules, ...changed }, (line) => lines.push(line));
  for (const chunk of chunks) cutter.write(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
  const before = [...lines];
  cutter.end();
  return { before, lines };
}

describe('lines', () => {
  test('are emitted when complete, the last one at the end', () => {
    expect(cut(['one\ntw', 'o\nthree'])).toEqual({ before: ['one', 'two'], lines: ['one', 'two', 'three'] });
  });

  test('any split of the bytes gives the same lines, even within a character', () => {
    const text = 'Größe: 3 µm\r\nzwölf\n—\n';
    const bytes = Buffer.from(text);
    for (const carriageReturn of ['ends-line', 'overwrites-line'] as const) {
      const whole = cut([bytes], { carriageReturn }).lines;
      expect(whole).toEqual(['Größe: 3 µm', 'zwölf', '—']);
      for (let at = 0; at <= bytes.length; at++)
        expect(cut([bytes.subarray(0, at), bytes.subarray(at)], { carriageReturn }).lines).toEqual(whole);
    }
  });

  test('a carriage return ends a line: each state of a progress bar is one', () => {
    expect(cut(['10 %\r50 %\r', '100 %\r\n\n\nDone\n']).before).toEqual(['10 %', '50 %', '100 %', 'Done']);
  });

  test('a carriage return overwrites: only the last text remains, and empty lines stay', () => {
    const { before, lines } = cut(['10 %\r50 %\r', '100 %\r\n\nDone\n4', '0 %\r60 %'], {
      carriageReturn: 'overwrites-line',
    });
    expect(before).toEqual(['100 %', '', 'Done']);
    expect(lines).toEqual(['100 %', '', 'Done', '60 %']);
  });

  test('a long line is truncated, however it arrives', () => {
    for (const carriageReturn of ['ends-line', 'overwrites-line'] as const) {
      expect(cut(['abcdefgh\nxy\n'], { carriageReturn, longest: 3 }).lines).toEqual(['abc', 'xy']);
      expect(cut(['ab', 'cd', 'ef', 'gh\nxy\n'], { carriageReturn, longest: 3 }).lines).toEqual([
        'abc',
        'xy',
      ]);
    }
  });

  test('above the byte limit only a note is emitted', () => {
    const { lines } = cut(['aaaa\n', 'bbbb\nrest', 'cccc\n', 'dddd\n'], { most: 12 });
    expect(lines).toEqual(['aaaa', 'bbbb', expect.stringMatching(/^note: /)]);
  });
});
