import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { runnerImport } from 'vite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SOURCE, TestBench } from '../../support/api/test-bench.ts';

/**
 * Clients that generators make from openapi.json: they compile strictly, and run the whole flow against the real
 * service. The generators are a package of their own, because they need a TypeScript with an API: `npm ci --prefix
 * tests/generated-clients`.
 */

const here = path.dirname(fileURLToPath(import.meta.url));
const installed = existsSync(path.join(here, 'node_modules', 'openapi-typescript'));

const HEY_API = `
import { createClient } from './hey/client/index.ts';
import * as bench from './hey/sdk.gen.ts';

export async function flow(baseUrl: string, source: string): Promise<number[]> {
  const client = createClient({ baseUrl });
  const asked = { client, throwOnError: true } as const;
  const { data: accepted } = await bench.submitToAnyNode({ ...asked, body: { file: new File([source], 'echo.v') } });
  const waiting: null | number = accepted.fpga_id;
  if (waiting !== null) throw new Error('it has a node already');
  for (;;) {
    const { data: job } = await bench.findJob({ ...asked, path: { job_id: accepted.job_id }, query: { wait: 30 } });
    if (job.status === 'queued' || job.status === 'running') continue;
    if (job.fpga_id === null || job.status !== 'complete') throw new Error(job.status);
    const fpga_id = job.fpga_id;
    const { data: nodes } = await bench.listNodes(asked);
    const owner: string | null | undefined = nodes[fpga_id]?.owner;
    if (owner !== 'anonymous') throw new Error('the node is not held');
    await bench.runTransaction({ ...asked, path: { fpga_id }, query: { wait: 5 }, body: { op: 1, address: 16, data: [7, 8] } });
    const { data: read } = await bench.runTransaction({ ...asked, path: { fpga_id }, query: { wait: 5 }, body: { op: 2, address: 16, count: 2 } });
    if ('job_id' in read) throw new Error('it has not ended in time');
    await bench.releaseSession({ ...asked, path: { fpga_id } });
    return read.data;
  }
}
`;

const OPENAPI_TYPESCRIPT = `
import createClient from 'openapi-fetch';
import type { paths } from './schema.ts';

export async function flow(baseUrl: string, source: string): Promise<number[]> {
  const client = createClient<paths>({ baseUrl });
  const form = new FormData();
  form.append('file', new File([source], 'echo.v'));
  const { data: accepted } = await client.POST('/submit', { body: { file: '' }, bodySerializer: () => form });
  if (!accepted) throw new Error('refused');
  for (;;) {
    const { data: job } = await client.GET('/jobs/{job_id}', { params: { path: { job_id: accepted.job_id }, query: { wait: 30 } } });
    if (!job) throw new Error('lost');
    if (job.status === 'queued' || job.status === 'running') continue;
    if (job.fpga_id === null || job.status !== 'complete') throw new Error(job.status);
    const params = { path: { fpga_id: job.fpga_id }, query: { wait: 5 } };
    await client.POST('/fpga/{fpga_id}/run', { params, body: { op: 1, address: 16, data: [7, 8] } });
    const { data: read } = await client.POST('/fpga/{fpga_id}/run', { params, body: { op: 2, address: 16, count: 2 } });
    if (!read || 'job_id' in read) throw new Error('it has not ended in time');
    const { data: released, error } = await client.POST('/fpga/{fpga_id}/session/release', { params: { path: params.path } });
    if (!released) throw new Error(error.detail.error);
    return read.data;
  }
}
`;

const TSCONFIG = {
  compilerOptions: {
    strict: true,
    noUncheckedIndexedAccess: true,
    target: 'es2022',
    module: 'esnext',
    moduleResolution: 'bundler',
    allowImportingTsExtensions: true,
    noEmit: true,
    lib: ['es2023', 'dom', 'dom.iterable'],
    types: [],
    skipLibCheck: true,
  },
  include: ['*.ts', 'hey/**/*.ts'],
};

describe.skipIf(!installed)('from openapi.json', () => {
  let bench: TestBench;
  let folder: string;
  const tool = (name: string, ...args: string[]) =>
    promisify(execFile)(path.join(here, 'node_modules', '.bin', name), args, {
      cwd: folder,
      // No check for a newer version, and no telemetry.
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', CI: '1' },
    }).catch((error: { stdout?: string; stderr?: string }) => {
      throw new Error(`${name}: ${error.stdout}\n${error.stderr}`);
    });

  beforeAll(async () => {
    bench = await TestBench.start();
    // Below the generators' folder, where what they generate finds its packages.
    await mkdir(path.join(here, '.wishbench'), { recursive: true });
    folder = await mkdtemp(path.join(here, '.wishbench', 'clients-'));
    const files = {
      'openapi.json': JSON.stringify(bench.openapi),
      'tsconfig.json': JSON.stringify(TSCONFIG),
      'hey-flow.ts': HEY_API,
      'schema-flow.ts': OPENAPI_TYPESCRIPT,
    };
    for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text);
    await tool('openapi-ts', '-i', 'openapi.json', '-o', 'hey', '-c', '@hey-api/client-fetch');
    await tool('openapi-typescript', 'openapi.json', '-o', 'schema.ts', '--default-non-nullable=false');
  });
  afterAll(async () => {
    await bench.stop();
    await rm(folder, { recursive: true, force: true });
  });

  test('the document has no errors, and one warning that is wrong', async () => {
    const { stdout } = await tool('redocly', 'lint', '--format=json', 'openapi.json');
    const { problems } = JSON.parse(stdout) as {
      problems: { ruleId: string; message: string; location: { pointer?: string }[] }[];
    };
    const found = problems.map(({ ruleId, location }) => `${ruleId} at ${location[0]?.pointer}`);
    // A WebSocket is open with 101, which this rule does not take for a success.
    expect(found).toEqual(['operation-2xx-response at #/paths/~1fpga~1{fpga_id}~1stream/get/responses']);
  });

  test('the clients compile strictly', async () => {
    await tool('tsc', '-p', 'tsconfig.json');
  });

  test.each(['hey-flow.ts', 'schema-flow.ts'])('%s goes from a source to registers', async (file) => {
    const { module } = await runnerImport<{ flow: (url: string, source: string) => Promise<number[]> }>(
      path.join(folder, file),
      { root: folder, configFile: false, logLevel: 'error' },
    );
    expect(await module.flow(bench.url, SOURCE)).toEqual([7, 8]);
  });
});
