import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Job } from '../../../../server/contract/jobs/jobs.ts';
import type { NodeView } from '../../../../server/contract/nodes/nodes.ts';
import { type Refusal, SOURCE, TestBench } from '../../../support/api/test-bench.ts';
import { runningTime } from '../../../support/running-time.ts';

/** The compatible additions: waiting, following, histories, artifacts, and what the GUI needs. */

let bench: TestBench;
beforeAll(async () => {
  bench = await TestBench.start();
});
afterAll(() => bench.stop());

const refusal = (answer: { body: unknown }) => (answer.body as Refusal).detail;

describe('?wait=', () => {
  test('answers when the status changes', async () => {
    const slow = await TestBench.start({ fakeToolchain: { stageMs: 40 } });
    try {
      const { body } = await slow.submit(0);
      const statuses: string[] = [];
      const ranFor = await runningTime();
      for (let status = 'queued'; status === 'queued' || status === 'running'; ) {
        const answer = await slow.get<{ status: string }>(`/fpga/0/jobs/${body.job_id}?wait=30`);
        status = answer.body.status;
        statuses.push(status);
      }
      expect(statuses.at(-1)).toBe('complete');
      expect(statuses.length).toBeLessThanOrEqual(3);
      expect(ranFor()).toBeLessThan(20_000);
    } finally {
      await slow.stop();
    }
  });

  test('responds after the timeout without a change, and at once when the job has ended', async () => {
    const { body } = await bench.submit(0, `${SOURCE}// hang-place`);
    while ((await bench.node(0)).state !== 'building');
    const began = performance.now();
    const waited = await bench.get<{ status: string }>(`/fpga/0/jobs/${body.job_id}?wait=0.3`);
    expect([waited.status, waited.body.status]).toEqual([200, 'running']);
    expect(performance.now() - began).toBeGreaterThanOrEqual(290);
    const { job_id } = await bench.reserve(1);
    expect((await bench.get<{ status: string }>(`/fpga/1/jobs/${job_id}?wait=60`)).body.status).toBe(
      'complete',
    );
  });

  test('accepts only 0 to 60 seconds', async () => {
    const { job_id } = await bench.reserve(2);
    for (const wait of ['0', '60', '0.5', '59.999'])
      expect((await bench.get(`/fpga/2/jobs/${job_id}?wait=${wait}`)).status).toBe(200);
    for (const wait of ['61', '60.001', '-1', 'x', '', '1e1', '0x10', 'Infinity', 'NaN', '1&wait=2']) {
      const answer = await bench.get(`/fpga/2/jobs/${job_id}?wait=${wait}`);
      expect([wait, answer.status]).toEqual([wait, 422]);
      expect(refusal(answer).errors?.[0]?.loc).toEqual(['query', 'wait']);
    }
  });

  test('callers that disconnect while waiting leave the service responsive', async () => {
    const { body } = await bench.submit(3, `${SOURCE}// hang-place`);
    while ((await bench.node(3)).state !== 'building');
    const waits = Array.from({ length: 20 }, () => {
      const controller = new AbortController();
      const answer = fetch(`${bench.url}/fpga/3/jobs/${body.job_id}?wait=60`, { signal: controller.signal });
      setTimeout(() => controller.abort(), 50);
      return answer.catch((error: Error) => error.name);
    });
    expect(new Set(await Promise.all(waits))).toEqual(new Set(['AbortError']));
    expect((await bench.get('/health')).status).toBe(200);
  });
});

