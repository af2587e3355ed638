import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { resourcePath } from '../../../../../server/paths.ts';
import type { StoredJob } from '../../../../../server/store/index.ts';
import { readFarm } from '../../../../../server/toolchain/farm/farm-view.ts';
import { BASE } from '../../../../../server/toolchain/farm/keys.ts';
import { ServiceProcess } from '../../../../support/browser/service.ts';
import { keepBuilt } from '../../../../support/built.ts';
import { WorkerProcess } from '../../../../support/farm.ts';
import { noRedis, RedisServer } from '../../../../support/redis.ts';
import { temporaryFolder } from '../../../../support/temporary.ts';

const LINES = Array.from({ length: 300 }, (_, i) => `before the gate: ${i + 1}`);

describe.skipIf(noRedis !== null)('a service that stops while workers build', () => {
  const folder = temporaryFolder('restart');
  const [journal, data] = [path.join(folder, 'journal'), path.join(folder, 'data')];
  const echo = readFileSync(resourcePath('examples', 'echo.v'), 'utf8');
  let redis: RedisServer;
  let worker: WorkerProcess;
  let service: ServiceProcess;
  let gates = 0;

  const gate = () => path.join(folder, `gate${gates}`);
  const startWorker = async () => {
    const options = { url: redis.url, name: 'w1', journal, built: data, gate: gate() };
    worker = await WorkerProcess.stub(options);
  };
  const made = () => readFileSync(journal, 'utf8').split('\n').filter(Boolean).length;
  const view = () => redis.with((client) => readFarm(client, 10));
  const log = async (job: { fpga_id: number; job_id: string }) =>
    new TextDecoder().decode(await service.client().getJobLog(job));
  /** Whether the disk has that a build has begun: killed before, the service begins it once more. */
  const isKept = (jobId: string) => {
    const { jobs }: { jobs: StoredJob[] } = JSON.parse(readFileSync(service.benchFile, 'utf8'));
    return jobs.some(({ job }) => job.job_id === jobId && job.status === 'running');
  };
  /** Submits a design and waits until its worker is at the gate, and the bench has stored all its lines. */
  async function begun(node: number, contents: string) {
    const job = await service
      .client()
      .submitDesign({ fpga_id: node, body: { file: { name: 'echo.v', contents } } });
    await expect.poll(() => log(job)).toContain(LINES.at(-1));
    await expect.poll(() => isKept(job.job_id)).toBe(true);
    return job;
  }
  /** The worker's lines are in the log: whole, in order, and once. */
  async function expectLog(job: { fpga_id: number; job_id: string }, ...more: string[]) {
    const text = await log(job);
    const told = text
      .split('\n')
      .flatMap((line) => /\] (before the gate: \d+|behind the gate)$/.exec(line)?.[1] ?? []);
    expect(told).toEqual([...LINES, 'behind the gate']);
    for (const line of ['echo.v (', 'requesting build', 'worker w1 builds it', ...more])
      expect(text.split(line), line).toHaveLength(2);
    const seconds = [...text.matchAll(/^\[ *([\d.]+) /gm)].map(([, number]) => Number(number));
    expect(seconds).toEqual([...seconds].sort((a, b) => a - b));
  }

  beforeAll(async () => {
    writeFileSync(journal, '');
    await keepBuilt(data, ['echo.v']);
    redis = await RedisServer.start();
    await startWorker();
    service = await ServiceProcess.start();
    await service.client().changeSettings({ body: { toolchain: { queue: redis.url } } });
    await service.stop();
    await service.resume();
  });
  afterAll(async () => {
    await service.close();
    await worker.end();
    await redis.stop();
  });

  test('resumes its build after a kill: one job, its complete log, the result', async () => {
    const job = await begun(3, echo);
    await service.stop('SIGKILL');
    await service.resume();
    expect(await service.client().getJob(job)).toMatchObject({ status: 'running' });
    expect(await service.client().getNode({ fpga_id: 3 })).toMatchObject({ state: 'building' });
    writeFileSync(gate(), '');
    expect(await service.client().jobEnded(job)).toMatchObject({ status: 'complete' });
    await expectLog(job, 'the service was restarted: this build is resumed');
    expect(await service.client().getNode({ fpga_id: 3 })).toMatchObject({ state: 'reserved' });
    expect(made()).toBe(1);
    // Redis keeps nothing of it.
    const kept = async () =>
      (await redis.with((client) => client.keys(`${BASE}*`))).filter((key) =>
        /:(log|wants|ended|order):/.test(key),
      );
    await expect.poll(kept).toEqual([]);
  });

  test('after an orderly stop the worker continues the build, and the service learns of its failure', async () => {
    gates++;
    const job = await begun(4, `${echo}// fail-route gate-${gate()} \n`);
    await service.stop('SIGTERM');
    expect((await view()).building).toHaveLength(1);
    writeFileSync(gate(), '');
    await expect.poll(async () => (await view()).building).toEqual([]);
    await service.resume();
    const ended = await service.client().jobEnded(job);
    expect(ended).toMatchObject({ status: 'failed' });
    await expectLog(
      job,
      'the service is stopping: workers continue the build',
      'error: The route stage failed.',
    );
    expect(await service.client().getNode({ fpga_id: 4 })).toMatchObject({ state: 'idle' });
  });

  test('requests a build again that was lost with the queue', async () => {
    gates++;
    const job = await begun(5, `${echo}// fail-place gate-${gate()} \n`);
    await service.stop('SIGKILL');
    await worker.end('SIGKILL');
    await redis.with((client) => client.flushall());
    await startWorker();
    await service.resume();
    await expect.poll(() => log(job)).toContain('the queue lost this build: requesting it again');
    expect(existsSync(gate())).toBe(false);
    writeFileSync(gate(), '');
    expect(await service.client().jobEnded(job)).toMatchObject({ status: 'failed' });
    expect(await log(job)).toContain('error: The place stage failed.');
  });
});
