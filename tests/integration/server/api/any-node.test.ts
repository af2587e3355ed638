import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AnyJob, Job } from '../../../../server/contract/jobs/jobs.ts';
import type { FpgaSummary } from '../../../../server/contract/nodes/nodes.ts';
import { EventClient } from '../../../support/api/event-client.ts';
import { PlainProvider } from '../../../support/api/identity-providers.ts';
import { sendRaw } from '../../../support/api/raw-http.ts';
import { type Refusal, SOURCE, TestBench } from '../../../support/api/test-bench.ts';
import { FakeClock } from '../../../support/fake-clock.ts';
import { SOAK } from '../../../support/soak.ts';

/** Jobs for any idle node, jobs by id, and the answers to clients without ?wait=. */

let bench: TestBench;
beforeAll(async () => {
  bench = await TestBench.start();
});
afterAll(() => bench.stop());

const refusal = (answer: { body: unknown }) => (answer.body as Refusal).detail;

interface Submitted {
  job_id: string;
  fpga_id: number | null;
  status: string;
}

function submitAny(to: TestBench, fields: Record<string, string> = {}, headers = {}, source = SOURCE) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append('file', new Blob([source]), 'design.v');
  return to.post<Submitted>('/submit', { body: form, headers });
}

/** Waits for the end of a job by its id. */
async function ended(of: TestBench, jobId: string): Promise<AnyJob> {
  for (;;) {
    const { body } = await of.get<AnyJob>(`/jobs/${jobId}?wait=30`);
    if (body.status !== 'queued' && body.status !== 'running') return body;
  }
}

/** No node can take a job: their boards are away. */
async function withoutBoards(): Promise<TestBench> {
  const full = await TestBench.start();
  for (let id = 0; id < 10; id++) full.boards.unplug(id);
  return full;
}