describe('logs', () => {
  test('follow=1 streams the log until the job ends, and it is the whole log', async () => {
    const slow = await TestBench.start({ fakeToolchain: { stageMs: 20 } });
    try {
      const { body } = await slow.submit(0, `${SOURCE}// lines-2000`);
      const response = await fetch(`${slow.url}/fpga/0/jobs/${body.job_id}/logs?follow=1`);
      expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
      const chunks: string[] = [];
      for await (const chunk of response.body ?? []) chunks.push(Buffer.from(chunk as Uint8Array).toString());
      expect(chunks.length).toBeGreaterThan(1);
      const whole = await slow.get<string>(`/fpga/0/jobs/${body.job_id}/logs`);
      expect(chunks.join('')).toBe(whole.body);
      expect((await slow.get<Job>(`/fpga/0/jobs/${body.job_id}`)).body.status).toBe('complete');
    } finally {
      await slow.stop();
    }
  });

  test('offset skips bytes at the beginning, past the end too', async () => {
    const { job_id } = await bench.reserve(4);
    const route = `/fpga/4/jobs/${job_id}/logs`;
    const { body: whole } = await bench.get<string>(route);
    expect((await bench.get(`${route}?offset=10`)).body).toBe(whole.slice(10));
    expect((await bench.get(`${route}?follow=1&offset=10`)).body).toBe(whole.slice(10));
    expect((await bench.get(`${route}?offset=99999999`)).body).toBe('');
    for (const query of ['offset=-1', 'offset=1.5', 'follow=2', 'follow=yes'])
      expect((await bench.get(`${route}?${query}`)).status).toBe(422);
  });

  test('a follower that disconnects ends the stream', async () => {
    const { body } = await bench.submit(5, `${SOURCE}// hang-route`);
    const controller = new AbortController();
    const response = await fetch(`${bench.url}/fpga/5/jobs/${body.job_id}/logs?follow=1`, {
      signal: controller.signal,
    });
    const reader = response.body?.getReader();
    expect((await reader?.read())?.done).toBe(false);
    controller.abort();
    await expect(reader?.read()).rejects.toThrow();
    expect((await bench.get('/health')).status).toBe(200);
  });
});

describe('artefacts of a build', () => {
  test('report, bitstream and source; a run has none of them', async () => {
    const { job_id } = await bench.reserve(6);
    const report = await bench.get<{ utilisation: unknown[]; timing: object }>(
      `/fpga/6/jobs/${job_id}/report`,
    );
    expect(report.status).toBe(200);
    expect(report.body.utilisation).toContainEqual({ resource: 'LUT', used: 1075, available: 7680 });
    expect(report.body.timing).toMatchObject({ fmax_mhz: 63.2, met: true });

    const bitstream = await fetch(`${bench.url}/fpga/6/jobs/${job_id}/artifacts/bitstream`);
    expect(bitstream.headers.get('content-type')).toBe('application/octet-stream');
    expect(bitstream.headers.get('content-disposition')).toContain(`${job_id}.bin`);
    const bytes = Buffer.from(await bitstream.arrayBuffer());
    expect(bytes.subarray(0, 4).toString()).toBe('FAKE');

    const source = await bench.get<string>(`/fpga/6/jobs/${job_id}/source`);
    expect(source.body).toBe(SOURCE);
    expect(source.headers.get('content-disposition')).toContain("filename*=UTF-8''design.v");

    const run = await bench.run(6, { op: 2, address: 0 });
    for (const [end, code] of [
      ['report', 'no_build_report'],
      ['artifacts/bitstream', 'no_bitstream'],
      ['source', 'no_source'],
    ]) {
      const answer = await bench.get(`/fpga/6/jobs/${run}/${end}`);
      expect([answer.status, refusal(answer).error]).toEqual([404, code]);
    }
  });

  test('options of the submit reach the build and are shown with the job', async () => {
    const { body } = await bench.submit(7, SOURCE, {
      top: 'echo',
      timing_target_mhz: '12.5',
      allow_timing_failure: 'true',
      addressing: 'byte',
      ties: '{"irq_in": 0, "scan": 1}',
      unknown_field: 'is left alone',
    });
    const job = await bench.ended(7, body.job_id);
    expect(job.submit).toEqual({
      filename: 'design.v',
      size: SOURCE.length,
      options: {
        top: 'echo',
        timing_target_mhz: 12.5,
        allow_timing_failure: true,
        addressing: 'byte',
        ties: { irq_in: 0, scan: 1 },
      },
    });
  });
});

