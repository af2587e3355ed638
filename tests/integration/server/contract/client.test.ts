import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClient } from '../../../../server/contract/client/client.ts';
import { ServiceError, UnreachableError } from '../../../../server/contract/client/failures.ts';
import { ENDPOINTS, type EndpointId } from '../../../../server/contract/endpoints.ts';
import type { Job } from '../../../../server/contract/jobs/jobs.ts';
import { SOURCE, TestBench } from '../../../support/api/test-bench.ts';

/** The typed client against the real service: every answer is checked against the contract on the way. */

let bench: TestBench;
beforeAll(async () => {
  bench = await TestBench.start();
});
afterAll(() => bench.stop());

const design = { name: 'echo.v', contents: SOURCE };

test('submit, wait, run, read the result, release', async () => {
  const client = bench.client({ 'x-api-key': 'alice' });
  const seen: string[] = [];
  const submitted = await client.submitDesign({ fpga_id: 0, body: { file: design, top: 'echo' } });
  const built = await client.jobEnded(submitted, { onChange: ({ status }) => seen.push(status) });
  expect(built).toMatchObject({ status: 'complete', owner: 'alice', submit: { options: { top: 'echo' } } });
  expect(seen.at(-1)).toBe('complete');
  expect((await client.getNode({ fpga_id: 0 })).session?.owner).toBe('alice');

  await client.jobEnded(
    await client.runTransaction({ fpga_id: 0, body: { op: 1, address: 16, data: [7, 0xffff_ffff] } }),
  );
  const read = await client.runTransaction({ fpga_id: 0, body: { op: 2, address: 16, count: 2 } });
  await client.jobEnded(read);
  expect(await client.getRunResult(read)).toEqual({ ok: true, data: [7, 0xffff_ffff] });

  const released = await client.jobEnded(await client.releaseSession({ fpga_id: 0 }));
  expect(released.type).toBe('reset');
  expect((await client.getNode({ fpga_id: 0 })).state).toBe('idle');
});

test('files come as their bytes, options of a form in their types', async () => {
  const client = bench.client();
  const body = { file: design, ties: { irq: 1 as const }, timing_target_mhz: 12.5 };
  const job = await client.jobEnded(await client.submitDesign({ fpga_id: 1, body }));
  expect(job.submit?.options).toEqual({ ties: { irq: 1 }, timing_target_mhz: 12.5 });
  expect(new TextDecoder().decode(await client.getSource(job))).toBe(SOURCE);
  expect((await client.getBitstream(job)).length).toBe((await client.getBuildReport(job)).bitstream_size);
  const log = new TextDecoder().decode(await client.getJobLog(job));
  expect(log).toContain('synthesis of echo.v');
  expect(new TextDecoder().decode(await client.getJobLog({ ...job, offset: 10 }))).toBe(log.slice(10));
});

test('a log is followed until its job ends', async () => {
  const client = bench.client();
  const job = await client.submitDesign({ fpga_id: 2, body: { file: design } });
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of client.followLog(job)) text += decoder.decode(chunk, { stream: true });
  expect(text).toContain('the board runs build');
  expect((await client.getJob(job)).status).toBe('complete');
});

describe('GET /jobs/{job_id}', () => {
  test('finds a job on any node, with the fields of a job', async () => {
    const client = bench.client();
    const { job_id } = await bench.reserve(3);
    const found = await client.findJob({ job_id });
    expect(found).toEqual(await client.getJob({ fpga_id: 3, job_id }));
    expect(Object.keys(found)).toEqual(['job_id', 'fpga_id', 'type', 'status', 'created_at', 'updated_at']);
  });

  test('waits for a change of it', async () => {
    const client = bench.client();
    const file = { name: 'slow.v', contents: `${SOURCE}// hang-place` };
    const { job_id } = await client.submitDesign({ fpga_id: 4, body: { file } });
    for (;;) {
      const { status } = await client.findJob({ job_id, wait: 30 });
      if (status === 'running') return;
    }
  });

  test('rejects unknown ids and ids that are no UUID', async () => {
    const client = bench.client();
    const unknown = client.findJob({ job_id: '00000000-0000-4000-8000-000000000000' });
    await expect(unknown).rejects.toMatchObject({ status: 404, code: 'job_not_found' });
    await expect(client.findJob({ job_id: '7' })).rejects.toMatchObject({
      status: 422,
      code: 'validation_error',
      fields: [{ loc: ['path', 'job_id'], type: 'uuid_parsing' }],
    });
  });
});

test('lists filter: several statuses, a limit', async () => {
  const client = bench.client();
  const jobs = await client.listJobs({ status: ['complete', 'running'], limit: 3 });
  expect(jobs).toHaveLength(3);
  const ended: Job[] = await client.listNodeJobs({ fpga_id: 0, status: ['cancelled'] });
  expect(ended).toEqual([]);
});

test('a refusal has its status, its code, its job and its fields', async () => {
  const client = bench.client();
  const { job_id } = await bench.reserve(5);
  const refused = client.submitDesign({ fpga_id: 5, body: { file: design } });
  await expect(refused).rejects.toBeInstanceOf(ServiceError);
  await expect(refused).rejects.toMatchObject({ status: 409, code: 'fpga_not_idle' });
  await expect(client.cancelJob({ fpga_id: 5, job_id })).rejects.toMatchObject({
    code: 'job_not_cancellable',
    jobId: job_id,
  });
});

test('an unreachable service has its own error with the cause; an aborted call rejects with its signal’s', async () => {
  const nobody = createClient({ base: 'http://127.0.0.1:1' });
  await expect(nobody.getHealth()).rejects.toBeInstanceOf(UnreachableError);
  await expect(nobody.getHealth()).rejects.toHaveProperty('cause');
  const aborted = bench.client().getHealth({}, { signal: AbortSignal.abort() });
  await expect(aborted).rejects.toHaveProperty('name', 'AbortError');
});

test('a proxy’s error response is reported by its status', async () => {
  const client = createClient({
    base: 'http://bench',
    fetch: async () => new Response('<h1>Bad gateway</h1>', { status: 502 }),
  });
  await expect(client.listNodes()).rejects.toMatchObject({ status: 502, code: 'http_502' });
});

test('the service serves exactly the operations of the contract, by name', () => {
  const served = Object.entries(bench.openapi.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => [operationId, method.toUpperCase(), path]),
  );
  const said = (Object.keys(ENDPOINTS) as EndpointId[]).map((id) => {
    const { method, path } = ENDPOINTS[id];
    return [id, method, path.replace(/:(\w+)/g, '{$1}')];
  });
  expect(served.sort()).toEqual(said.sort());
});
