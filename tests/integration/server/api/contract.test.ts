import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FpgaSummary } from '../../../../server/contract/nodes/nodes.ts';
import { type Refusal, SOURCE, TestBench } from '../../../support/api/test-bench.ts';

/** Interface specification, sections 2 to 8, over real HTTP. */

let bench: TestBench;
beforeAll(async () => {
  bench = await TestBench.start();
});
afterAll(() => bench.stop());

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

const refusal = (answer: { body: unknown }) => (answer.body as Refusal).detail;

describe('resources', () => {
  test('GET /health: exactly status and store', async () => {
    const answer = await bench.get('/health');
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ status: 'ok', store: true });
  });

  test('GET /fpga: ten nodes with exactly the fields of FpgaSummary and the owner', async () => {
    const { status, body } = await bench.get<FpgaSummary[]>('/fpga');
    expect(status).toBe(200);
    expect(body).toEqual(
      Array.from({ length: 10 }, (_, fpga_id) => ({
        fpga_id,
        state: 'idle',
        session: null,
        current_job_id: null,
        owner: null,
      })),
    );
  });

  test('GET /fpga/{id}: the node; any other id is a 422', async () => {
    expect((await bench.get('/fpga/9')).body).toEqual({
      fpga_id: 9,
      state: 'idle',
      session: null,
      current_job_id: null,
      owner: null,
    });
    for (const id of [
      '10',
      '-1',
      '07',
      '1.0',
      '1e0',
      '%201',
      '1%20',
      'x',
      '+1',
      '0x1',
      '1_0',
      '٣',
      '%zz',
      '9'.repeat(4000),
    ]) {
      const answer = await bench.get(`/fpga/${id}`);
      expect([id.slice(0, 8), answer.status, refusal(answer).error]).toEqual([
        id.slice(0, 8),
        422,
        'validation_error',
      ]);
    }
  });

  test('a 422 states the location, message and type of each error', async () => {
    const answer = await bench.get<Refusal>('/fpga/10');
    expect(answer.body).toEqual({
      detail: {
        error: 'validation_error',
        message: expect.stringMatching(/fpga_id: must be at most 9\. .+\.$/),
        errors: [{ loc: ['path', 'fpga_id'], msg: 'must be at most 9', type: 'less_than_equal' }],
      },
    });
  });
});

