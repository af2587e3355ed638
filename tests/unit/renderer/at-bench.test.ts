import { describe, expect, test } from 'vitest';
import { baseOf, hrefAt, memoryBelow, pageBase } from '../../../renderer/src/state/page/at-bench.ts';

const memory = () => {
  const kept = new Map<string, string>();
  return {
    kept,
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  };
};

describe('address of the page', () => {
  test.each([
    ['http://127.0.0.1:8000/', 'http://127.0.0.1:8000'],
    ['http://127.0.0.1:8000/#/node/3', 'http://127.0.0.1:8000'],
    ['https://lab/bench/?bench=hall-b#/node/3?job=1', 'https://lab/bench'],
    ['https://lab/a/b/index.html', 'https://lab/a/b'],
  ])('the service of %s is at %s', (address, base) => {
    expect(pageBase(address)).toBe(base);
    expect(baseOf('own', base)).toBe(base);
    expect(baseOf('hall-b', base)).toBe(`${base}/benches/hall-b`);
    const far = hrefAt('hall-b', { kind: 'jobs' });
    expect(new URL(far, address).href).toBe(`${base}/?bench=hall-b#/jobs`);
    expect(new URL(hrefAt('own', { kind: 'jobs' }), address).href).toBe(`${base}/#/jobs`);
  });

  test('the key is stored per path, preferences are shared; at the root the names are unchanged', () => {
    const store = memory();
    const at = (base: string) => memoryBelow(store, base);
    at('https://lab')?.setItem('wishbench.key', 'root');
    at('https://lab/bench')?.setItem('wishbench.key', 'bench');
    at('https://lab/bench')?.setItem('wishbench.preferences', 'dark');
    expect(store.kept.get('wishbench.key')).toBe('root');
    expect(at('https://lab/bench')?.getItem('wishbench.key')).toBe('bench');
    expect(at('https://lab/other')?.getItem('wishbench.key')).toBe(null);
    expect(at('https://lab/other')?.getItem('wishbench.preferences')).toBe('dark');
    expect(memoryBelow(undefined, 'https://lab/bench')).toBe(undefined);
  });
});
