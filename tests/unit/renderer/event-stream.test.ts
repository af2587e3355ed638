import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Connection } from '../../../server/contract/client/event-stream.ts';
import { FakeService, fakeBench, refusal } from '../../support/renderer/fake-service.ts';
import { job, node, reserved, tenNodes } from '../../support/renderer/fixtures.ts';

beforeEach(
  () => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'requestAnimationFrame'] }),
);
afterEach(() => void vi.useRealTimers());

const settle = (milliseconds = 300) => vi.advanceTimersByTimeAsync(milliseconds);

test('the page is live after the snapshot, and follows events', async () => {
  const { service, client } = fakeBench();
  const end = client.connect();
  await settle();
  expect(client.connection.getState().connection.kind).toBe('live');
  expect(client.nodes.getState().nodes).toHaveLength(10);
  service.send({ type: 'node', node: reserved(3, 'bob') }, { type: 'job', job: job({ fpga_id: 3 }) });
  await settle();
  expect(client.nodes.getState().nodes?.[3]?.session?.owner).toBe('bob');
  expect(client.jobs.getState().byId.size).toBe(1);
  end();
});

test('a lost connection is shown, retried at growing intervals, and restored by a new snapshot', async () => {
  const { service, client } = fakeBench();
  const seen: Connection[] = [];
  client.connection.subscribe(({ connection }) => seen.push(connection));
  const end = client.connect();
  await settle();
  // While the service is away it refuses connections.
  service.on('GET /events', () => Promise.reject(new TypeError('connection refused')));
  service.hangUp();
  await settle(100);
  expect(client.connection.getState().connection).toMatchObject({
    kind: 'waiting',
    attempt: 1,
    refused: false,
  });
  await settle(60_000);
  const waits = seen.flatMap((one) => (one.kind === 'waiting' ? [one] : []));
  expect(waits.length).toBeGreaterThan(5);
  const delays = waits.map((one, i) => one.retryAt - (waits[i - 1]?.retryAt ?? one.retryAt));
  expect(Math.max(...delays)).toBeLessThanOrEqual(10_100);
  expect(new Set(waits.map(({ since }) => since)).size).toBe(1);
  // The connection returns with another state of node 5.
  service.answers.delete('GET /events');
  service.nodes = tenNodes({ 5: { state: 'error' } });
  client.retryNow();
  await settle();
  expect(client.connection.getState().connection.kind).toBe('live');
  expect(client.nodes.getState().nodes?.[5]?.state).toBe('error');
  end();
});

test('silence of 45 s counts as a lost line', async () => {
  const { service, client } = fakeBench();
  const end = client.connect();
  await settle();
  await settle(40_000);
  service.send({ type: 'heartbeat', time: '' });
  await settle(40_000);
  expect(client.connection.getState().connection.kind).toBe('live');
  const opened = service.asked.filter(({ path }) => path === '/events').length;
  await settle(10_000);
  expect(service.asked.filter(({ path }) => path === '/events').length).toBe(opened + 1);
  end();
});

test.each([
  [401, 'missing_api_key'],
  [403, 'not_a_member'],
])('a service that refuses with %i %s is distinguished from one that is unreachable', async (code, error) => {
  const service = new FakeService();
  service.on('GET /events', refusal(code, error, 'This request needs an API key.'));
  const { client } = fakeBench(service);
  const end = client.connect();
  await settle(100);
  expect(client.connection.getState().connection).toMatchObject({ kind: 'waiting', refused: true });
  service.answers.delete('GET /events');
  client.identity.setState({ signedIn: { apiKey: 'wb_key', username: 'alice', minted: true, kept: false } });
  client.reconnect();
  await settle(1000);
  expect(client.connection.getState().connection.kind).toBe('live');
  expect(service.asked.at(-1)?.headers['x-api-key']).toBe('wb_key');
  end();
});

test('sends no request after disconnecting', async () => {
  const { service, client } = fakeBench();
  const end = client.connect();
  await settle();
  end();
  const { length } = service.asked;
  await settle(60_000);
  expect(service.asked).toHaveLength(length);
});

test('names with other letters than ASCII travel as UTF-8', async () => {
  const { service, client } = fakeBench();
  client.preferences.setState({ name: 'Jürgen 春' });
  // Not before the page knows that keys are not enforced: otherwise the service would take it for a wrong key.
  await client.refreshStatus();
  expect(service.asked.at(-1)?.headers['x-api-key']).toBe(undefined);
  await client.service.getStatus();
  const sent = service.asked.at(-1)?.headers['x-api-key'] ?? '';
  expect(new TextDecoder().decode(Uint8Array.from(sent, (c) => c.charCodeAt(0)))).toBe('Jürgen 春');
  expect(client.owner).toBe('Jürgen 春');
});

test('broken events are skipped', async () => {
  const { service, client } = fakeBench();
  const end = client.connect();
  await settle();
  service.send('not an event' as never, { type: 'node', node: node(0, { state: 'queued' }) });
  await settle();
  expect(client.nodes.getState().nodes?.[0]?.state).toBe('queued');
  end();
});