describe('the typical sequence', () => {
  test('submit, poll, run, result, release', async () => {
    const submitted = await bench.submit(1);
    expect(submitted.status).toBe(202);
    expect(submitted.body).toEqual({ job_id: expect.stringMatching(UUID), fpga_id: 1, status: 'queued' });
    const { job_id } = submitted.body;
    await bench.ended(1, job_id);

    const job = await bench.get(`/fpga/1/jobs/${job_id}`);
    expect(job.body).toEqual({
      job_id,
      fpga_id: 1,
      type: 'build_and_program',
      status: 'complete',
      created_at: expect.stringMatching(TIME),
      updated_at: expect.stringMatching(TIME),
    });

    const node = await bench.node(1);
    expect(node).toEqual({
      fpga_id: 1,
      state: 'reserved',
      session: {
        session_id: expect.stringMatching(UUID),
        fpga_id: 1,
        owner: 'anonymous',
        expires_at: expect.stringMatching(TIME),
      },
      current_job_id: null,
      owner: 'anonymous',
    });
    expect((await bench.get('/fpga/1/session')).body).toEqual(node.session);

    const write = await bench.post<{ job_id: string }>('/fpga/1/run', {
      json: { op: 1, address: 16, data: [1, 0xffff_ffff, 3] },
    });
    expect(write.status).toBe(202);
    expect(write.body).toEqual({ job_id: expect.stringMatching(UUID), fpga_id: 1, status: 'queued' });
    await bench.ended(1, write.body.job_id);
    expect((await bench.get(`/fpga/1/jobs/${write.body.job_id}/result`)).body).toEqual({
      ok: true,
      data: [],
    });

    const read = await bench.run(1, { op: 2, address: 16, count: 3 });
    const result = await bench.get(`/fpga/1/jobs/${read}/result`);
    expect(result.status).toBe(200);
    expect(result.body).toEqual({ ok: true, data: [1, 0xffff_ffff, 3] });
    const one = await bench.run(1, { op: 2, address: 16 });
    expect((await bench.get(`/fpga/1/jobs/${one}/result`)).body).toEqual({ ok: true, data: [1] });

    const release = await bench.post<{ job_id: string }>('/fpga/1/session/release');
    expect(release.status).toBe(202);
    expect(release.body).toEqual({ job_id: expect.stringMatching(UUID), fpga_id: 1, status: 'queued' });
    await bench.ended(1, release.body.job_id);
    expect((await bench.get<{ type: string }>(`/fpga/1/jobs/${release.body.job_id}`)).body.type).toBe(
      'reset',
    );
    expect(await bench.node(1)).toEqual({
      fpga_id: 1,
      state: 'idle',
      session: null,
      owner: null,
      current_job_id: null,
    });
  });

  test('of any number of simultaneous submits to an idle node one wins', async () => {
    const answers = await Promise.all(Array.from({ length: 24 }, () => bench.submit(2)));
    const won = answers.filter(({ status }) => status === 202);
    const lost = answers.filter(({ status }) => status === 409);
    expect([won.length, lost.length]).toEqual([1, 23]);
    expect(new Set(lost.map((answer) => refusal(answer).error))).toEqual(new Set(['fpga_not_idle']));
  });

  test('the log is plain text, also while the job runs', async () => {
    const { body } = await bench.submit(3, `${SOURCE}// hang-place\n`);
    let text = '';
    while (!text.includes('synthesis')) {
      const log = await bench.get<string>(`/fpga/3/jobs/${body.job_id}/logs`);
      expect(log.status).toBe(200);
      expect(log.headers.get('content-type')).toBe('text/plain; charset=utf-8');
      text = log.body;
    }
    expect(text).toMatch(/^\[ +\d+\.\d{3} [a-z]+\] /m);
    expect((await bench.node(3)).current_job_id).toBe(body.job_id);
    expect((await bench.node(3)).state).toBe('building');
  });
});

describe('errors of section 7', () => {
  test('fpga_not_idle, fpga_not_reserved, fpga_not_resettable', async () => {
    const build = await bench.reserve(4);
    expect(build.status).toBe('complete');
    const again = await bench.submit(4);
    expect([again.status, refusal(again).error]).toEqual([409, 'fpga_not_idle']);
    const run = await bench.post('/fpga/5/run', { json: { op: 2, address: 0 } });
    expect([run.status, refusal(run).error]).toEqual([409, 'fpga_not_reserved']);
    const reset = await bench.post('/fpga/5/reset');
    expect([reset.status, refusal(reset).error]).toEqual([409, 'fpga_not_resettable']);
  });

  test('job_not_complete and job_not_cancellable', async () => {
    const { body } = await bench.submit(6, `${SOURCE}// hang-route\n`);
    while ((await bench.node(6)).state !== 'building');
    const result = await bench.get(`/fpga/6/jobs/${body.job_id}/result`);
    expect([result.status, refusal(result).error]).toEqual([409, 'job_not_complete']);
    const cancel = await bench.delete(`/fpga/6/jobs/${body.job_id}`);
    expect([cancel.status, refusal(cancel).error]).toEqual([409, 'job_not_cancellable']);
  });

  test('no_active_session', async () => {
    for (const [method, route] of [
      ['GET', '/fpga/7/session'],
      ['POST', '/fpga/7/session/release'],
    ] as const) {
      const answer = await bench.ask(method, route);
      expect([answer.status, refusal(answer).error]).toEqual([404, 'no_active_session']);
    }
  });

  test('an unknown job, and a job of another node, is a 404; no UUID is a 422', async () => {
    const { job_id } = await bench.reserve(8);
    for (const [method, end] of [
      ['GET', ''],
      ['GET', '/logs'],
      ['GET', '/logs?follow=1'],
      ['GET', '/result'],
      ['GET', '/details'],
      ['GET', '/report'],
      ['GET', '/artifacts/bitstream'],
      ['GET', '/source'],
      ['GET', '?wait=1'],
      ['DELETE', ''],
    ] as const) {
      for (const id of [randomUUID(), job_id]) {
        const answer = await bench.ask(method, `/fpga/9/jobs/${id}${end}`);
        expect([method, end, answer.status, refusal(answer).error]).toEqual([
          method,
          end,
          404,
          'job_not_found',
        ]);
      }
      for (const id of [
        '1',
        'undefined',
        job_id.slice(1),
        `${job_id}0`,
        job_id.replaceAll('-', ''),
        `{${job_id}}`,
      ]) {
        const answer = await bench.ask(method, `/fpga/8/jobs/${id}${end}`);
        expect([method, end, id, answer.status]).toEqual([method, end, id, 422]);
        expect(refusal(answer).errors?.[0]?.loc).toEqual(['path', 'job_id']);
      }
    }
    const upper = await bench.get<{ job_id: string }>(`/fpga/8/jobs/${job_id.toUpperCase()}`);
    expect([upper.status, upper.body.job_id]).toEqual([200, job_id]);
  });

  test('every error has the envelope and two sentences', async () => {
    for (const answer of [
      await bench.get('/nothing/here'),
      await bench.post('/fpga'),
      await bench.get('/fpga/11'),
      await bench.post('/fpga/0/run', { body: '{', headers: { 'content-type': 'application/json' } }),
      await bench.post('/fpga/0/run', {
        body: 'op=1',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      }),
      await bench.post('/fpga/0/reset'),
    ]) {
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(Object.keys(answer.body as object)).toEqual(['detail']);
      const { error, message } = refusal(answer);
      expect(error).toMatch(/^[a-z_]+$/);
      expect(message).toMatch(/^[A-Z].+[.] [A-Z].+[.]$/s);
      expect(JSON.stringify(answer.body)).not.toMatch(/\.ts:|node_modules|\bat .+:\d+/);
    }
  });
});

