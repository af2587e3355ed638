import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AuditPage } from '../../../../server/contract/bench/audit.ts';
import type { Job } from '../../../../server/contract/jobs/jobs.ts';
import { SOURCE, TestBench } from '../../../support/api/test-bench.ts';

let bench: TestBench;
beforeAll(async () => {
  bench = await TestBench.start({ operatorToken: 'the-operator' });
});
afterAll(() => bench.stop());

const operator = { headers: { 'x-operator-token': 'the-operator' } };
const audit = async (query = ''): Promise<AuditPage> =>
  (await bench.get<AuditPage>(`/audit${query}`, operator)).body;

describe('audit records of requests', () => {
  test('the caller that cancelled a queued build is in the trail, the job and its log', async () => {
    const full = await TestBench.start({ fakeToolchain: { slots: 0 } });
    try {
      const { body } = await full.submit(1, undefined, {}, { 'x-api-key': 'course-3' });
      const route = `/fpga/1/jobs/${body.job_id}`;
      expect((await full.delete(route, { headers: { 'x-api-key': 'lab-1' } })).status).toBe(204);
      const details = await full.get<Job>(`${route}/details`);
      expect(details.body).toMatchObject({ owner: 'course-3', status: 'cancelled', cancelled_by: 'lab-1' });
      expect((await full.get(`${route}/logs`)).body).toContain('cancelled by lab-1 before it started');
      const [entry] = (await full.get<AuditPage>('/audit?action=cancel')).body.entries;
      expect(entry).toMatchObject({ owner: 'lab-1', done: true, details: { job_owner: 'course-3' } });
    } finally {
      await full.stop();
    }
  });

  test('submit, run, release and cancel, with what they were about and never a word of data', async () => {
    await bench.reserve(2, { 'x-api-key': 'lab-1' });
    await bench.run(2, { op: 1, address: 16, data: [0xdeadbeef, 1, 2] }, { 'x-api-key': 'lab-1' });
    await bench.run(2, { op: 2, address: 4, count: 2 }, { 'x-api-key': 'ci' });
    const { body } = await bench.post<{ job_id: string }>('/fpga/2/session/release', {
      headers: { 'x-api-key': 'lab-1' },
    });
    await bench.ended(2, body.job_id);
    await bench.delete(`/fpga/2/jobs/${body.job_id}`, { headers: { 'x-api-key': 'lab-1' } });
    const { entries } = await audit('?fpga_id=2');
    expect(
      entries.map(({ action, owner, done, code, details }) => ({ action, owner, done, code, details })),
    ).toEqual([
      {
        action: 'cancel',
        owner: 'lab-1',
        done: false,
        code: 'job_not_cancellable',
        details: { job_owner: 'lab-1', route: '/fpga/:fpga_id/jobs/:job_id' },
      },
      { action: 'release', owner: 'lab-1', done: true, code: null, details: {} },
      {
        action: 'run',
        owner: 'ci',
        done: true,
        code: null,
        details: { op: 'read', first: '0x00000004', last: '0x00000008', words: 2 },
      },
      {
        action: 'run',
        owner: 'lab-1',
        done: true,
        code: null,
        details: { op: 'write', first: '0x00000010', last: '0x00000018', words: 3 },
      },
      {
        action: 'submit',
        owner: 'lab-1',
        done: true,
        code: null,
        details: { filename: 'design.v', bytes: SOURCE.length },
      },
    ]);
    expect(entries[1]?.job_id).toBe(body.job_id);
    expect(JSON.stringify(entries)).not.toContain(String(0xdeadbeef));
  });

  test('records settings by name without values, and refused requests with their code', async () => {
    await bench.put('/settings', {
      ...operator,
      json: { network: { allowed_hosts: ['secret-lab.example'] }, sessions: { ttl_seconds: 100 } },
    });
    await bench.put('/settings', { json: { sessions: { ttl_seconds: 200 } } });
    await bench.put('/boards/3', { ...operator, json: { board: 'usb:ib001' } });
    const { entries } = await audit('?action=settings,board');
    expect(entries.map(({ done, code, operator: by, details }) => ({ done, code, by, details }))).toEqual([
      { done: true, code: null, by: true, details: { board: 'usb:ib001' } },
      { done: false, code: 'operator_only', by: false, details: { route: '/settings' } },
      {
        done: true,
        code: null,
        by: true,
        details: { fields: 'network.allowed_hosts, sessions.ttl_seconds' },
      },
    ]);
    expect(JSON.stringify(entries)).not.toContain('secret-lab');
  });

  test('repeated invalid operator tokens share one entry with a count, without the tokens', async () => {
    for (let i = 0; i < 30; i += 1)
      await bench.get('/fpga', { headers: { 'x-operator-token': `guess-${i}` } });
    const { entries } = await audit('?action=request&done=0');
    expect(entries.map(({ code, times }) => ({ code, times }))).toEqual([
      { code: 'invalid_operator_token', times: 1 },
    ]);
    expect(JSON.stringify(entries)).not.toContain('guess-');
  });

  test('is the operator’s, and its chain can be followed', async () => {
    expect((await bench.get('/audit')).status).toBe(403);
    expect((await bench.get('/audit?action=nonsense', operator)).status).toBe(422);
    const verified = await bench.post('/audit/verify', operator);
    expect(verified.body).toMatchObject({ intact: true, problem: null, first: 1 });
  });

  test('an entry has the request’s id, as in the service’s log', async () => {
    await bench.put('/settings', { json: { sessions: { ttl_seconds: 300 } } });
    const [entry] = (await audit('?action=settings&limit=1')).entries;
    expect(entry?.request_id).toBeTruthy();
  });
});

test('a service records its start, its end and the pending counts at shutdown', async () => {
  const one = await TestBench.start({ operatorToken: 'x' });
  for (let i = 0; i < 5; i += 1) await one.get('/fpga', { headers: { 'x-operator-token': 'y' } });
  await one.bench.close();
  const folder = path.join(one.folder, 'audit');
  const lines = readFileSync(path.join(folder, '000000000001.jsonl'), 'utf8').trim().split('\n').slice(1);
  const entries = lines.map(
    (line) => (JSON.parse(line) as { entry: { action: string; times: number } }).entry,
  );
  expect(entries.map(({ action, times }) => [action, times])).toEqual([
    ['service', 1],
    ['request', 1],
    ['request', 4],
    ['service', 1],
  ]);
  await one.stop();
});
