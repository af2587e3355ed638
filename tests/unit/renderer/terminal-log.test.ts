import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  findLines,
  hexRow,
  hexRows,
  NOTHING_FOUND,
  terminalText,
  textOfKey,
} from '../../../renderer/src/screens/node/panel/terminal-text.ts';
import { TerminalLog } from '../../../renderer/src/state/pins/terminal-log.ts';

const PLAIN = { hex: false, times: false };

function logOf(...chunks: string[]): TerminalLog {
  const log = new TerminalLog();
  for (const chunk of chunks) log.receive(chunk, 0);
  return log;
}
const linesOf = (log: TerminalLog) =>
  Array.from({ length: log.end - log.first }, (_, at) => log.line(log.first + at)?.text);

describe('the lines of a terminal', () => {
  test('received bytes are displayed as lines of text, as in a terminal', () => {
    expect(linesOf(logOf('one\r\ntwo\nthree'))).toEqual(['one', 'two', 'three']);
    expect(linesOf(logOf('50 %\r75 %'))).toEqual(['75 %']);
    expect(linesOf(logOf('cat\b\b\bdog\u0007!'))).toEqual(['dog!']);
    expect(linesOf(logOf('\u001b[1;32mgreen\u001b[0m \u001b[2Jend'))).toEqual(['green end']);
    // UTF-8, a character a byte, and what is none.
    expect(linesOf(logOf('gr\u00c3\u00bc\u00c3\u009f \u00ff'))).toEqual(['grüß \ufffd']);
  });

  test('the result does not depend on how events split the bytes', () => {
    const pieces = fc.constantFrom(
      'a',
      'ü',
      '€',
      '\n',
      '\r',
      '\b',
      '\t',
      '\u001b[1;32m',
      '\u001b[',
      '\u001bM',
      '😀',
      ' ',
    );
    fc.assert(
      fc.property(
        fc.array(pieces, { maxLength: 60 }),
        fc.infiniteStream(fc.integer({ min: 1, max: 5 })),
        (parts, sizes) => {
          const bytes = Buffer.from(parts.join('')).toString('latin1');
          const chunks: string[] = [];
          for (let at = 0; at < bytes.length; ) {
            const size = sizes.next().value ?? 1;
            chunks.push(bytes.slice(at, at + size));
            at += size;
          }
          expect(linesOf(logOf(...chunks))).toEqual(linesOf(logOf(bytes)));
        },
      ),
    );
  });

  test('local echo is marked, and each of its line endings is one line break', () => {
    const log = logOf('> ');
    log.echo('run\r\n', 5);
    log.echo('go\r', 6);
    expect(log.line(0)).toEqual({ at: 0, text: '> run', sent: [[2, 5]] });
    expect(log.line(1)).toEqual({ at: 6, text: 'go', sent: [[0, 2]] });
    expect(log.bytes.end).toBe(2);
  });

  test('clear hides all earlier text, and undo restores it with newer text', () => {
    const log = logOf('one\ntw');
    const undo = log.clear();
    expect(linesOf(log)).toEqual(['']);
    expect(hexRows(log)).toEqual({ first: 0, count: 1 });
    log.receive('three', 0);
    expect(terminalText(log, PLAIN)).toBe('three\n');
    undo();
    expect(terminalText(log, PLAIN)).toBe('one\ntw\nthree\n');
  });

  test('missing bytes are marked at their position', () => {
    const log = logOf('ab');
    log.skip(100, true);
    log.receive('cd', 0);
    expect(log.line(1)).toMatchObject({ text: 'cd', missing: 100 });
    expect([log.bytes.first, log.bytes.end]).toEqual([102, 104]);
  });

  test('memory is limited: the oldest lines and bytes are dropped', () => {
    const log = new TerminalLog();
    const part = `${'x'.repeat(99)}\n`.repeat(500);
    for (let at = 0; at < 60; at += 1) log.receive(part, 0);
    log.receive('the end', 0);
    expect(log.bytes.end).toBe(60 * 50_000 + 7);
    expect(log.bytes.end - log.bytes.first).toBeLessThanOrEqual(1.25 * 2 ** 20);
    expect(log.bytes.end - log.bytes.first).toBeGreaterThanOrEqual(2 ** 20);
    expect(log.end).toBe(30_001);
    expect(log.end - log.first).toBeLessThan(12_000);
    expect(log.line(log.end - 1)?.text).toBe('the end');
    expect(Buffer.from(log.bytes.slice(log.bytes.end - 7, log.bytes.end)).toString()).toBe('the end');
    // A line without an end is broken.
    const endless = logOf('y'.repeat(2500));
    expect(linesOf(endless).map((line) => line?.length)).toEqual([1000, 1000, 500]);
    // So are lines without characters.
    const empty = logOf('\n'.repeat(70_000));
    expect(empty.end - empty.first).toBeLessThanOrEqual(55_001);
  });
});

test('the hex view has sixteen bytes a row at their places in the line', () => {
  const log = logOf('Hello, world 123\r\n\u00ff');
  expect(terminalText(log, { hex: true, times: false })).toBe(
    '00000000  48 65 6c 6c 6f 2c 20 77  6f 72 6c 64 20 31 32 33  Hello, world 123\n' +
      `00000010  0d 0a ff ${' '.repeat(40)} ...\n`,
  );
  log.clear();
  log.receive('!', 0);
  expect(hexRows(log)).toEqual({ first: 1, count: 1 });
  expect(hexRow(log, 1)).toBe(`00000010  ${' '.repeat(9)}21 ${' '.repeat(37)}    !`);
});

test('an incremental search finds the same as a new one', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.constantFrom('a', 'b', 'A\n', '\n', 'clear', 'undo')), { maxLength: 40 }),
      (steps) => {
        const log = new TerminalLog();
        let undo = () => {};
        let found = NOTHING_FOUND;
        for (const step of steps) {
          if (step === 'clear') undo = log.clear();
          else if (step === 'undo') undo();
          else log.receive(step, 0);
          found = findLines(log, 'a', found);
          expect(found.lines).toEqual(findLines(log, 'a', NOTHING_FOUND).lines);
        }
        expect(findLines(log, '', found)).toEqual(NOTHING_FOUND);
      },
    ),
  );
});

test('keys send the bytes of a terminal; Tab, copying and browser shortcuts are not captured', () => {
  const key = (name: string, more = {}) =>
    textOfKey({ key: name, ctrlKey: false, altKey: false, metaKey: false, ...more }, '\r\n');
  expect(['a', ' ', 'ü', 'Enter', 'Backspace'].map((name) => key(name))).toEqual([
    'a',
    ' ',
    'ü',
    '\r\n',
    '\b',
  ]);
  expect([key('d', { ctrlKey: true }), key('c', { ctrlKey: true })]).toEqual(['\u0004', null]);
  expect(['Tab', 'Escape', 'ArrowLeft', 'F5'].map((name) => key(name))).toEqual([null, null, null, null]);
  expect(key('a', { metaKey: true })).toBeNull();
});
