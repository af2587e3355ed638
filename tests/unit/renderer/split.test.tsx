import { fireEvent, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { Split } from '../../../renderer/src/components/Split.tsx';
import { Toasts } from '../../../renderer/src/components/Toasts.tsx';
import { offerUndo } from '../../../renderer/src/state/page/toasts.ts';
import { show } from '../../support/renderer/render.tsx';

const split = (sized: 'first' | 'second') => (
  <Split
    id="test"
    label="Width of the list"
    sized={sized}
    initial={300}
    min={200}
    max={400}
    first={<p>list</p>}
    second={<p>rest</p>}
  />
);
const border = () => screen.getByRole('separator', { name: 'Width of the list' });
const width = () => Number(border().getAttribute('aria-valuenow'));

test('the border moves by keys, within its limits, and back', async () => {
  const { client } = await show(split('first'));
  fireEvent.keyDown(border(), { key: 'ArrowRight' });
  expect(width()).toBe(316);
  fireEvent.keyDown(border(), { key: 'End' });
  fireEvent.keyDown(border(), { key: 'ArrowRight' });
  expect(width()).toBe(400);
  fireEvent.keyDown(border(), { key: 'Home' });
  expect(width()).toBe(200);
  expect(client.preferences.getState().widths).toEqual({ test: 200 });
  fireEvent.keyDown(border(), { key: 'Enter' });
  expect(width()).toBe(300);
  expect(client.preferences.getState().widths).toEqual({});
});

test('to the right makes the second pane narrower', async () => {
  await show(split('second'));
  fireEvent.keyDown(border(), { key: 'ArrowRight' });
  expect(width()).toBe(284);
});

test('an invalid stored width is limited to the allowed range', async () => {
  const { client } = await show(split('first'));
  client.preferences.setState({ widths: { test: 9999 } });
  expect((await screen.findByRole('separator')).getAttribute('aria-valuenow')).toBe('400');
});

test('an undo is offered for ten seconds', async () => {
  const { client } = await show(<Toasts />);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const undo = vi.fn();
    offerUndo(client.toasts, '5 transactions cleared.', undo);
    await vi.advanceTimersByTimeAsync(9000);
    fireEvent.click(screen.getByRole('button', { name: 'Undo' }));
    expect(undo).toHaveBeenCalledOnce();
    expect(client.toasts.getState().toasts).toEqual([]);
    offerUndo(client.toasts, '5 transactions cleared.', undo);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(client.toasts.getState().toasts).toEqual([]);
  } finally {
    vi.useRealTimers();
  }
});
