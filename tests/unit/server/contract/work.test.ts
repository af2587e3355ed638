import { expect, test } from 'vitest';
import { createClient } from '../../../../server/contract/client/client.ts';
import { handedOn, parseForwardedAddress } from '../../../../server/contract/client/forwarded-address.ts';
import { TransactionLine } from '../../../../server/contract/client/transaction-line.ts';
import { completed, failureOf, placed, transact } from '../../../../server/contract/client/work.ts';
import type { Job } from '../../../../server/contract/jobs/jobs.ts';
import { fakeFetch, refusedAs } from '../../../support/fake-fetch.ts';
import { FakeSockets } from '../../../support/fake-socket.ts';
import { job } from '../../../support/renderer/fixtures.ts';

function clientOf(answers: Parameters<typeof fakeFetch>[0]) {
  const { fetch, requests } = fakeFetch(answers);
  return { client: createClient({ base: 'http://bench', fetch }), requests };
}

const ID = '7b0e1a52-6f1f-4a57-9d0c-3b1c6a7d2e10';
const JOB = `GET /fpga/2/jobs/${ID}`;
const run = (change: Partial<Job> = {}) => job({ job_id: ID, fpga_id: 2, type: 'run', ...change });
const failure = { error: 'syntax_error', message: 'Line 3 is wrong', remedy: 'Mend it.' };
const lines = Array.from({ length: 30 }, (_, n) => `line ${n}`);

test('a failed job says why and what to do, with the end of its log unless that was shown', async () => {
  const { client } = clientOf({ [`${JOB}/logs`]: new Response(`${lines.join('\n')}\n\n`) });
  const failed = run({ status: 'failed', failure });
  const error = await failureOf(client, failed);
  expect(error).toMatchObject({
    code: 'syntax_error',
    sentence: 'The job failed: Line 3 is wrong. Mend it.',
  });
  expect(error?.logTail).toEqual(lines.slice(-25));
  expect(error?.message).toBe([error?.sentence, ...lines.slice(-25).map((line) => `  ${line}`)].join('\n'));
  const shown = await failureOf(client, failed, { logShown: true });
  expect([shown?.logTail, shown?.message]).toEqual([[], error?.sentence]);
});

test('a failed job without a reason or a log is still a failure; a cancelled one is named so', async () => {
  const { client } = clientOf({});
  expect(await failureOf(client, run({ status: 'failed' }))).toMatchObject({
    code: 'job_failed',
    message: 'The job failed: see its log.',
  });
  const cancelled = await failureOf(client, run({ status: 'cancelled' }));
  expect(cancelled).toMatchObject({ code: 'job_cancelled', message: 'The job was cancelled.' });
  expect(await failureOf(client, run())).toBeNull();
});

test('a job for any node is awaited until it has one', async () => {
  const waiting = { ...run({ status: 'queued' }), fpga_id: null };
  const { client, requests } = clientOf({ [`GET /jobs/${ID}`]: [waiting, run({ status: 'running' })] });
  expect(await placed(client, { fpga_id: null, job_id: ID })).toEqual({ fpga_id: 2, job_id: ID });
  expect(requests.map(({ path }) => path)).toEqual(Array(2).fill(`/jobs/${ID}?wait=30`));
  expect(await placed(client, { fpga_id: 5, job_id: ID })).toEqual({ fpga_id: 5, job_id: ID });
  expect(requests).toHaveLength(2);
});

test.each([
  ['failed', {}, 'job_failed', 'The job failed before it had a node.'],
  ['cancelled', {}, 'job_cancelled', 'The job was cancelled before it had a node.'],
  ['running', { bench: { name: 'lab', address: 'http://lab' } }, 'job_elsewhere', 'It is running there'],
] as const)('a job that is %s without a node has none to wait for', async (status, more, code, message) => {
  const { client } = clientOf({ [`GET /jobs/${ID}`]: { ...run({ status }), fpga_id: null, ...more } });
  const waits = completed(client, { fpga_id: null, job_id: ID });
  await expect(waits).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
});

test('a run that ends at once answers with its words; a longer one with its job', async () => {
  const body = { op: 2, address: 16, count: 1 } as const;
  const quick = clientOf({ 'POST /fpga/2/run': { ok: true, data: [7] } });
  expect(await transact(quick.client, 2, body)).toEqual([7]);
  const [asked] = quick.requests;
  expect(asked).toMatchObject({ path: '/fpga/2/run?wait=20', body: JSON.stringify(body) });
  const slow = clientOf({
    'POST /fpga/2/run': { job_id: ID, status: 'queued' },
    [`${JOB}/details`]: [run({ status: 'running' }), run()],
    [`${JOB}/result`]: { ok: true, data: [8] },
  });
  expect(await transact(slow.client, 2, body, { headers: { 'x-session-id': 's' } })).toEqual([8]);
  for (const { headers } of slow.requests) expect(headers['x-session-id']).toBe('s');
});

