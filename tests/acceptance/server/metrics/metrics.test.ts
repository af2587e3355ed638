import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Job } from '../../../../server/contract/jobs/jobs.ts';
import { BenchMetrics } from '../../../../server/metrics/bench-metrics.ts';
import { countedToolchain } from '../../../../server/metrics/counted-toolchain.ts';
import { resourcePath } from '../../../../server/paths.ts';
import { TestBench } from '../../../support/api/test-bench.ts';
import { freePort } from '../../../support/free-ports.ts';
import { freshToolchain, record, requestOf } from '../../../support/toolchain/build/support.ts';

const installed = (program: string): boolean =>
  (process.env['PATH'] ?? '').split(path.delimiter).some((folder) => existsSync(path.join(folder, program)));

const ECHO = readFileSync(resourcePath('examples', 'echo.v'), 'utf8');
/** slang has no nets of this kind in what it makes. */
const ONLY_FOR_YOSYS = ECHO.replace('endmodule', '  supply0 nothing;\nendmodule');

let bench: TestBench;
beforeAll(async () => {
  bench = await TestBench.start();
});
afterAll(() => bench.stop());

const scrape = async (): Promise<string> => (await bench.get<string>('/metrics')).body;

/** The value of the one sample with these labels; NaN when there is none. */
function sample(text: string, name: string, labels: Record<string, string> = {}): number {
  for (const line of text.split('\n')) {
    const found = /^([a-z_]+)(?:\{(.*)\})? (\S+)$/.exec(line);
    if (found?.[1] !== name) continue;
    const has = Object.fromEntries(
      [...(found[2] ?? '').matchAll(/(\w+)="([^"]*)"/g)].map((m) => [m[1], m[2]]),
    );
    if (Object.entries(labels).every(([key, value]) => has[key] === value)) return Number(found[3]);
  }
  return Number.NaN;
}

describe('GET /metrics', () => {
  test('counts each job once, with its outcome, its duration and its build', async () => {
    const before = await scrape();
    expect(sample(before, 'wishbench_jobs_total', { type: 'build_and_program', outcome: 'complete' })).toBe(
      0,
    );
    await bench.reserve(3);
    await bench.run(3, { op: 1, address: 0, data: [1, 2] });
    await bench.run(3, { op: 2, address: 0, count: 2 });
    // A request counts once its response has been sent.
    const runs = { route: '/fpga/:fpga_id/run', status: '202' };
    await expect.poll(async () => sample(await scrape(), 'wishbench_http_requests_total', runs)).toBe(2);
    const text = await scrape();
    expect(sample(text, 'wishbench_jobs_total', { type: 'build_and_program', outcome: 'complete' })).toBe(1);
    expect(sample(text, 'wishbench_jobs_total', { type: 'run', outcome: 'complete' })).toBe(2);
    expect(sample(text, 'wishbench_job_seconds_count', { type: 'run' })).toBe(2);
    expect(sample(text, 'wishbench_job_wait_seconds_count', { type: 'run' })).toBe(2);
    expect(sample(text, 'wishbench_builds_total', { outcome: 'built' })).toBe(1);
    expect(sample(text, 'wishbench_sessions')).toBe(1);
    expect(sample(text, 'wishbench_nodes', { state: 'reserved' })).toBe(1);
    expect(sample(text, 'wishbench_nodes', { state: 'idle' })).toBe(9);
    expect(sample(text, 'wishbench_store_flush_seconds_count')).toBeGreaterThan(2);
    expect(sample(text, 'wishbench_store_healthy')).toBe(1);
    expect(sample(text, 'process_resident_memory_bytes')).toBeGreaterThan(1e6);
    expect(text).toContain('nodejs_eventloop_lag_p99_seconds');
  });

  test('counts failures by code, and link errors separately', async () => {
    const metrics = new BenchMetrics('1.2.3');
    const job: Job = {
      job_id: randomUUID(),
      fpga_id: 4,
      type: 'run',
      status: 'running',
      owner: 'anonymous',
      created_at: '2026-01-01T00:00:00.000Z',
      started_at: '2026-01-01T00:00:01.000Z',
      updated_at: '2026-01-01T00:00:03.000Z',
    };
    metrics.onEvent({ type: 'job', job });
    const failure = { error: 'link_silent', message: 'It says nothing.', remedy: 'Look.' };
    // The end is announced twice and counted once.
    for (let times = 0; times < 2; times += 1)
      metrics.onEvent({ type: 'job', job: { ...job, status: 'failed', failure } });
    const text = await metrics.text();
    expect(sample(text, 'wishbench_job_failures_total', { type: 'run', code: 'link_silent' })).toBe(1);
    expect(sample(text, 'wishbench_link_errors_total', { code: 'link_silent' })).toBe(1);
    expect(sample(text, 'wishbench_link_errors_total', { code: 'link_corrupted' })).toBe(0);
    expect(sample(text, 'wishbench_job_seconds_sum', { type: 'run' })).toBe(3);
    expect(sample(text, 'wishbench_job_wait_seconds_sum', { type: 'run' })).toBe(1);
  });

  test('counts builds that use the fallback front end, without cached ones', async () => {
    const { toolchain, dispose } = freshToolchain();
    try {
      const metrics = new BenchMetrics('1.2.3');
      const { build } = countedToolchain(toolchain, metrics);
      const count = async () => sample(await metrics.text(), 'wishbench_builds_read_by_fallback_total');
      await build(requestOf(ECHO, 'echo.v'), record());
      expect(await count()).toBe(0);
      for (const cached of [false, true])
        expect(await build(requestOf(ONLY_FOR_YOSYS), record())).toMatchObject({ cached });
      expect(await count()).toBe(1);
    } finally {
      await dispose();
    }
  });

  test('has no label that a caller can invent', async () => {
    for (const address of ['/nonsense-1', '/fpga/3/jobs/nonsense-2', '/fpga/nonsense-3'])
      await fetch(bench.url + address, { headers: { 'x-api-key': 'nonsense-4' } });
    expect(await scrape()).not.toContain('nonsense');
  });

  test('is open to this computer when API keys are enforced', async () => {
    await bench.put('/settings', { json: { auth: { enforcement: true } } });
    expect((await bench.get('/fpga')).status).toBe(401);
    expect((await bench.get('/metrics')).status).toBe(200);
    await bench.put('/settings', { json: { auth: { enforcement: false } } });
  });

  const lan = Object.values(os.networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ internal, family }) => !internal && family === 'IPv4')?.address;

  test.skipIf(lan === undefined)('requires a key on the LAN, enforced or not', async () => {
    await bench.put('/settings', { json: { network: { lan: true } } });
    await bench.put('/settings', { json: { auth: { enforcement: false } } });
    const remote = `http://${lan}:${bench.bench.port}`;
    expect((await fetch(`${remote}/fpga`)).status).toBe(200);
    expect((await fetch(`${remote}/metrics`)).status).toBe(401);
    await bench.put('/settings', { json: { network: { lan: false } } });
  });

  test.skipIf(!installed('promtool'))('passes promtool check', async () => {
    // Node's own metrics belong to their library.
    const { stderr, stdout } = spawnSync('promtool', ['check', 'metrics'], { input: await scrape() });
    expect(`${stdout}${stderr}`.split('\n').filter((line) => !line.startsWith('nodejs_'))).toEqual(['']);
  });
});

