import { act, render, screen } from '@testing-library/react';
import { Profiler } from 'react';
import { expect, test, vi } from 'vitest';
import { Elapsed } from '../../../renderer/src/components/Time.tsx';

/** The renders in the ten seconds after the first, and the text after them, of a time that began before `ago` seconds. */
async function tenSeconds(ago: number): Promise<[renders: number, text: string | null]> {
  vi.useFakeTimers();
  try {
    let renders = 0;
    const { unmount } = render(
      <Profiler id="time" onRender={() => (renders += 1)}>
        <output>
          <Elapsed from={new Date(Date.now() - 1000 * ago).toISOString()} />
        </output>
      </Profiler>,
    );
    renders = 0;
    for (let passed = 0; passed < 10_000; passed += 100) await act(() => vi.advanceTimersByTimeAsync(100));
    const { textContent } = screen.getByRole('status');
    unmount();
    return [renders, textContent];
  } finally {
    vi.useRealTimers();
  }
}

test('a growing time is drawn as often as its text changes', async () => {
  expect(await tenSeconds(5)).toEqual([100, '15.0 s']);
  expect(await tenSeconds(120)).toEqual([10, '2 m 10 s']);
  const [renders, text] = await tenSeconds(55);
  expect(text).toBe('1 m 05 s');
  expect(renders).toBeLessThan(60);
});