test('a run without an acknowledge rejects with the text of its log, or without one where that is lost', async () => {
  const notAcknowledged = Response.json({ ok: false, data: [] }, { headers: { 'x-job-id': ID } });
  const answers = {
    'POST /fpga/2/run': notAcknowledged,
    [`${JOB}/details`]: run(),
    [`${JOB}/result`]: { ok: false, data: [] },
  };
  const log = '[transfer] read 1 word\n[transfer] error: no acknowledge at 0x10\n[transfer] end\n';
  const body = { op: 2, address: 16 } as const;
  const { client } = clientOf({ ...answers, [`${JOB}/logs`]: new Response(log) });
  await expect(transact(client, 2, body)).rejects.toMatchObject({
    code: 'no_acknowledge',
    sentence: 'No acknowledge at 0x10.',
    logTail: log.trimEnd().split('\n'),
  });
  await expect(transact(clientOf(answers).client, 2, body)).rejects.toMatchObject({
    message: 'The design did not acknowledge.',
  });
  const failed = { ...answers, [`${JOB}/details`]: run({ status: 'failed', failure }) };
  await expect(transact(clientOf(failed).client, 2, body)).rejects.toMatchObject({ code: 'syntax_error' });
});

test('a log that is answered without a body is empty', async () => {
  const { client } = clientOf({ [`${JOB}/logs`]: new Response(null) });
  const chunks: Uint8Array[] = [];
  for await (const chunk of client.followLog({ fpga_id: 2, job_id: ID })) chunks.push(chunk);
  expect(chunks).toEqual([]);
  expect(await client.getJobLog({ fpga_id: 2, job_id: ID })).toEqual(new Uint8Array());
});

/** A line whose runs answer with 7 and whose streams with 8. */
function lineTo(stream: unknown, WebSocket?: FakeSockets['WebSocket']) {
  const { client, requests } = clientOf({
    'POST /fpga/2/run': { ok: true, data: [7] },
    'GET /fpga/2/stream': stream,
  });
  const runs = () =>
    requests.flatMap(({ method, body }) => (method === 'POST' ? [JSON.parse(String(body))] : []));
  return { line: new TransactionLine(client, 2, WebSocket), runs };
}

test('words go over one stream, except a write of some bytes; a lost stream is opened again', async () => {
  const sockets = new FakeSockets();
  sockets.answer = () => ({ ok: true, data: [8] });
  const { line, runs } = lineTo(undefined, sockets.WebSocket);
  expect(await Promise.all([line.read(0, 1, false), line.read(4, 1, true)])).toEqual([[8], [8]]);
  await line.write(0, [1], false);
  await line.write(0, [1], false, 3);
  expect(runs()).toEqual([{ op: 1, address: 0, data: [1], select: 3 }]);
  expect(sockets.all).toHaveLength(1);
  const stream = await line.stream();
  sockets.last.end(1006);
  await stream?.closed;
  expect(await line.read(0, 1, false)).toEqual([8]);
  expect(sockets.all).toHaveLength(2);
  line.close();
  expect(await line.read(0, 1, false)).toEqual([7]);
});

test.each([
  ['the runtime', undefined, undefined],
  ['the service', refusedAs(404, 'not_found', 'No stream.'), new FakeSockets()],
  ['a proxy', refusedAs(426, 'upgrade_required', 'No.'), new FakeSockets()],
])('where %s has no stream, words go as runs', async (_who, answer, sockets) => {
  if (sockets) sockets.begin = 'fail';
  const { line, runs } = lineTo(answer, sockets?.WebSocket);
  expect(await line.read(16, 2, true)).toEqual([7]);
  await line.write(8, [1, 2], false);
  expect(runs()).toEqual([
    { op: 2, address: 16, count: 2, fixed_address: true },
    { op: 1, address: 8, data: [1, 2], fixed_address: false },
  ]);
  expect(await line.stream()).toBeNull();
  line.close();
});

test('a refusal or a service that is down fails the transaction, and the next one tries again', async () => {
  for (const answer of [refusedAs(409, 'fpga_not_reserved', 'Idle.'), new TypeError('fetch failed')]) {
    const sockets = new FakeSockets();
    sockets.answer = () => ({ ok: true, data: [8] });
    sockets.begin = 'fail';
    const { line, runs } = lineTo(answer, sockets.WebSocket);
    await expect(line.read(0, 1, false)).rejects.toThrow();
    sockets.begin = 'open';
    expect(await line.read(0, 1, false)).toEqual([8]);
    expect(runs()).toEqual([]);
  }
});

test('an address through a bench has that bench and a name there; other addresses have neither', () => {
  expect(parseForwardedAddress('http://a:1/x/benches/lab/')).toEqual({
    through: 'http://a:1/x',
    name: 'lab',
  });
  for (const address of ['http://a:1', 'http://a/benches/', 'http://a/benches/lab/fpga'])
    expect(parseForwardedAddress(address)).toBeNull();
});

test('a name may be forwarded to another bench, a key may not', () => {
  expect(handedOn('alice', 'login')).toBe('alice');
  for (const key of ['wbk_secret', 'wbi_secret']) expect(handedOn(key, 'login')).toBe('login');
  expect(handedOn(undefined, 'login')).toBeUndefined();
});
