import { expect, test } from 'vitest';
import { lazyComponent, preloadLazyComponents } from '../../../renderer/src/components/lazy-component.tsx';
import { BenchClient } from '../../../renderer/src/state/client/bench-client.ts';

const turns = () => new Promise((resolve) => setTimeout(resolve, 30));

test('deferred components load after a pending response has arrived, the first ones first', async () => {
  globalThis.requestIdleCallback = ((call: () => void) => setTimeout(call)) as never;
  const loaded: string[] = [];
  const part = (name: string) => async () => {
    loaded.push(name);
    return { default: () => null };
  };
  let send: (text: string) => void = () => {};
  const log = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      send = (text) => {
        controller.enqueue(new TextEncoder().encode(text));
        controller.close();
      };
    },
  });
  const client = new BenchClient({ fetch: async () => new Response(log) });
  // The head is there at once, the text later.
  const answer = client.service.getJobLog({ fpga_id: 0, job_id: 'one' });
  await turns();
  lazyComponent(part('a'));
  lazyComponent(part('b'), { first: true });
  preloadLazyComponents(true);
  await turns();
  expect(loaded).toEqual([]);
  send('the log');
  expect(new TextDecoder().decode(await answer)).toBe('the log');
  await expect.poll(() => loaded).toEqual(['b', 'a']);
});

test('an open stream delays no deferred component', async () => {
  const loaded: string[] = [];
  const client = new BenchClient({ fetch: async () => new Response(new ReadableStream({})) });
  await client.service.streamEvents();
  lazyComponent(async () => {
    loaded.push('c');
    return { default: () => null };
  });
  await expect.poll(() => loaded).toEqual(['c']);
});

test('deferred components wait while the service is unavailable, and load once it returns', async () => {
  const loaded: string[] = [];
  const part = (name: string) => async () => {
    loaded.push(name);
    preloadLazyComponents(false);
    return { default: () => null };
  };
  preloadLazyComponents(true);
  lazyComponent(part('d'));
  lazyComponent(part('e'));
  await expect.poll(() => loaded).toEqual(['d']);
  preloadLazyComponents(true);
  await expect.poll(() => loaded).toEqual(['d', 'e']);
});
