import net, { type AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { runCli } from '../../../support/api/run-cli.ts';
import { type Refusal, TestBench } from '../../../support/api/test-bench.ts';
import { runningTime } from '../../../support/running-time.ts';

const OFTEN = { interval: 50 };
const started: TestBench[] = [];
const start = async () => {
  const bench = await TestBench.start();
  started.push(bench);
  return bench;
};
afterEach(async () => {
  for (const bench of started.splice(0)) await bench.stop();
});

test('a bench with a self-signed certificate is verified by fingerprint and gets its configured key', async () => {
  const [a, b] = [await start(), await start()];
  const key = (await b.post<{ api_key: string }>('/auth/keys', { json: { owner: 'hall-a' } })).body.api_key;
  const opened = await b.put('/settings', {
    json: { network: { lan: true, tls: { kind: 'own' }, tls_port: 0 }, benches: { discover: false } },
  });
  expect(opened.status).toBe(200);
  const [address = ''] = b.bench.lanUrls;
  expect(address).toMatch(/^https:/);
  const know = (entry: object) =>
    a.put('/settings', { json: { benches: { known: [{ name: 'b', address, ...entry }] } } });
  const seen = async () => (await a.client().listBenches())[1];

  await know({ key, fingerprint: b.bench.fingerprint });
  await expect.poll(seen, OFTEN).toMatchObject({ state: 'live', enforcement: true, idle: 10 });
  const node = await a.get<{ fpga_id: number }>('/benches/b/fpga/3', { headers: { 'x-bench-key': key } });
  expect([node.status, node.body.fpga_id]).toEqual([200, 3]);
  // The list's key is for this bench's own status checks; callers use their own.
  expect((await a.get<Refusal>('/benches/b/fpga/3')).body.detail.error).toBe('missing_api_key');

  await know({ key: null, fingerprint: b.bench.fingerprint });
  await expect
    .poll(seen, OFTEN)
    .toMatchObject({ state: 'live', nodes: null, problem: { error: 'bench_refuses' } });
  await know({ key: 'wbk_of-another-bench', fingerprint: b.bench.fingerprint });
  await expect.poll(seen, OFTEN).toMatchObject({
    state: 'live',
    problem: { error: 'bench_refuses', message: expect.stringContaining('rejects the key') },
  });
  await know({ key, fingerprint: null });
  await expect.poll(seen, OFTEN).toMatchObject({
    state: 'dead',
    problem: { error: 'bench_not_trusted', message: expect.stringContaining('does not trust') },
  });
  await know({ key, fingerprint: '00'.repeat(32) });
  await expect.poll(seen, OFTEN).toMatchObject({
    state: 'dead',
    problem: {
      error: 'bench_not_trusted',
      message: expect.stringContaining('does not match its fingerprint'),
    },
  });
  const refused = await a.get<Refusal>('/benches/b/fpga/3', { headers: { 'x-bench-key': key } });
  expect([refused.status, refused.body.detail.error]).toEqual([502, 'bench_not_trusted']);
});

test('a silent bench with a known certificate is marked dead with its cause in time, repeatedly', async () => {
  const a = await start();
  const taken = new Set<net.Socket>();
  // As on a cut line: packets there get no answer, not even from the system.
  const silent = net.createServer((socket) => taken.add(socket.on('error', () => {}))).listen(0, '127.0.0.1');
  await new Promise((resolve) => silent.once('listening', resolve));
  const address = `https://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const ranFor = await runningTime();
  await a.bench.settings.apply({
    benches: { known: [{ name: 'b', address, fingerprint: '00'.repeat(32) }] },
  });
  await expect
    .poll(async () => (await a.client().listBenches())[1]?.problem, OFTEN)
    .toMatchObject({ error: 'bench_dead', message: 'The bench “b” does not answer in time.' });
  expect(ranFor()).toBeLessThan(5_000);
  // The next check makes a new connection: a hanging one would hide its return.
  await expect.poll(() => taken.size, OFTEN).toBeGreaterThan(1);
  for (const socket of taken) socket.destroy();
  await new Promise((resolve) => silent.close(resolve));
});

test('the command lists benches and the nodes of all, as a table and as JSON, a dead one too', async () => {
  const [a, b] = [await start(), await start()];
  await b.reserve(7, { 'x-api-key': 'ada' });
  const known = [
    { name: 'b', address: b.url },
    { name: 'gone', address: 'http://127.0.0.1:9' },
  ];
  await a.bench.settings.apply({ benches: { known } });
  await expect
    .poll(async () => (await a.client().listBenches()).slice(1), OFTEN)
    .toMatchObject([{ state: 'live' }, { state: 'dead', problem: { error: 'bench_dead' } }]);
  const cli = async (...args: string[]) => {
    const { code, stdout, stderr } = await runCli([...args, '--url', a.url]);
    expect([code, stderr]).toEqual([0, said]);
    return stdout;
  };
  const { message, remedy } = (await a.client().listBenches()).at(-1)?.problem ?? {};
  expect(message).toMatch(/^The bench “gone” does not answer: .*refuses the connection/);
  let said = `${message} ${remedy}\n`;
  const table = await cli('benches', '--all');
  said = '';
  expect(table.split('\n').map((line) => line.split(/\s{2,}/).slice(0, 3))).toEqual([
    ['own', 'live', '10/10 idle'],
    ['b', 'live', '9/10 idle'],
    ['gone', 'dead', '-'],
    [''],
  ]);
  const list = JSON.parse(await cli('benches', '--all', '--json'));
  expect(list.map(({ name, idle }: { name: string; idle: number | null }) => [name, idle])).toEqual([
    ['own', 10],
    ['b', 9],
    ['gone', null],
  ]);
  const nodes = await cli('nodes', '--all');
  expect(nodes).toMatch(/^b +7 +reserved +ada +.*design\.v$/m);
  expect(nodes).toMatch(/^gone +- +dead +.*does not answer/m);
  expect(JSON.parse(await cli('nodes', '--all', '--json'))).toHaveLength(20);
});
