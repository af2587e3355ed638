import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LogDocument, parseLine, utf8Length } from '../../../renderer/src/state/jobs/log-document.ts';

const bytes = (text: string) => new TextEncoder().encode(text).length;

describe('a line', () => {
  test('parses seconds, stage and level from its prefix', () => {
    expect(parseLine('[   1.234 synthesis] error: echo.v:12: syntax error')).toEqual({
      text: '[   1.234 synthesis] error: echo.v:12: syntax error',
      seconds: 1.234,
      stage: 'synthesis',
      level: 'error',
      body: 21,
    });
    expect(parseLine('[   0.100 scan] warning: a').level).toBe('warning');
    expect(parseLine('[   0.100 scan] note: a').level).toBe('note');
    expect(parseLine('[   0.100 scan] no error: here').level).toBe('plain');
  });

  test('without a prefix is plain text', () => {
    expect(parseLine('what')).toEqual({
      text: 'what',
      seconds: undefined,
      stage: undefined,
      level: 'plain',
      body: 0,
    });
  });
});

describe('a document', () => {
  test('counts errors and warnings, and knows when each stage began', async () => {
    const document = await LogDocument.read(
      '[ 0.000 scan] a\n[ 0.500 synthesis] warning: b\n[ 0.600 synthesis] error: c\n[ 0.7 scan] d\n',
    );
    expect(document.errors).toEqual([2]);
    expect(document.warnings).toBe(1);
    expect(document.stages).toEqual([
      { stage: 'scan', seconds: 0 },
      { stage: 'synthesis', seconds: 0.5 },
    ]);
  });

  test('an error that the last line repeats counts once', async () => {
    const document = await LogDocument.read('[ 0.0 scan] error: a\n[ 0.0 scan] error: b\n');
    document.append(document.bytes, '[ 0.1 scan] note: c\n[ 0.1 scan] error: a (and 1 more)\n');
    expect(document.errors).toEqual([0, 1]);
    expect((await LogDocument.read('[ 0.1 scan] error: a (and 1 more)\n')).errors).toEqual([0]);
  });

  test('a long log is read in chunks, split anywhere, without blocking the page', async () => {
    const lines = Array.from(
      { length: 20_000 },
      (_, n) => `[ ${n}.0 synthesis] line ${n} ü${'x'.repeat(n % 50)}`,
    );
    const text = lines.join('\r\n');
    let others = 0;
    let reading = true;
    const goOn = () => {
      others++;
      if (reading) setImmediate(goOn);
    };
    setImmediate(goOn);
    const document = await LogDocument.read(text);
    reading = false;
    expect(others).toBeGreaterThan(2);
    expect(document.bytes).toBe(bytes(text));
    document.append(document.bytes, '\n');
    expect(document.lines.map((line) => line.text)).toEqual(lines);
    expect(document.lines.at(-1)?.number).toBe(20_000);
  });

  test('appends only new text, however chunks overlap', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.string({ unit: 'grapheme' }).map((text) => text.replace(/[\r\n]/g, '')),
          { maxLength: 20 },
        ),
        fc.array(fc.tuple(fc.nat(300), fc.nat(300)), { maxLength: 20 }),
        (lines, windows) => {
          const text = lines.map((line) => `${line}\n`).join('');
          const document = new LogDocument();
          const characters = [...text];
          for (const [a, b] of windows) {
            const [from, to] = [Math.min(a, b), Math.max(a, b)];
            const offset = bytes(characters.slice(0, from).join(''));
            const part = characters.slice(from, to).join('');
            expect(document.append(offset, part)).toBe(offset <= document.bytes || offset === document.bytes);
          }
          document.append(0, text);
          document.finish();
          expect(document.lines.map((line) => line.text)).toEqual(lines);
          expect(document.bytes).toBe(bytes(text));
          expect(document.text()).toBe(text);
        },
      ),
    );
  });

  test('rejects text after a gap', () => {
    const document = new LogDocument();
    document.append(0, 'one\n');
    const before = document.version;
    expect(document.append(10, 'three\n')).toBe(false);
    expect(document.version).toBe(before);
    expect(document.lines).toHaveLength(1);
  });

  test('holds an incomplete line until more text arrives', () => {
    const document = new LogDocument();
    document.append(0, 'hal');
    expect(document.lines).toHaveLength(0);
    document.append(3, 'f\nrest');
    expect(document.lines.map(({ text }) => text)).toEqual(['half']);
    document.finish();
    expect(document.lines.map(({ text }) => text)).toEqual(['half', 'rest']);
  });
});

test('computes UTF-8 lengths as the encoder does', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      expect(utf8Length(text)).toBe(bytes(text));
    }),
  );
});
