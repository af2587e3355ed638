import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { useState } from 'react';
import { expect, test, vi } from 'vitest';
import { type QueryOptions, useQuery } from '../../../renderer/src/state/client/query.ts';
import { FakeService, refusal } from '../../support/renderer/fake-service.ts';
import { show } from '../../support/renderer/render.tsx';

/** Shows the source of a job, which a test can change. */
function Source({ options }: { options?: QueryOptions }) {
  const [job, setJob] = useState<string | undefined>('a');
  const { data, error, busy, reload, put } = useQuery(
    job === undefined ? undefined : ['source', job],
    (service, signal, [, job_id]) => service.getSource({ fpga_id: 0, job_id }, { signal }),
    options,
  );
  return (
    <>
      <output>
        {data === undefined ? 'nothing' : new TextDecoder().decode(data)}
        {error !== undefined && ` ${String(error)}`}
        {busy && ' busy'}
      </output>
      {['a', 'b'].map((name) => (
        <button key={name} type="button" onClick={() => setJob(name)}>
          {name}
        </button>
      ))}
      <button type="button" onClick={() => setJob(undefined)}>
        none
      </button>
      <button type="button" onClick={reload}>
        reload
      </button>
      <button type="button" onClick={() => put(new TextEncoder().encode('put'))}>
        put
      </button>
    </>
  );
}

const shown = () => screen.getByRole('status').textContent;
const press = (name: string) => fireEvent.click(screen.getByRole('button', { name }));

/** Answers that come on request. */
function heldService() {
  const service = new FakeService();
  const held: { job: string; answer(text: string): void }[] = [];
  for (const job of ['a', 'b'])
    service.on(
      `GET /fpga/0/jobs/${job}/source`,
      () => new Promise((resolve) => held.push({ job, answer: (text) => resolve(new Response(text)) })),
    );
  return { service, held };
}

test('a response to another query is never shown, in any order of responses', async () => {
  const { service, held } = heldService();
  await show(<Source />, service);
  press('b');
  await waitFor(() => expect(held).toHaveLength(2));
  held[1]?.answer('source of b');
  await waitFor(() => expect(shown()).toBe('source of b'));
  held[0]?.answer('source of a');
  await new Promise((resolve) => setTimeout(resolve));
  expect(shown()).toBe('source of b');
  press('a');
  expect(shown()).toBe('nothing busy');
  press('none');
  expect(shown()).toBe('nothing');
});

test('the previous response can stay until the new one arrives', async () => {
  const { service, held } = heldService();
  await show(<Source options={{ keep: true }} />, service);
  held[0]?.answer('source of a');
  await waitFor(() => expect(shown()).toBe('source of a'));
  press('b');
  expect(shown()).toBe('source of a busy');
  await waitFor(() => expect(held).toHaveLength(2));
  held[1]?.answer('source of b');
  await waitFor(() => expect(shown()).toBe('source of b'));
});

test('a refusal leaves the last response, and retrying clears the refusal', async () => {
  const service = new FakeService().on('GET /fpga/0/jobs/a/source', () => new Response('one'));
  await show(<Source />, service);
  await waitFor(() => expect(shown()).toBe('one'));
  service.on('GET /fpga/0/jobs/a/source', refusal(503, 'store_unavailable', 'The store is away.'));
  press('reload');
  await waitFor(() => expect(shown()).toBe('one ServiceError: The store is away.'));
  service.on('GET /fpga/0/jobs/a/source', () => new Response('two'));
  press('reload');
  await waitFor(() => expect(shown()).toBe('two'));
  press('put');
  expect(shown()).toBe('put');
});

test('data without events is fetched again after a lost connection', async () => {
  let asked = 0;
  const service = new FakeService().on('GET /fpga/0/jobs/a/source', () => {
    asked += 1;
    return new Response(`answer ${asked}`);
  });
  const { client } = await show(<Source options={{ live: true }} />, service);
  await waitFor(() => expect(shown()).toMatch(/^answer \d$/));
  const before = asked;
  service.hangUp();
  await waitFor(() => expect(client.connection.getState().connection.kind).toBe('waiting'));
  client.retryNow();
  await waitFor(() => expect(client.connection.getState().connection.kind).toBe('live'));
  await waitFor(() => expect(asked).toBeGreaterThan(before));
  await waitFor(() => expect(shown()).toBe(`answer ${asked}`));
});

test('a response requested before a local update is discarded', async () => {
  const { service, held } = heldService();
  await show(<Source />, service);
  await waitFor(() => expect(held).toHaveLength(1));
  press('put');
  expect(shown()).toBe('put');
  held[0]?.answer('source of a');
  await new Promise((resolve) => setTimeout(resolve));
  expect(shown()).toBe('put');
  press('reload');
  await waitFor(() => expect(held).toHaveLength(2));
  held[1]?.answer('anew');
  await waitFor(() => expect(shown()).toBe('anew'));
});

test('a hidden page asks for nothing at intervals, and again when it is seen', async () => {
  let asked = 0;
  const service = new FakeService().on('GET /fpga/0/jobs/a/source', () => new Response(`answer ${++asked}`));
  await show(<Source options={{ every: 1000 }} />, service);
  await waitFor(() => expect(shown()).toBe('answer 1'));
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const seen = vi.spyOn(document, 'visibilityState', 'get');
  try {
    const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
    press('reload');
    await pass(2500);
    expect(asked).toBe(4);
    seen.mockReturnValue('hidden');
    await pass(60_000);
    expect(asked).toBe(4);
    seen.mockReturnValue('visible');
    fireEvent(document, new Event('visibilitychange'));
    await pass(1500);
    expect(asked).toBe(6);
  } finally {
    seen.mockRestore();
    vi.useRealTimers();
  }
});
