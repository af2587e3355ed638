import { cleanup, render } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  activeShortcuts,
  keyLabels,
  listenForShortcuts,
  type Shortcut,
  useShortcuts,
} from '../../../renderer/src/components/shortcuts.ts';

let end: () => void;
beforeEach(() => {
  end = listenForShortcuts(document);
});
afterEach(() => {
  end();
  cleanup();
});

function View({ shortcuts }: { shortcuts: Shortcut[] }) {
  useShortcuts(shortcuts);
  return <input aria-label="field" />;
}

const shortcut = (keys: string, run: () => void, more: Partial<Shortcut> = {}): Shortcut => ({
  keys,
  run,
  label: keys,
  group: 'test',
  ...more,
});

const press = (key: string, init: KeyboardEventInit = {}, target: EventTarget = document.body) =>
  target.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...init }));

test('keys, sequences and chords', () => {
  const ran: string[] = [];
  render(
    <View
      shortcuts={['g b', 'g j', '/', '?', 'mod+k', 'Escape'].map((keys) =>
        shortcut(keys, () => ran.push(keys)),
      )}
    />,
  );
  press('b');
  press('g');
  press('b');
  press('g');
  press('x');
  press('j');
  press('?', { shiftKey: true });
  press('k', { ctrlKey: true });
  press('k');
  press('Escape');
  expect(ran).toEqual(['g b', '?', 'mod+k', 'Escape']);
});

test('while typing only chords marked as always work', () => {
  const plain = vi.fn();
  const chord = vi.fn();
  const { getByLabelText } = render(
    <View shortcuts={[shortcut('r', plain), shortcut('mod+k', chord, { always: true })]} />,
  );
  const field = getByLabelText('field');
  press('r', {}, field);
  press('k', { ctrlKey: true }, field);
  expect(plain).not.toHaveBeenCalled();
  expect(chord).toHaveBeenCalledTimes(1);
});

test('an inner view’s shortcuts precede the outer ones, and end with it', () => {
  const outer = vi.fn();
  const inner = vi.fn();
  render(<View shortcuts={[shortcut('Escape', outer)]} />);
  const { unmount } = render(<View shortcuts={[shortcut('Escape', inner)]} />);
  press('Escape');
  expect([outer.mock.calls.length, inner.mock.calls.length]).toEqual([0, 1]);
  expect(activeShortcuts().filter(({ keys }) => keys === 'Escape')).toHaveLength(1);
  unmount();
  press('Escape');
  expect(outer).toHaveBeenCalledTimes(1);
});

test('handled key events are ignored', () => {
  const run = vi.fn();
  render(<View shortcuts={[shortcut('x', run)]} />);
  document.body.addEventListener('keydown', (event) => event.preventDefault(), { once: true });
  press('x');
  expect(run).not.toHaveBeenCalled();
});

test('labels for people', () => {
  expect(keyLabels('g b')).toEqual(['g', 'b']);
  expect(keyLabels('mod+k')).toEqual(['Ctrl K']);
  expect(keyLabels('Escape')).toEqual(['Esc']);
});
