import http from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import type { AnyJob } from '../../../../server/contract/jobs/jobs.ts';
import { runCli } from '../../../support/api/run-cli.ts';
import {
  type Refusal,
  SOURCE,
  type TestBench,
  type TestBenchOptions,
} from '../../../support/api/test-bench.ts';
import {
  type Accepted,
  form,
  know,
  listen,
  OFTEN,
  start,
  state,
  stopAll,
  viewOf,
} from '../../../support/benches/several.ts';
import { runningTime } from '../../../support/running-time.ts';

type Listed = AnyJob;

afterEach(stopAll);

describe('a job for any node of any bench', () => {
  /** Two benches; the first has no idle node. */
  async function full(options: TestBenchOptions = {}): Promise<[TestBench, TestBench]> {
    const [a, b] = await Promise.all([start(), start(options)]);
    for (let node = 0; node < 10; node++) await a.reserve(node);
    await know(a, [{ name: 'b', address: b.url }], { overflow: true });
    await expect.poll(async () => (await viewOf(a, 'b'))?.idle, OFTEN).toBe(10);
    return [a, b];
  }
  const submit = (bench: TestBench, owner: string, source = SOURCE) =>
    bench.post<Accepted>('/submit', { body: form(source), headers: { 'x-api-key': owner } });

  test('goes to a listed bench with an idle node, and is followed locally', async () => {
    const [a, b] = await full();
    const { status, body } = await submit(a, 'ada', `${SOURCE}// elsewhere`);
    expect(status).toBe(202);
    expect(body).toMatchObject({ fpga_id: null, bench: { name: 'b', address: b.url, state: 'live' } });
    const found = async () => (await a.get<Accepted>(`/jobs/${body.job_id}?wait=5`)).body;
    await expect.poll(async () => (await found()).status, OFTEN).toBe('complete');
    const node = (await found()).bench?.fpga_id ?? -1;
    expect(b.bench.pool.job(node, body.job_id)).toMatchObject({ owner: 'ada', status: 'complete' });
    expect(b.bench.pool.node(node).session?.owner).toBe('ada');
    expect((await b.get(`/fpga/${node}/jobs/${body.job_id}/source`)).body).toBe(`${SOURCE}// elsewhere`);
    const log = await a.get<string>(`/jobs/${body.job_id}/logs`);
    expect([log.status, log.body.length > 0]).toEqual([200, true]);
    expect(a.bench.pool.knows(body.job_id)).toBe(false);
  });

  test('is asked against the shares first, and counts while it is open there', async () => {
    const [a, b] = await full();
    const { body: course } = await a.post<{ course_id: string }>('/courses', {
      json: { name: 'Lab', shares: { sessions: 1, queued_jobs: 1 } },
    });
    await a.post(`/courses/${course.course_id}/members`, {
      json: { members: [{ name: 'Ada', username: 'ada' }] },
    });
    let open = () => {};
    b.toolchain.gate = new Promise((resolve) => {
      open = resolve;
    });
    const sent = [await submit(a, 'ada', `${SOURCE}// 1`), await submit(a, 'ada', `${SOURCE}// 2`)];
    expect(sent.map(({ status, body }) => [status, body.bench?.name])).toEqual([
      [202, 'b'],
      [202, undefined],
    ]);
    const refused = await a.post<Refusal>('/submit', {
      body: form(`${SOURCE}// 3`),
      headers: { 'x-api-key': 'ada' },
    });
    expect([refused.status, refused.body.detail.error]).toEqual([429, 'share_used_up']);
    open();
  });

  /** The line of a job in GET /jobs of everybody. */
  const line = async (bench: TestBench, jobId: string, query = 'owner=*') =>
    (await bench.get<Listed[]>(`/jobs?${query}`)).body.find(({ job_id }) => job_id === jobId);

  test('is in the local job list, with its bench and its result', async () => {
    const [a] = await full();
    const { body } = await submit(a, 'ada', `${SOURCE}// elsewhere`);
    await expect.poll(async () => (await line(a, body.job_id))?.status, OFTEN).toBe('complete');
    const listed = (await a.get<Listed[]>('/jobs?owner=*')).body;
    expect(listed[0]).toMatchObject({
      job_id: body.job_id,
      fpga_id: null,
      owner: 'ada',
      submit: { filename: 'design.v', size: `${SOURCE}// elsewhere`.length },
      bench: { name: 'b', state: 'live', fpga_id: expect.any(Number), problem: null },
      summary: expect.stringMatching(/./),
    });
    expect(listed).toHaveLength(11);

    // The filters hold for it as for those of this bench.
    const failing = await submit(a, 'grace', `${SOURCE}// fail-synthesis`);
    await expect.poll(async () => (await line(a, failing.body.job_id))?.status, OFTEN).toBe('failed');
    expect((await line(a, failing.body.job_id))?.failure?.error).toBe('fake_build_failed');
    const found = async (query: string, name = 'nobody') =>
      (await a.get<Listed[]>(`/jobs?${query}`, { headers: { 'x-api-key': name } })).body
        .filter(({ bench }) => bench !== undefined)
        .map(({ owner, status }) => `${owner} ${status}`);
    expect(await found('owner=*')).toEqual(['grace failed', 'ada complete']);
    expect(await found('', 'grace')).toEqual(['grace failed']);
    expect(await found('owner=ada')).toEqual(['ada complete']);
    expect(await found('owner=*&status=failed,queued')).toEqual(['grace failed']);
    expect(await found('owner=*&type=run')).toEqual([]);
    expect(await found('owner=*&limit=1')).toEqual(['grace failed']);
    const shown = await runCli(['jobs', '--owner', 'ada', '--url', a.url]);
    expect([shown.code, shown.stdout.split('\n')[0]]).toEqual([
      0,
      expect.stringMatching(new RegExp(`^${body.job_id} +b/\\d +build_and_program +complete +ada `)),
    ]);
  });

  test('stays listed when its bench is dead or silent, without delaying others', async () => {
    const [a, b] = await full({ fakeToolchain: { slots: 0 } });
    // Between the two: from some moment on it takes requests and answers none.
    let silent = false;
    const between = await listen((request, response) => {
      if (silent) return;
      const asked = http.request(b.url + request.url, {
        method: request.method ?? 'GET',
        headers: request.headers,
      });
      asked.on('response', (answer) => {
        response.writeHead(answer.statusCode ?? 0, answer.headers);
        answer.pipe(response);
      });
      request.pipe(asked);
    });
    await know(a, [{ name: 'between', address: between }]);
    await expect.poll(async () => (await viewOf(a, 'between'))?.idle, OFTEN).toBe(10);
    const { body } = await submit(a, 'ada');
    await expect.poll(async () => (await line(a, body.job_id))?.bench?.fpga_id, OFTEN).toBe(0);
    expect((await line(a, body.job_id))?.bench).toMatchObject({ state: 'live', problem: null });

    silent = true;
    // The bench does not yet know that the other one is gone: it keeps requesting, and every caller gets an answer.
    expect((await a.get<Accepted>(`/jobs/${body.job_id}`)).body).toMatchObject({
      status: 'queued',
      bench: { state: 'dead', problem: { message: expect.stringContaining('did not answer within 1 s') } },
    });
    const took = await runningTime();
    const held = await line(a, body.job_id);
    expect(took()).toBeLessThan(2_500);
    expect(held).toMatchObject({
      status: 'queued',
      bench: { name: 'between', state: 'dead', problem: { error: 'bench_dead' } },
    });
    await expect.poll(state(a, 'between'), OFTEN).toBe('dead');
    const again = await runningTime();
    expect((await line(a, body.job_id))?.bench).toMatchObject({ state: 'dead' });
    expect(again()).toBeLessThan(900);
    const shown = await runCli(['jobs', '--owner', 'ada', '--url', a.url]);
    expect(shown.stdout).toMatch(/ between\/0 .* queued .* unreachable: bench_dead\n$/);

    // After its removal from the list, the job says where it ran.
    await know(a, []);
    expect((await line(a, body.job_id))?.bench).toMatchObject({
      state: 'dead',
      problem: { error: 'bench_dead', message: expect.stringContaining('no longer in the list') },
    });
  });

  test('all jobs of one remote bench are listed, and ended ones are noticed', async () => {
    const [a, b] = await full();
    const own = await b.client().getOwnBench();
    const at = '2026-11-23T12:00:00.000Z';
    let [status, asked, most] = ['queued', 0, 0];
    const busy = await listen((request, response) => {
      const { pathname } = new URL(request.url ?? '', b.url);
      const job = { fpga_id: null, type: 'build_and_program', status, created_at: at, updated_at: at };
      if (pathname === '/benches/own')
        return void response.end(JSON.stringify({ ...own, bench_id: 'c'.repeat(16) }));
      request.resume().once('end', () => {
        if (pathname === '/submit') {
          response.writeHead(202).end(JSON.stringify({ job_id: request.headers['x-job-id'] }));
          return;
        }
        most = Math.max(most, ++asked);
        setTimeout(() => {
          asked--;
          response.end(JSON.stringify({ ...job, job_id: pathname.split('/')[2] }));
        }, 20);
      });
    });
    await know(a, [{ name: 'busy', address: busy }]);
    await expect.poll(async () => (await viewOf(a, 'busy'))?.idle, OFTEN).toBe(10);
    const ids: string[] = [];
    for (let i = 0; i < 40; i++) ids.push((await submit(a, `owner ${i}`)).body.job_id);
    const listed = async () =>
      (await a.get<Listed[]>('/jobs?owner=*&limit=1000')).body.filter(({ bench }) => bench);
    most = 0;
    const answers = await Promise.all([listed(), listed(), listed()]);
    for (const answer of answers) expect(answer.map(({ job_id }) => job_id)).toEqual(ids.toReversed());
    // With any number of callers, each job is requested once at a time, and not all at once.
    expect(most).toBeLessThanOrEqual(40);
    status = 'cancelled';
    const ended = async () => (await listed()).filter((job) => job.status === 'cancelled').length;
    await expect.poll(ended, OFTEN).toBe(40);
  });

  test('stays local without the setting, with an idle node, or for a bench that was only discovered', async () => {
    const [a, b] = await full();
    await a.bench.settings.apply({ benches: { overflow: false } });
    const first = await submit(a, 'ada');
    expect(first.body.bench).toBeUndefined();
    expect((await a.delete(`/jobs/${first.body.job_id}`)).status).toBe(204);
    await a.bench.settings.apply({ benches: { overflow: true } });
    const free = await a.client().releaseSession({ fpga_id: 4 });
    await a.client().jobEnded(free);
    expect((await submit(a, 'ada')).body.bench).toBeUndefined();
    expect(b.bench.pool.allJobs({ limit: 10 })).toEqual([]);
  });

  test('is cancelled remotely', async () => {
    const [a, b] = await full({ fakeToolchain: { slots: 0 } });
    const { body } = await submit(a, 'ada');
    expect((await a.delete(`/jobs/${body.job_id}`)).status).toBe(204);
    expect(b.bench.pool.findJob(body.job_id).status).toBe('cancelled');
    expect((await a.get<Accepted>(`/jobs/${body.job_id}`)).body.status).toBe('cancelled');
    expect((await a.delete<Refusal>(`/jobs/${body.job_id}`)).body.detail.error).toBe('job_not_cancellable');
  });

  test('is stopped remotely, and the failure names who stopped it', async () => {
    const [a, b] = await full();
    const { body } = await submit(a, 'ada', `${SOURCE}// hang-place`);
    const there = async () => (await b.get<{ status: string }>(`/jobs/${body.job_id}`)).body.status;
    await expect.poll(there, OFTEN).toBe('running');
    const stopped = await a.post<Accepted>(`/jobs/${body.job_id}/stop`, {
      headers: { 'x-api-key': 'grace' },
    });
    expect([stopped.status, stopped.body.status]).toEqual([200, 'failed']);
    expect(stopped.body.bench?.problem).toMatchObject({
      error: 'stopped_by_user',
      message: expect.stringContaining('grace'),
    });
    expect((await b.client().listNodes())[stopped.body.bench?.fpga_id ?? -1]?.state).toBe('idle');
    const again = await a.post<Refusal>(`/jobs/${body.job_id}/stop`, {});
    expect([again.status, again.body.detail.error]).toEqual([409, 'job_not_stoppable']);

    // The same address stops a build of this bench, and refuses what has no node.
    const own = await a.get<Accepted[]>('/jobs?status=complete&owner=*');
    const refused = await a.post<Refusal>(`/jobs/${own.body[0]?.job_id}/stop`, {});
    expect([refused.status, refused.body.detail.error]).toEqual([409, 'job_not_stoppable']);
  });

  test('the command stops it remotely, and report names the bench with the build', async () => {
    const [a, b] = await full();
    const { body } = await submit(a, 'ada', `${SOURCE}// hang-place`);
    const there = async () => (await b.get<{ status: string }>(`/jobs/${body.job_id}`)).body.status;
    await expect.poll(there, OFTEN).toBe('running');
    const cli = (...args: string[]) => runCli([...args, body.job_id, '--url', a.url, '--key', 'grace']);
    const stopped = await cli('stop');
    expect([stopped.code, stopped.stderr]).toEqual([0, '']);
    expect(stopped.stdout).toMatch(/^build_and_program failed {2}node \d of “b”, .*stopped_by_user: .*grace/);
    const report = await cli('report');
    expect([report.code, report.stderr]).toEqual([
      1,
      `Another bench has this build: call “b” with --url ${b.url}.\n`,
    ]);
  });

  test('reports the cause of a remote failure', async () => {
    const [a] = await full();
    const { body } = await submit(a, 'ada', `${SOURCE}// fail-synthesis`);
    const look = async () => (await a.get<Accepted>(`/jobs/${body.job_id}`)).body;
    await expect.poll(async () => (await look()).status, OFTEN).toBe('failed');
    expect((await look()).bench).toMatchObject({ state: 'live', problem: { error: 'fake_build_failed' } });
  });

  test('a bench that disconnects during a request is reported dead with 502', async () => {
    const [a, b] = await full({ fakeToolchain: { slots: 0 } });
    const { body } = await submit(a, 'ada');
    // Between its end and the next status check, this bench still takes it for live.
    await b.bench.close();
    const answer = await a.delete<Refusal>(`/jobs/${body.job_id}`);
    expect([answer.status, answer.body.detail.error]).toEqual([502, 'bench_dead']);
  });

  test('reports that its bench is dead, resumes with it, and survives a local restart', async () => {
    const [a, b] = await full({ fakeToolchain: { slots: 0 } });
    const { body } = await submit(a, 'ada');
    const port = b.bench.port;
    await b.bench.close();
    const look = async (bench: TestBench) => (await bench.get<Accepted>(`/jobs/${body.job_id}`)).body;
    await expect
      .poll(async () => (await look(a)).bench, OFTEN)
      .toMatchObject({
        state: 'dead',
        problem: { error: 'bench_dead' },
      });
    expect((await look(a)).status).toBe('queued');
    expect((await a.delete<Refusal>(`/jobs/${body.job_id}`)).body.detail.error).toBe('bench_dead');

    await a.bench.close();
    const again = await start({ dataDir: a.folder });
    expect((await look(again)).status).toBe('queued');
    await start({ dataDir: b.folder, port });
    await expect.poll(async () => (await look(again)).status, OFTEN).toBe('complete');
    expect((await look(again)).bench).toMatchObject({ state: 'live', problem: null });
  });

  test('sent twice it is one job', async () => {
    const b = await start();
    const headers = {
      'x-api-key': 'ada',
      'x-forwarded-by-bench': '0'.repeat(16),
      'x-job-id': '11111111-2222-4333-8444-555555555555',
    };
    const send = () => b.post<Accepted>('/submit', { body: form(), headers });
    const answers = await Promise.all([send(), send(), send()]);
    expect(answers.map(({ status, body }) => [status, body.job_id])).toEqual(
      Array(3).fill([202, headers['x-job-id']]),
    );
    await send();
    expect(b.bench.pool.allJobs({ limit: 10 })).toHaveLength(1);
    const stolen = await b.post<Refusal>('/submit', {
      body: form(),
      headers: { ...headers, 'x-api-key': 'eve' },
    });
    expect(stolen.status).toBe(422);
  });

  test('goes to the next bench if the one with most idle nodes refuses it', async () => {
    const [a, b] = await full();
    const c = await start();
    await c.reserve(0);
    let refused = 0;
    const refusing = await listen((request, response) => {
      if (request.url === '/submit') {
        refused++;
        request.resume();
        response.writeHead(503).end('{}');
        return;
      }
      const asked = http.request(b.url + request.url, { headers: request.headers });
      asked.on('response', (answer) => {
        response.writeHead(answer.statusCode ?? 0, answer.headers);
        answer.pipe(response);
      });
      asked.end();
    });
    await know(a, [
      { name: 'refusing', address: refusing },
      { name: 'c', address: c.url },
    ]);
    await expect.poll(async () => (await viewOf(a, 'refusing'))?.idle, OFTEN).toBe(10);
    await expect.poll(async () => (await viewOf(a, 'c'))?.idle, OFTEN).toBe(9);
    const { status, body } = await submit(a, 'ada');
    expect([status, refused, body.bench?.name]).toEqual([202, 1, 'c']);
    expect(b.bench.pool.allJobs({ limit: 10 })).toEqual([]);
    expect((await a.get<Listed[]>('/jobs?owner=ada')).body).toHaveLength(1);
  });

  test('a lost response causes no second build', async () => {
    const [a, b] = await full();
    // Between the two: forwards the submit and cuts the line before the answer.
    let cut = 0;
    const between = await listen((request, response) => {
      const { pathname } = new URL(request.url ?? '', b.url);
      const asked = http.request(b.url + request.url, {
        method: request.method ?? 'GET',
        headers: request.headers,
      });
      asked.on('response', (answer) => {
        if (pathname === '/submit') {
          cut++;
          return void request.socket.destroy();
        }
        response.writeHead(answer.statusCode ?? 0, answer.headers);
        answer.pipe(response);
      });
      request.pipe(asked);
    });
    await know(a, [{ name: 'between', address: between }]);
    await expect.poll(async () => (await viewOf(a, 'between'))?.idle, OFTEN).toBe(10);
    const { status, body } = await submit(a, 'ada');
    expect([status, cut, body.bench?.name]).toEqual([202, 1, 'between']);
    await expect
      .poll(async () => (await a.get<Accepted>(`/jobs/${body.job_id}`)).body.status, OFTEN)
      .toBe('complete');
    expect(b.bench.pool.allJobs({ limit: 10 })).toHaveLength(1);
    expect(a.bench.pool.unplacedJobs({ limit: 10 })).toEqual([]);
  });
});
