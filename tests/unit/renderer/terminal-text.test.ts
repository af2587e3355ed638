import { expect, test } from 'vitest';
import { bytesOfKey, terminalText } from '../../../renderer/src/screens/node/panel/terminal-text.ts';

test('what came over the line is lines of text, as a terminal shows them', () => {
  expect(terminalText('one\r\ntwo\nthree')).toBe('one\ntwo\nthree');
  expect(terminalText('50 %\r75 %')).toBe('75 %');
  expect(terminalText('cat\b\b\bdog\u0007!')).toBe('dog!');
  expect(terminalText('\u001b[1;32mgreen\u001b[0m \u001b[2Jend')).toBe('green end');
  // UTF-8, a character a byte, and what is none.
  expect(terminalText('gr\u00c3\u00bc\u00c3\u009f \u00ff')).toBe('grüß \ufffd');
});

test('keys send what terminals send; Tab, copying and shortcuts of the browser stay', () => {
  const key = (name: string, more = {}) =>
    bytesOfKey({ key: name, ctrlKey: false, altKey: false, metaKey: false, ...more });
  expect(['a', ' ', 'ü', 'Enter', 'Backspace'].map((name) => key(name))).toEqual(['a', ' ', 'ü', '\r', '\b']);
  expect([key('d', { ctrlKey: true }), key('c', { ctrlKey: true })]).toEqual(['\u0004', null]);
  expect(['Tab', 'Escape', 'ArrowLeft', 'F5'].map((name) => key(name))).toEqual([null, null, null, null]);
  expect(key('a', { metaKey: true })).toBeNull();
});
