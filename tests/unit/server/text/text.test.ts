import { expect, test } from 'vitest';
import { plural, withMarks, withoutControls } from '../../../../server/text.ts';

test('C1 controls and bidirectional overrides are written out, in logs and in names', () => {
  expect(withMarks('a\u202eb\u2066c\u0085d\u200fe\u061cf')).toBe(
    'a[U+202E]b[U+2066]c[U+0085]d[U+200F]e[U+061C]f',
  );
  expect(withoutControls('\u009b31mred\u202e')).toBe('[U+009B]31mred[U+202E]');
});

test('removes terminal control codes and leaves ordinary text', () => {
  expect(withoutControls('\u001b[31mred\u001b[0m\u0007 \tgrün – 100 % 漢字')).toBe('red \tgrün – 100 % 漢字');
});

test('one uses the singular, none and many the plural', () => {
  const said = [0, 1, 2].map((count) => plural(count, 'build waits', 'builds wait'));
  expect(said).toEqual(['0 builds wait', '1 build waits', '2 builds wait']);
  expect([plural(1, 'slot'), plural(3, 'slot')]).toEqual(['1 slot', '3 slots']);
});
