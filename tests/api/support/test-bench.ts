import type { FpgaSummary } from '../../../server/contract/nodes.ts';
import type { Job } from '../../../server/contract/jobs.ts';
import type { SettingsPatch } from '../../../server/contract/settings.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { type Bench, type BenchOptions, createBench } from '../../../server/bench.ts';
import { createLogger } from '../../../server/log.ts';
import { FakeBoardPool } from '../../support/fake-board.ts';
import { FakeToolchain, type FakeToolchainOptions } from '../../support/fake-toolchain.ts';
import { type OpenApi, undocumented } from './documented.ts';

/** A Verilog file whose text tells the fake toolchain nothing in particular. */
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

/** A bench with fake boards and a fake toolchain behind its real HTTP service, on a free loopback port. */
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
      ...rest,
    });
    if (settings) await bench.settings.apply(settings);
    const openapi = (await (await fetch(`${bench.url}/openapi.json`)).json()) as OpenApi;
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

  /** One request; the body is parsed where it is JSON. */
  async ask<T = unknown>(method: string, route: string, query: Query = {}): Promise<Answer<T>> {
    const { json, ...init } = query;
    const response = await fetch(this.url + route, {
      ...init,
      method,
      headers: {
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...(init.headers as Record<string, string> | undefined),
      },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    });
    const text = await response.text();
    // Every test is a test of the document: what a route answers must be in it.
    const type = response.headers.get('content-type');
    const wrong = undocumented(this.openapi, method, new URL(response.url).pathname, response.status, type);
    if (wrong && !type?.startsWith('text/html')) throw new Error(wrong);
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

  async node(id: number): Promise<FpgaSummary> {
    return (await this.get<FpgaSummary>(`/fpga/${id}`)).body;
  }

  /** Waits for the end of a job. */
  async ended(node: number, jobId: string, headers = {}): Promise<Job> {
    for (;;) {
      const { status, body } = await this.get<Job>(`/fpga/${node}/jobs/${jobId}/details?wait=20`, {
        headers,
      });
      if (status !== 200) throw new Error(`job ${jobId}: status ${status} ${JSON.stringify(body)}`);
      if (body.status !== 'queued' && body.status !== 'running') return body;
    }
  }

  /** Brings a node to `reserved`; answers with the build job. */
  async reserve(node: number, headers = {}): Promise<Job> {
    const { status, body } = await this.submit(node, SOURCE, {}, headers);
    if (status !== 202) throw new Error(`submit: ${status} ${JSON.stringify(body)}`);
    return await this.ended(node, body.job_id, headers);
  }

  /** Runs a transaction to its end; answers with the id of its job. */
  async run(node: number, request: object, headers = {}): Promise<string> {
    const { status, body } = await this.post<{ job_id: string }>(`/fpga/${node}/run`, {
      json: request,
      headers,
    });
    if (status !== 202) throw new Error(`run: ${status} ${JSON.stringify(body)}`);
    await this.ended(node, body.job_id, headers);
    return body.job_id;
  }
}
