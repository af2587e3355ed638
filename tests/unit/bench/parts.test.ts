import { expect, test } from 'vitest';
import { atMost } from '../../bench/figure.ts';
import { measureParts, type Part } from '../../bench/parts.ts';

/** A browser whose end ends what waits for it. */
class Waited {
  #end = () => {};
  readonly ended = new Promise<never>((_, reject) => {
    this.#end = () => reject(new Error('the browser was closed'));
  });
  closed = 0;

  close = async () => {
    this.closed += 1;
    this.#end();
  };
}

const figure = atMost('time', 1, 'ms', 2);
const PARTS: Part<Waited, string>[] = [
  ['first', 10, async (_, on) => [{ ...figure, name: on }]],
  ['endless', 0.05, ({ ended }) => ended],
  [
    'broken',
    10,
    async () => {
      throw new Error('no button\nCall log:');
    },
  ],
  ['last', 10, async () => [figure]],
];

test('a part that hangs or fails misses its target; its browser is closed and the others continue', async () => {
  const browsers: Waited[] = [];
  const figures = await measureParts(PARTS, 'bench', 60, async () => {
    const browser = new Waited();
    browser.ended.catch(() => {});
    browsers.push(browser);
    return browser;
  });
  expect(figures.map(({ name, met }) => [name, met])).toEqual([
    ['bench', true],
    ['endless: not measured, it took longer than 0 s', false],
    ['broken: not measured, no button', false],
    ['time', true],
  ]);
  expect(browsers.map(({ closed }) => closed)).toEqual([1, 1, 1, 1]);
});

test('all parts share a time limit: those too late are reported as not measured', async () => {
  const figures = await measureParts(PARTS, 'bench', 0, async () => new Waited());
  expect(figures.map(({ name }) => name)).toEqual(
    ['first', 'endless', 'broken', 'last'].map((name) => `${name}: not measured, 0 s were over`),
  );
});
