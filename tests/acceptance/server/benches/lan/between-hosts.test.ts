import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BuildsView } from '../../../../../server/contract/bench/builds.ts';
import type { BenchView } from '../../../../../server/contract/remote/benches.ts';
import { resourcePath } from '../../../../../server/paths.ts';
import { LabLan, type LanHost, noLan } from '../../../../support/benches/lan/lab-lan.ts';
import { LanBench, startRedis } from '../../../../support/benches/lan/lan-programs.ts';
import type { Accepted } from '../../../../support/benches/several.ts';
import { keepBuilt } from '../../../../support/built.ts';
import { WorkerProcess } from '../../../../support/farm.ts';
import { noRedis } from '../../../../support/redis.ts';
import { runningTime } from '../../../../support/running-time.ts';

const SOON = { interval: 50 };
const ENDED = ['complete', 'failed', 'cancelled'];
/** Promised limit for a dead bench, seconds. */
const DEAD_WITHIN_S = 5;

describe.skipIf(noLan !== null || noRedis !== null)('benches, workers and Redis on four computers', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'wishbench-lan-'));
  const built = path.join(folder, 'built');
  const echo = { name: 'echo.v', contents: readFileSync(resourcePath('examples', 'echo.v'), 'utf8') };
  /** A worker that builds this one waits at a gate. */
  const gate = path.join(folder, 'gate');
  const gated = { name: 'gated.v', contents: `${echo.contents}// gate-${gate}\n` };
  const workers: WorkerProcess[] = [];
  let lan: LabLan;
  let far: LanHost;
  let store: LanHost;
  let cellar: LanHost;
  let a: LanBench;
  let b: LanBench;
  let queue: string;

  const worker = async (host: LanHost, name: string): Promise<void> => {
    workers.push(await WorkerProcess.stub({ url: queue, name, built, lease: 2 }, [], {}, host.within));
  };
  /** The other bench as this one shows it: whether it lives, and where it is. */
  const seen = async () => {
    const [own, ...others] = await a.ask<BenchView[]>('/benches');
    expect(own).toMatchObject({ state: 'live', idle: expect.any(Number) });
    return others.map(({ title, state, address }) => [title, state, address]);
  };
  const jobOf = (id: string) => a.ask<Accepted>(`/jobs/${id}`);

  beforeAll(async () => {
    await keepBuilt(built, ['echo.v', { filename: gated.name, source: gated.contents }]);
    lan = new LabLan();
    const home = lan.host();
    far = lan.host();
    store = lan.host();
    cellar = lan.host();
    queue = await startRedis(store, folder);
    const settings = (title: string, toolchain: object) => ({
      network: { lan: true, tls: { kind: 'own' } },
      auth: { enforcement: true },
      benches: { title, overflow: true },
      toolchain,
    });
    const [data, farData] = ['home', 'far'].map((name) => path.join(folder, name)) as [string, string];
    await Promise.all([keepBuilt(data, ['echo.v']), keepBuilt(farData, ['echo.v'])]);
    [a, b] = await Promise.all([
      LanBench.start(home, data, settings('Home', { queue })),
      LanBench.start(far, farData, settings('Far', {})),
      worker(cellar, 'w1'),
    ]);
  });
  afterAll(async () => {
    await Promise.all(workers.map((one) => one.end()));
    lan?.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  test('find each other without a router; a disconnected bench is dead in time, and found again at a new address', async () => {
    const at = (address: string) => [['Far', 'live', `https://${address}:8443`]];
    await expect.poll(seen, SOON).toEqual(at('10.77.0.2'));
    far.cut();
    const ranFor = await runningTime();
    await expect.poll(seen, SOON).toEqual([['Far', 'dead', 'https://10.77.0.2:8443']]);
    expect(ranFor() / 1000).toBeLessThan(DEAD_WITHIN_S);
    const [, dead] = await a.ask<BenchView[]>('/benches');
    expect(dead?.problem).toMatchObject({
      error: 'bench_dead',
      message: 'The bench “far” does not answer in time.',
      remedy: expect.stringContaining('firewall'),
    });
    far.mend();
    await expect.poll(seen, SOON).toEqual(at('10.77.0.2'));
    far.move('10.77.0.22');
    await expect.poll(seen, SOON).toEqual(at('10.77.0.22'));
    // It says goodbye, and is found again.
    const network = { lan: false };
    await b.ask('/settings', { method: 'PUT', json: { network } });
    await expect.poll(seen, SOON).toEqual([]);
    await b.ask('/settings', { method: 'PUT', json: { network: { lan: true } } });
    await expect.poll(seen, SOON).toEqual(at('10.77.0.22'));
  });

  test('a job without a node goes to the other computer over HTTPS, with that bench’s key', async () => {
    const { api_key: key } = await b.ask<{ api_key: string }>('/auth/keys', {
      method: 'POST',
      json: { owner: 'home' },
    });
    const { lan: open } = await b.ask<{ lan: { tls: { fingerprint: string } } }>('/status');
    const { fingerprint } = open.tls;
    const known = [{ name: 'b', address: `https://${far.address}:8443`, key, fingerprint }];
    await a.ask('/settings', { method: 'PUT', json: { benches: { known } } });
    const submit = async (route: string) => {
      const { job_id: id } = await a.ask<Accepted>(route, { method: 'POST', file: echo });
      await expect.poll(async () => ENDED.includes((await jobOf(id)).status), SOON).toBe(true);
      return await jobOf(id);
    };
    const own = await Promise.all(Array.from({ length: 10 }, (_, node) => submit(`/fpga/${node}/submit`)));
    expect(own.map(({ status }) => status)).toEqual(own.map(() => 'complete'));
    expect(await submit('/submit')).toMatchObject({
      status: 'complete',
      fpga_id: null,
      bench: { name: 'b', address: 'https://10.77.0.22:8443', fpga_id: expect.any(Number), state: 'live' },
    });
  });

  test('a build of a disconnected worker goes to a worker on another computer, once', async () => {
    await a.ask('/fpga/3/session/release', { method: 'POST' });
    await expect.poll(async () => (await a.ask<{ state: string }>('/fpga/3')).state, SOON).toBe('idle');
    const { job_id: id } = await a.ask<Accepted>('/fpga/3/submit', { method: 'POST', file: gated });
    const log = () => a.log(3, id);
    await expect.poll(log, SOON).toContain('worker w1 builds it');
    await worker(store, 'w2');
    cellar.cut();
    await expect.poll(log, SOON).toContain('worker w2 builds it: w1 did not finish it');
    const { building, workers: there, problem } = await a.ask<BuildsView>('/builds');
    expect([building.map((one) => one.worker), there.map(({ name }) => name), problem]).toEqual([
      ['w2'],
      ['w2'],
      null,
    ]);
    // Both end; one of them cannot report it yet, and the other has.
    writeFileSync(gate, '');
    await expect.poll(async () => (await jobOf(id)).status, SOON).toBe('complete');
    const ended = await log();
    cellar.mend();
    await expect.poll(() => workers[0]?.output ?? '', SOON).toMatch(/"reason":"lost"|came too late/);
    await expect
      .poll(async () => (await a.ask<BuildsView>('/builds')).workers.map(({ name }) => name).sort(), SOON)
      .toEqual(['w1', 'w2']);
    expect(await log()).toBe(ended);
    expect(await jobOf(id)).toMatchObject({ status: 'complete' });
  });
});