describe('stop', () => {
  test('fails a running build and leaves the node idle; a queued build must be cancelled instead', async () => {
    const small = await TestBench.start({ fakeToolchain: { slots: 1 } });
    try {
      const { body: first } = await small.submit(0, `${SOURCE}// hang-place\n`);
      while ((await small.node(0)).state !== 'building');
      const { body: second } = await small.submit(1, `${SOURCE}// hang-place too\n`);
      const stop = (node: number, id: string) =>
        small.post<{ status: string; failure?: { error: string } }>(`/fpga/${node}/jobs/${id}/stop`, {
          headers: { 'x-api-key': 'lab-2' },
        });
      const queued = await stop(1, second.job_id);
      expect([queued.status, queued.body]).toMatchObject([409, { detail: { error: 'job_not_stoppable' } }]);
      expect((await small.node(1)).state).toBe('queued');
      const stopped = await stop(0, first.job_id);
      expect([stopped.status, stopped.body]).toMatchObject([
        200,
        { status: 'failed', failure: { error: 'stopped_by_user', message: 'lab-2 stopped this build.' } },
      ]);
      expect((await small.node(0)).state).toBe('idle');
      expect(await stop(0, first.job_id)).toMatchObject({
        status: 409,
        body: { detail: { error: 'job_not_stoppable' } },
      });
    } finally {
      await small.stop();
    }
  });
});

describe('cancel', () => {
  test('a queued job: 204 without a body, cancelled, node idle again', async () => {
    const small = await TestBench.start({ fakeToolchain: { slots: 1 } });
    try {
      await small.submit(0, `${SOURCE}// hang-place\n`);
      while ((await small.node(0)).state !== 'building');
      const { body } = await small.submit(1);
      expect((await small.node(1)).state).toBe('queued');
      const answer = await small.delete(`/fpga/1/jobs/${body.job_id}`);
      expect([answer.status, answer.body]).toEqual([204, '']);
      const job = await small.get<{ status: string }>(`/fpga/1/jobs/${body.job_id}`);
      expect(job.body.status).toBe('cancelled');
      expect((await small.node(1)).state).toBe('idle');
      expect((await small.get(`/fpga/1/jobs/${body.job_id}/result`)).body).toEqual({ ok: false, data: [] });
    } finally {
      await small.stop();
    }
  });
});
