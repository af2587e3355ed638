import { act, render, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { useRows } from '../../../renderer/src/components/use-rows.ts';

const ROW = 20;
const HEIGHT = 200;

/** Gives the scrolling element the sizes that a browser would give it. */
function sized(element: HTMLElement | null): void {
  if (!element || 'sized' in element.dataset) return;
  element.dataset['sized'] = '';
  let top = 0;
  const heightOf = () =>
    Math.max(HEIGHT, Number.parseFloat((element.firstChild as HTMLElement).style.height));
  Object.defineProperties(element, {
    clientHeight: { get: () => HEIGHT },
    scrollHeight: { get: heightOf },
    scrollTop: {
      get: () => top,
      set: (to: number) => {
        top = Math.max(0, Math.min(to, heightOf() - HEIGHT));
      },
    },
  });
}

let rows: ReturnType<typeof useRows>;
const turns: boolean[] = [];

/** The same function in every render, as an element needs it. */
function take(element: HTMLElement | null): void {
  sized(element);
  rows.ref(element);
}

function List({ count, follow }: { count: number; follow: boolean }) {
  rows = useRows({ count, row: ROW, beyond: 3, follow, onFollow: (turn) => turns.push(turn) });
  return (
    <div data-testid="list" ref={take}>
      <div style={rows.style}>
        {rows.drawn.map((index) => (
          <p key={index}>{index}</p>
        ))}
      </div>
    </div>
  );
}

const ends = () => [rows.drawn[0], rows.drawn.at(-1)];

const scrollTo = (top: number) =>
  act(() => {
    const list = screen.getByTestId('list');
    list.scrollTop = top;
    list.dispatchEvent(new Event('scroll'));
  });

test('a long list draws what is in sight and a few rows more, wherever it is scrolled', async () => {
  const { unmount } = render(<List count={1000} follow={false} />);
  expect(ends()).toEqual([0, 13]);
  await scrollTo(5000);
  expect(ends()).toEqual([247, 263]);
  expect(rows.style).toMatchObject({ height: 1000 * ROW, paddingTop: 247 * ROW });
  await scrollTo(1000 * ROW);
  expect(ends()).toEqual([986, 999]);
  expect(turns.splice(0)).toEqual([true]);
  act(() => rows.show(500, 'middle'));
  expect(screen.getByTestId('list').scrollTop).toBe(500 * ROW - (HEIGHT - ROW) / 2);
  act(() => rows.show(506, 'nearest'));
  expect(screen.getByTestId('list').scrollTop).toBe(507 * ROW - HEIGHT);
  act(() => rows.show(100, 'nearest'));
  expect(screen.getByTestId('list').scrollTop).toBe(100 * ROW);
  unmount();
});

test('a list that follows draws its end at once, and says when a person leaves the end and returns', async () => {
  const { rerender, unmount } = render(<List count={100} follow />);
  expect(ends()).toEqual([86, 99]);
  rerender(<List count={200} follow />);
  expect(ends()).toEqual([186, 199]);
  expect(screen.getByTestId('list').scrollTop).toBe(200 * ROW - HEIGHT);
  await scrollTo(200 * ROW);
  expect(turns.splice(0)).toEqual([]);
  await scrollTo(1000);
  expect(turns.splice(0)).toEqual([false]);
  rerender(<List count={300} follow={false} />);
  expect(ends()).toEqual([47, 63]);
  expect(screen.getByTestId('list').scrollTop).toBe(1000);
  await scrollTo(300 * ROW);
  expect(turns.splice(0)).toEqual([true]);
  unmount();
});