describe('POST /submit', () => {
  test('a job has no node at first and gets one under the same id', async () => {
    const accepted = await submitAny(bench, { top: 'echo', timing_target_mhz: '12' }, { 'x-api-key': 'ada' });
    expect([accepted.status, accepted.body]).toEqual([
      202,
      { job_id: expect.any(String), fpga_id: null, status: 'queued' },
    ]);
    const job = await ended(bench, accepted.body.job_id);
    expect(job).toMatchObject({
      job_id: accepted.body.job_id,
      status: 'complete',
      fpga_id: expect.any(Number),
    });
    const node = await bench.node(job.fpga_id ?? 0);
    expect(node).toMatchObject({ state: 'reserved', owner: 'ada', session: { owner: 'ada' } });
    const { submit } = await bench.client().getJobDetails({ fpga_id: job.fpga_id ?? 0, job_id: job.job_id });
    expect(submit?.options).toEqual({ top: 'echo', timing_target_mhz: 12 });
    expect((await bench.get<string>(`/jobs/${job.job_id}/logs`)).body).toContain('waiting for an idle node');
    await bench.post(`/fpga/${job.fpga_id}/session/release`);
  });

  test('the field fpga_id makes the job wait for that node, and an invalid one is refused', async () => {
    const full = await withoutBoards();
    try {
      const { status, body } = await submitAny(full, { fpga_id: '7' });
      expect([status, body.fpga_id]).toEqual([202, null]);
      await submitAny(full, { fpga_id: ' ' });
      await submitAny(full, { fpga_id: '7' });
      expect(
        (await full.get<AnyJob[]>('/jobs')).body.map(({ waiting_for, place }) => [waiting_for, place]),
      ).toEqual([
        [7, 3],
        [null, 1],
        [7, 1],
      ]);
      expect((await full.get(`/jobs/${body.job_id}`)).body).toMatchObject({ waiting_for: 7, place: 1 });
      expect((await full.get(`/jobs/${body.job_id}/logs`)).body).toBe(
        '[   0.000 queue] waiting for node 7\n',
      );
      for (const wrong of ['10', '-1', 'x', '1.0', '7e0', '07'])
        expect((await submitAny(full, { fpga_id: wrong })).status).toBe(422);
      const twice = new FormData();
      twice.append('fpga_id', '1');
      twice.append('fpga_id', '2');
      twice.append('file', new Blob([SOURCE]), 'design.v');
      expect((await full.post('/submit', { body: twice })).status).toBe(422);
      full.boards.plug(7);
      expect(await ended(full, body.job_id)).toMatchObject({ status: 'complete', fpga_id: 7 });
    } finally {
      await full.stop();
    }
  });

  test('a waiting job is available below /jobs/{id}, and not below /fpga', async () => {
    const full = await withoutBoards();
    try {
      const { job_id: id } = (await submitAny(full)).body;
      const waiting = await full.get<Job>(`/jobs/${id}`);
      expect(waiting.body).toEqual({
        job_id: id,
        fpga_id: null,
        type: 'build_and_program',
        status: 'queued',
        created_at: expect.any(String),
        updated_at: expect.any(String),
        waiting_for: null,
        place: 1,
        expected_wait_s: null,
      });
      expect((await full.get(`/jobs/${id}/logs`)).body).toBe('[   0.000 queue] waiting for an idle node\n');
      expect((await full.get(`/jobs/${id}/logs?offset=10`)).body).toBe('queue] waiting for an idle node\n');
      const early = await full.get(`/jobs/${id}/result`);
      expect([early.status, refusal(early).error]).toEqual([409, 'job_not_complete']);
      for (const below of ['', '/details', '/logs', '/result'])
        expect((await full.get(`/fpga/0/jobs/${id}${below}`)).status).toBe(404);
      expect((await full.get<Job[]>('/fpga/0/jobs')).body).toEqual([]);
      expect((await full.get<Job[]>('/jobs?status=queued')).body).toMatchObject([
        { job_id: id, fpga_id: null },
      ]);
      expect((await full.delete(`/fpga/0/jobs/${id}`)).status).toBe(404);
      expect((await full.delete(`/jobs/${id}`)).status).toBe(204);
      const twice = await full.delete(`/jobs/${id}`);
      expect([twice.status, refusal(twice).error]).toEqual([409, 'job_not_cancellable']);
      expect((await full.get<Job>(`/jobs/${id}`)).body.status).toBe('cancelled');
      expect((await full.get(`/jobs/${id}/result`)).body).toEqual({ ok: false, data: [] });
      expect((await full.get(`/jobs/${id}/logs?follow=1`)).body).toContain('cancelled by anonymous');
    } finally {
      await full.stop();
    }
  });

  test('waiting jobs have separate events, so that older clients ignore them', async () => {
    const full = await withoutBoards();
    try {
      const { job_id: first } = (await submitAny(full)).body;
      const events = await EventClient.open(full.url);
      const snapshot = await events.until('snapshot');
      expect(snapshot).toMatchObject({ jobs: [], unplaced_jobs: [{ job_id: first, fpga_id: null }] });
      await full.delete(`/jobs/${first}`);
      await events.until('unplaced_job', ({ job }) => job.job_id === first && job.status === 'cancelled');
      const { job_id: second } = (await submitAny(full)).body;
      await events.until('unplaced_job', ({ job }) => job.job_id === second && job.status === 'queued');
      full.boards.plug(4);
      await events.until('job', ({ job }) => job.job_id === second && job.fpga_id === 4);
      events.close();
    } finally {
      await full.stop();
    }
  });

  test('a burst of submits: accepted jobs stay queued, the others are refused with a reason', async () => {
    const full = await withoutBoards();
    const most = SOAK ? 1000 : 200;
    try {
      const answers: Awaited<ReturnType<typeof submitAny>>[] = [];
      // A hundred connections: the test is not about how many the system opens at once.
      const lane = async (first: number) => {
        for (let n = first; n < most; n += 100)
          answers.push(await submitAny(full, {}, { 'x-api-key': `owner ${n % 8}` }));
      };
      await Promise.all(Array.from({ length: 100 }, (_, first) => lane(first)));
      const byStatus = new Map<string, number>();
      for (const { status, body } of answers) {
        const key = status === 202 ? '202' : `${status} ${refusal({ body }).error}`;
        byStatus.set(key, (byStatus.get(key) ?? 0) + 1);
      }
      expect([...byStatus.keys()].filter((key) => key !== '202')).toEqual([]);
      if (most === 1000) {
        const more = await submitAny(full, {}, { 'x-api-key': 'owner 9' });
        expect([more.status, refusal(more).error]).toEqual([503, 'queue_full']);
      }
      const kept = await full.get<Job[]>('/jobs?limit=10000');
      expect(kept.body.map(({ job_id }) => job_id).sort()).toEqual(
        answers.map(({ body }) => body.job_id).sort(),
      );
      expect((await full.get<{ status: string }>('/health')).body.status).toBe('ok');
    } finally {
      await full.stop();
    }
  });

  test('one owner may queue at most a quarter of the limit', async () => {
    const full = await withoutBoards();
    try {
      const answers = await Promise.all(Array.from({ length: 260 }, () => submitAny(full)));
      const refused = answers.filter(({ status }) => status !== 202);
      expect(refused).toHaveLength(10);
      for (const answer of refused)
        expect([answer.status, refusal(answer).error]).toEqual([429, 'too_many_jobs']);
    } finally {
      await full.stop();
    }
  });

  test('jobs of a disconnected client stay and get their nodes', async () => {
    const full = await withoutBoards();
    try {
      const body = [
        '--b',
        'Content-Disposition: form-data; name="file"; filename="a.v"',
        '',
        SOURCE,
        '--b--',
        '',
      ].join('\r\n');
      await sendRaw(
        full.url,
        `POST /submit HTTP/1.1\r\nHost: ${new URL(full.url).host}\r\nX-API-Key: gone\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
      );
      const [job] = (await full.get<Job[]>('/jobs?owner=gone')).body;
      expect(job).toMatchObject({ fpga_id: null, status: 'queued', owner: 'gone' });
      full.boards.plug(2);
      expect(await ended(full, job?.job_id ?? '')).toMatchObject({ fpga_id: 2, status: 'complete' });
    } finally {
      await full.stop();
    }
  });

  test('sys_clk_freq is accepted, and a different board clock is noted in the log and report', async () => {
    for (const [hz, warns] of [
      ['12000000', false],
      ['50000000', true],
    ] as const) {
      const { body } = await submitAny(bench, { sys_clk_freq: hz });
      const { fpga_id: node } = await ended(bench, body.job_id);
      const log = (await bench.get<string>(`/jobs/${body.job_id}/logs`)).body;
      const said =
        'sys_clk_freq asks for 50 MHz; the clock of Virtual HX8K is fixed, and the design gets 12 MHz.';
      expect(log.includes(`warning: ${said}`)).toBe(warns);
      const report = await bench.client().getBuildReport({ fpga_id: node ?? 0, job_id: body.job_id });
      expect(report.diagnostics.some(({ message }) => message === said)).toBe(warns);
      await bench.post(`/fpga/${node}/session/release`);
    }
    expect((await submitAny(bench, { sys_clk_freq: 'fast' })).status).toBe(422);
  });
});

describe('while keys are enforced', () => {
  test('only its owner and the operator may cancel or follow a job without a node', async () => {
    const provider = await PlainProvider.start((request, response) => {
      const login = request.headers.authorization?.replace('Bearer ', '');
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ login }));
    });
    const full = await TestBench.start({
      operatorToken: 'operator of the test',
      settings: {
        auth: {
          enforcement: true,
          identity_provider: { kind: 'github', user_url: provider.url, allowed_users: [] },
        },
      },
    });
    try {
      for (let id = 0; id < 10; id++) full.boards.unplug(id);
      const keyOf = async (github_token: string) => {
        const { body } = await full.post<{ api_key: string }>('/auth/github/exchange', {
          json: { github_token },
        });
        return { 'x-api-key': body.api_key };
      };
      const [ada, ben] = [await keyOf('ada'), await keyOf('ben')];
      expect((await submitAny(full)).status).toBe(401);
      const { job_id: id } = (await submitAny(full, {}, ada)).body;
      for (const [method, path] of [
        ['DELETE', `/jobs/${id}`],
        ['GET', `/jobs/${id}/logs?follow=1`],
      ] as const) {
        const answer = await full.ask(method, path, { headers: ben });
        expect([answer.status, refusal(answer).error]).toEqual([403, 'not_session_holder']);
      }
      expect((await full.get<Job[]>('/jobs', { headers: ben })).body).toEqual([]);
      const operator = { 'x-operator-token': 'operator of the test' };
      expect((await full.get<Job[]>('/jobs', { headers: operator })).body).toMatchObject([{ job_id: id }]);
      expect((await full.delete(`/jobs/${id}`, { headers: ada })).status).toBe(204);
    } finally {
      await full.stop();
      await provider.stop();
    }
  });
});

describe('GET /jobs', () => {
  test('a named caller sees its own jobs unless it names another owner or *; anonymous callers see all', async () => {
    const full = await withoutBoards();
    try {
      for (const owner of ['ada', 'ben', 'ada']) await submitAny(full, {}, { 'x-api-key': owner });
      const owners = async (query: string, headers = {}) =>
        (await full.get<Job[]>(`/jobs${query}`, { headers })).body.map(({ owner }) => owner).sort();
      const ada = { 'x-api-key': 'ada' };
      expect(await owners('')).toEqual(['ada', 'ada', 'ben']);
      expect(await owners('', ada)).toEqual(['ada', 'ada']);
      expect(await owners('?owner=*', ada)).toEqual(['ada', 'ada', 'ben']);
      expect(await owners('?owner=ben', ada)).toEqual(['ben']);
      expect(await owners('?type=run', ada)).toEqual([]);
      expect(await owners('?type=run,build_and_program&status=queued', ada)).toEqual(['ada', 'ada']);
      expect((await full.get('/jobs?type=walk')).status).toBe(422);
    } finally {
      await full.stop();
    }
  });
});

describe('POST /fpga/{id}/run?wait=', () => {
  test('200 with the result when the run has ended, else 202; X-Job-ID names the job in either case', async () => {
    await bench.reserve(8);
    const write = await bench.post('/fpga/8/run?wait=60', {
      json: { op: 1, address: 16, data: [7, 8], count: 0 },
    });
    expect([write.status, write.body]).toEqual([200, { ok: true, data: [] }]);
    const read = await bench.post('/fpga/8/run?wait=60', { json: { op: 2, address: 16, count: 2 } });
    expect([read.status, read.body]).toEqual([200, { ok: true, data: [7, 8] }]);
    const id = read.headers.get('x-job-id');
    expect((await bench.get<Job>(`/fpga/8/jobs/${id}`)).body).toMatchObject({
      status: 'complete',
      type: 'run',
    });
    const large = await bench.post<{ data: number[] }>('/fpga/8/run?wait=60', {
      json: { op: 2, address: 16, count: 4096 },
    });
    expect([large.status, large.body.data.length]).toEqual([200, 4096]);
    const fault = await bench.post('/fpga/8/run?wait=60', { json: { op: 2, address: 0x8000_0000 } });
    expect([fault.status, fault.body]).toEqual([200, { ok: false, data: [] }]);
    for (const wait of ['', '?wait=0'])
      expect((await bench.post(`/fpga/8/run${wait}`, { json: { op: 2, address: 0 } })).status).toBe(202);
    expect((await bench.post('/fpga/8/run?wait=61', { json: { op: 2, address: 0 } })).status).toBe(422);
    bench.boards.board(8).faults = { hangLink: true };
    const late = await bench.post<Job>('/fpga/8/run?wait=0.1', { json: { op: 2, address: 0 } });
    expect([late.status, late.body.job_id]).toEqual([202, late.headers.get('x-job-id')]);
    bench.boards.board(8).faults = {};
  });

  test('the count of a read is checked, that of a write is not', async () => {
    await bench.reserve(7);
    for (const count of [0, -1, 70_000, 2 ** 40])
      expect(
        (await bench.post('/fpga/7/run?wait=60', { json: { op: 1, address: 0, data: [count & 1], count } }))
          .status,
      ).toBe(200);
    for (const count of [0, -1, 65_537]) {
      const answer = await bench.post('/fpga/7/run', { json: { op: 2, address: 0, count } });
      expect([answer.status, refusal(answer).errors?.[0]?.loc]).toEqual([422, ['body', 'count']]);
    }
  });
});

describe('a client that polls, as public clients do', () => {
  const clock = new FakeClock();
  let polled: TestBench;
  beforeAll(async () => {
    polled = await TestBench.start({ clock });
  });
  afterAll(() => polled.stop());

  // No time passes: only the end of a job answers these polls.
  test('sees the end of a build and of every read with its first poll', async () => {
    const headers = { 'x-api-key': 'poller' };
    const { body } = await submitAny(polled, { top: 'echo', sys_clk_freq: '12000000' }, headers);
    const job = (await polled.get<AnyJob>(`/jobs/${body.job_id}`, { headers })).body;
    expect(job.status).toBe('complete');
    const node = job.fpga_id ?? -1;
    const shown = (await polled.get<FpgaSummary[]>('/fpga')).body[node];
    expect(shown).toMatchObject({ fpga_id: node, state: 'reserved', owner: 'poller' });
    expect((await polled.get<Job[]>('/jobs', { headers })).body.map(({ job_id }) => job_id)).toEqual([
      body.job_id,
    ]);
    for (let n = 0; n < 10; n++) {
      const run = await polled.post<Job>(`/fpga/${node}/run`, { json: { op: 2, address: 0, count: 1 } });
      expect((await polled.get<Job>(`/jobs/${run.body.job_id}`)).body.status).toBe('complete');
      const result = await polled.get<{ data: number[] }>(`/jobs/${run.body.job_id}/result`);
      expect(result.body.data).toHaveLength(1);
    }
  });

  test('is delayed only briefly, HEAD and ?wait=0 not at all', async () => {
    const { body } = await polled.submit(6, `${SOURCE}// hang-place`);
    while ((await polled.node(6)).state !== 'building');
    const began = clock.monotonic();
    await polled.get(`/fpga/6/jobs/${body.job_id}?wait=0`);
    await fetch(`${polled.url}/jobs/${body.job_id}`, { method: 'HEAD' });
    let answered = false;
    const poll = polled.get<Job>(`/jobs/${body.job_id}`).finally(() => {
      answered = true;
    });
    while (!answered) {
      clock.advance(1);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect((await poll).body.status).toBe('running');
    expect(clock.monotonic() - began).toBeGreaterThanOrEqual(50);
  });
});

describe('keys in addresses', () => {
  test.each(['api_key=x', 'X-API-Key=x', 'key=x', 'access_token=x', 'token=x', 'x_session_id=x'])(
    '%s is refused on any path',
    async (query) => {
      for (const path of ['/fpga', '/health', '/nothing']) {
        const answer = await bench.get(`${path}?${query}`);
        expect([answer.status, refusal(answer).error]).toEqual([400, 'key_in_address']);
      }
      expect(bench.log).not.toContain(query);
    },
  );
});
