import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { type Bench, type BenchOptions, createBench } from '../../../server/bench.ts';
import type { SettingsPatch } from '../../../server/contract/bench/settings.ts';
import { type Client, createClient } from '../../../server/contract/client/client.ts';
import type { Job } from '../../../server/contract/jobs/jobs.ts';
import type { RunRequest } from '../../../server/contract/jobs/runs.ts';
import type { FpgaSummary } from '../../../server/contract/nodes/nodes.ts';
import { createLogger } from '../../../server/log.ts';
import { FakeBoardPool } from '../fake-board.ts';
import { FakeToolchain, type FakeToolchainOptions } from '../fake-toolchain.ts';
import { type OpenApi, undocumented, wrongBody } from './documented.ts';

/** A Verilog file without instructions for the fake toolchain. */
export const SOURCE = '// a design\nmodule echo;\nendmodule\n';

export interface TestBenchOptions extends Partial<BenchOptions> {
  settings?: SettingsPatch;
  fakeToolchain?: FakeToolchainOptions;
  /** Real boards in place of the fakes. */
  realBoards?: boolean;
}

export interface Answer<T = unknown> {
  status: number;
  headers: Headers;
  body: T;
}

/** The envelope of every error. */
export interface Refusal {
  detail: {
    error: string;
    message: string;
    job_id?: string | null;
    errors?: { loc: (string | number)[]; msg: string; type: string }[];
  };
}

export type Query = Omit<RequestInit, 'body'> & {
  json?: unknown;
  body?: string | Uint8Array<ArrayBuffer> | FormData | Blob;
};

/** Documents by the only limit that is in them; see `documentOf`. */
const documents = new Map<number, Promise<OpenApi>>();

/**
 * The contents of `/openapi.json`, requested once per process: making it takes a third as long as starting a bench. It
 * is the same for benches with one limit of words (`tests/integration/server/api/openapi.test.ts`).
 */
function documentOf({ url, settings }: Bench): Promise<OpenApi> {
  const limit = settings.current.limits.words_per_run;
  const known = documents.get(limit) ?? documentFrom(url);
  documents.set(limit, known);
  known.catch(() => documents.delete(limit));
  return known;
}

/** The answer of the bench at this address itself. */
export const documentFrom = async (url: string): Promise<OpenApi> =>
  (await (await fetch(`${url}/openapi.json`)).json()) as OpenApi;

/** A bench with fake boards and a fake toolchain, with its real HTTP service on a free loopback port. */
export class TestBench {
  readonly bench: Bench;
  readonly boards: FakeBoardPool;
  readonly toolchain: FakeToolchain;
  readonly folder: string;
  readonly openapi: OpenApi;
  readonly #log: string[];

  private constructor(
    bench: Bench,
    boards: FakeBoardPool,
    toolchain: FakeToolchain,
    folder: string,
    openapi: OpenApi,
    log: string[],
  ) {
    this.bench = bench;
    this.boards = boards;
    this.toolchain = toolchain;
    this.folder = folder;
    this.openapi = openapi;
    this.#log = log;
  }

  static async start(options: TestBenchOptions = {}): Promise<TestBench> {
    const { settings, fakeToolchain, realBoards = false, ...rest } = options;
    const folder = options.dataDir ?? (await mkdtemp(path.join(os.tmpdir(), 'wishbench-api-')));
    const boards = new FakeBoardPool();
    const toolchain = new FakeToolchain(fakeToolchain);
    const lines: string[] = [];
    const stream = new PassThrough();
    stream.on('data', (text) => lines.push(String(text)));
    const bench = await createBench({
      dataDir: folder,
      logger: createLogger('info', stream),
      port: 0,
      ...(realBoards ? {} : { boards: async () => boards }),
      toolchain: async () => toolchain,
      // Benches of other tests on this computer are not to find this one, and count as its callers.
      multicast: { interface: '127.0.0.1', port: 20_000 + Math.floor(Math.random() * 12_000) },
      ...rest,
    });
    // From its initial settings: changes take effect at the next start.
    const openapi = await documentOf(bench);
    if (settings) await bench.settings.apply(settings);
    return new TestBench(bench, boards, toolchain, folder, openapi, lines);
  }

  get url(): string {
    return this.bench.url;
  }

  /** What the service wrote to its log so far. */
  get log(): string {
    return this.#log.join('');
  }

  async stop(): Promise<void> {
    await this.bench.close();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** The contract's client, as `owner` if given. */
  client(headers: Record<string, string> = {}): Client {
    return createClient({ base: this.url, fetch: this.#checkedFetch, headers: () => headers });
  }

  /** Every test is a test of the contract: what a route answers must be in it. */
  readonly #checkedFetch: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    const type = response.headers.get('content-type');
    const method = init?.method ?? 'GET';
    const { pathname } = new URL(response.url);
    const wrong =
      undocumented(this.openapi, method, pathname, response.status, type) ??
      (type?.startsWith('application/json') && method !== 'HEAD'
        ? wrongBody(this.openapi, method, pathname, response.status, await response.clone().json())
        : null);
    if (wrong && !type?.startsWith('text/html')) throw new Error(wrong);
    return response;
  };

  /** One request as it is, good or bad; the body is parsed where it is JSON. */
  async ask<T = unknown>(method: string, route: string, query: Query = {}): Promise<Answer<T>> {
    const { json, ...init } = query;
    const response = await this.#checkedFetch(this.url + route, {
      ...init,
      method,
      headers: {
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...(init.headers as Record<string, string> | undefined),
      },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
    return {
      status: response.status,
      headers: response.headers,
      body: (isJson ? JSON.parse(text) : text) as T,
    };
  }

  get = <T = unknown>(route: string, query?: Query) => this.ask<T>('GET', route, query);
  post = <T = unknown>(route: string, query?: Query) => this.ask<T>('POST', route, query);
  put = <T = unknown>(route: string, query?: Query) => this.ask<T>('PUT', route, query);
  delete = <T = unknown>(route: string, query?: Query) => this.ask<T>('DELETE', route, query);

  submit(node: number, source = SOURCE, fields: Record<string, string> = {}, headers = {}) {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    form.append('file', new Blob([source]), 'design.v');
    return this.post<{ job_id: string; fpga_id: number; status: string }>(`/fpga/${node}/submit`, {
      body: form,
      headers,
    });
  }

  async node(fpga_id: number): Promise<FpgaSummary> {
    return await this.client().getNode({ fpga_id });
  }

  /** Waits for the end of a job. */
  async ended(fpga_id: number, job_id: string, headers = {}): Promise<Job> {
    return await this.client(headers).jobEnded({ fpga_id, job_id });
  }

  /** Brings a node to `reserved`; answers with the build job. */
  async reserve(fpga_id: number, headers = {}, source = SOURCE): Promise<Job> {
    const client = this.client(headers);
    const file = { name: 'design.v', contents: source };
    return await client.jobEnded(await client.submitDesign({ fpga_id, body: { file } }));
  }

  /** Runs a transaction to its end; answers with the id of its job. */
  async run(fpga_id: number, body: RunRequest, headers = {}): Promise<string> {
    const client = this.client(headers);
    return (await client.jobEnded(await client.runTransaction({ fpga_id, body }))).job_id;
  }
}