describe('histories', () => {
  test('newest first, by status, with a limit', async () => {
    const own = await TestBench.start();
    try {
      await own.reserve(3);
      const failed = await own.submit(4, `${SOURCE}// fail-synthesis`);
      await own.ended(4, failed.body.job_id);
      const runs = [];
      for (const address of [0, 4, 8]) runs.push(await own.run(3, { op: 2, address }));
      const list = async (route: string) => (await own.get<Job[]>(route)).body;

      const all = await list('/jobs');
      expect(all.map(({ job_id }) => job_id).slice(0, 3)).toEqual(runs.toReversed());
      expect(all.length).toBe(5);
      expect((await list('/fpga/3/jobs')).every(({ fpga_id }) => fpga_id === 3)).toBe(true);
      expect((await list('/fpga/3/jobs?limit=2')).map(({ job_id }) => job_id)).toEqual(
        runs.toReversed().slice(0, 2),
      );
      const bad = await list('/jobs?status=failed');
      expect(bad.map(({ job_id }) => job_id)).toEqual([failed.body.job_id]);
      expect(bad[0]?.failure?.message).toBe('The synthesis stage failed.');
      expect((await list('/jobs?status=failed,complete')).length).toBe(5);
      expect((await list('/jobs?status=failed&status=queued')).length).toBe(1);
      expect(await list('/fpga/9/jobs')).toEqual([]);
      for (const query of ['status=ended', 'status=', 'status=failed,', 'limit=0', 'limit=10001', 'limit=x'])
        expect((await own.get(`/jobs?${query}`)).status).toBe(422);
    } finally {
      await own.stop();
    }
  });
});

describe('data for the GUI', () => {
  test('GET /fpga/{id}/details: the node with board, design and the reason of an error', async () => {
    await bench.reserve(8);
    const node = await bench.get<NodeView>('/fpga/8/details');
    expect(node.body).toMatchObject({
      state: 'reserved',
      error: null,
      resetting: false,
      board: { slot: 8, present: true },
      design: { filename: 'design.v', module: 'echo' },
    });
    bench.boards.unplug(8);
    const run = await bench.post<{ job_id: string }>('/fpga/8/run', { json: { op: 2, address: 0 } });
    if (run.status === 202) await bench.ended(8, run.body.job_id);
    const broken = (await bench.get<NodeView>('/fpga/8/details')).body;
    expect(broken.state).toBe('error');
    expect(broken.error?.message).toMatch(/\.$/);
    bench.boards.plug(8);
  });

  test('GET /status returns the caller’s identity and the limits', async () => {
    const { body } = await bench.get<Record<string, unknown>>('/status', {
      headers: { 'x-api-key': 'alice' },
    });
    expect(body).toMatchObject({
      version: '0.1.0',
      address: bench.url,
      lan: { enabled: false, addresses: [] },
      enforcement: false,
      identity_provider: 'none',
      caller: { owner: 'alice', operator: true, key: false },
      store: true,
      builds: { total: 4 },
      engines: [{ name: 'fake', tool: 'fake', version: '1', path: null }],
      limits: { upload_bytes: 1 << 20, words_per_run: 65_536, session_ttl_seconds: 3600 },
    });
    expect((body['data'] as { bytes: number }).bytes).toBeGreaterThan(0);
  });

  test('GET /examples and their files', async () => {
    const { body } = await bench.get<{ file: string; size: number; description: string }[]>('/examples');
    expect(body.map(({ file }) => file)).toContain('echo.v');
    for (const example of body) {
      const file = await bench.client().getExample({ file: example.file });
      expect(file.length).toBe(example.size);
      expect(example.description.length).toBeGreaterThan(10);
    }
    for (const name of ['nothing.v', '..%2f..%2fpackage.json', '.hidden', 'a%00.v']) {
      const answer = await bench.get(`/examples/${name}`);
      expect([name, answer.status, refusal(answer).error]).toEqual([
        name,
        404,
        expect.stringMatching(/not_found$/),
      ]);
    }
  });

  test('POST /scan matches without building', async () => {
    const form = new FormData();
    form.append('file', new Blob([SOURCE]), 'design.v');
    const answer = await bench.post<{ matched: { module: string } }>('/scan', { body: form });
    expect(answer.status).toBe(200);
    expect(answer.body.matched.module).toBe('echo');
    expect((await bench.post('/scan')).status).toBe(422);
  });
});