describe.skipIf(!installed('prometheus'))('a real Prometheus', () => {
  test('scrapes it, and answers every query of the dashboard', async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'wishbench-prometheus-'));
    const config = path.join(folder, 'prometheus.yml');
    const target = new URL(bench.url).host;
    await writeFile(
      config,
      `global: {scrape_interval: 1s}\nscrape_configs:\n- {job_name: wishbench, static_configs: [{targets: ["${target}"]}]}\n`,
    );
    const port = await freePort();
    const prometheus = spawn(
      'prometheus',
      [
        `--config.file=${config}`,
        `--storage.tsdb.path=${path.join(folder, 'data')}`,
        `--web.listen-address=127.0.0.1:${port}`,
      ],
      { stdio: 'ignore' },
    );
    const ended = new Promise((resolve) => prometheus.once('exit', resolve));
    try {
      const query = async (expression: string): Promise<{ value: [number, string] }[]> => {
        const asked = await fetch(
          `http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(expression)}`,
        ).catch(() => null);
        if (!asked) return [];
        const answer = (await asked.json()) as {
          status: string;
          error?: string;
          data?: { result: { value: [number, string] }[] };
        };
        if (answer.status !== 'success') throw new Error(`${expression}: ${answer.error}`);
        return answer.data?.result ?? [];
      };
      await expect
        .poll(async () => (await query('sum(wishbench_nodes)'))[0]?.value[1], { interval: 200 })
        .toBe('10');
      const dashboard = JSON.parse(readFileSync(resourcePath('grafana', 'wishbench.json'), 'utf8')) as {
        panels: { title: string; targets?: { expr: string }[] }[];
      };
      const expressions = dashboard.panels.flatMap(({ targets }) => targets ?? []).map(({ expr }) => expr);
      expect(expressions.length).toBeGreaterThan(12);
      // A name that the service does not have would be an empty panel.
      const names = [...(await scrape()).matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
      for (const expression of expressions) {
        await query(expression.replaceAll('$__rate_interval', '1m'));
        for (const [name] of expression.matchAll(/\b(wishbench|process|nodejs)_[a-z0-9_]+/g))
          expect(names, expression).toContain(name.replace(/_bucket$/, ''));
      }
    } finally {
      prometheus.kill();
      await ended;
      await rm(folder, { recursive: true, force: true });
    }
  });
});
