import os from 'node:os';

/** The service refused or could not be reached: its own sentence. */
export class ServiceRefusal extends Error {
  override readonly name = 'ServiceRefusal';
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

export interface JobView {
  job_id: string;
  fpga_id: number;
  type: string;
  status: string;
  created_at: string;
  updated_at: string;
  owner: string;
  stage?: string;
  fraction?: number;
  cached?: boolean;
  summary?: string;
  failure?: { error: string; message: string; remedy: string };
}

export interface NodeSummary {
  fpga_id: number;
  state: string;
  session: { session_id: string; owner: string; expires_at: string } | null;
  current_job_id: string | null;
}

export interface Accepted {
  job_id: string;
}

export interface ClientOptions {
  url: string;
  key?: string;
  session?: string;
}

/** Seconds that one request waits for a change of a job. */
const WAIT_SECONDS = 30;

/** The REST service, as the commands use it. */
export class ServiceClient {
  readonly #base: string;
  readonly #headers: Record<string, string>;

  constructor(options: ClientOptions) {
    this.#base = options.url.replace(/\/+$/, '');
    const key = options.key ?? process.env.WISHBENCH_API_KEY ?? os.userInfo().username;
    const session = options.session ?? process.env.WISHBENCH_SESSION_ID;
    // Header values are bytes: names beyond Latin-1 travel as UTF-8.
    this.#headers = {
      'X-API-Key': Buffer.from(key, 'utf8').toString('latin1'),
      ...(session ? { 'X-Session-ID': session } : {}),
    };
  }

  /** @throws ServiceRefusal. */
  async send(route: string, init: RequestInit = {}): Promise<Response> {
    let response: Response;
    try {
      response = await fetch(this.#base + route, {
        ...init,
        headers: { ...this.#headers, ...(init.headers as Record<string, string> | undefined) },
      });
    } catch (error) {
      const { code } = ((error as Error).cause ?? {}) as NodeJS.ErrnoException;
      throw new ServiceRefusal(
        'unreachable',
        `No service answers at ${this.#base}${code ? ` (${code})` : ''}. Start one with “serve”, or give its --url.`,
      );
    }
    if (response.ok) return response;
    const body = (await response.json().catch(() => ({}))) as {
      detail?: { error?: string; message?: string };
    };
    throw new ServiceRefusal(
      body.detail?.error ?? `http_${response.status}`,
      body.detail?.message ?? `The service answered with status ${response.status}.`,
    );
  }

  async json<T>(route: string, init?: RequestInit): Promise<T> {
    return (await (await this.send(route, init)).json()) as T;
  }

  submit(node: number, filename: string, source: Uint8Array, fields: Record<string, string>) {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    form.append('file', new Blob([new Uint8Array(source)]), filename);
    return this.json<Accepted>(`/fpga/${node}/submit`, { method: 'POST', body: form });
  }

  run(node: number, request: object) {
    return this.json<Accepted>(`/fpga/${node}/run`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(request),
    });
  }

  post(route: string) {
    return this.json<Accepted>(route, { method: 'POST' });
  }

  job(node: number, job: string) {
    return this.json<JobView>(`/fpga/${node}/jobs/${encodeURIComponent(job)}/details`);
  }

  result(node: number, job: string) {
    return this.json<{ ok: boolean; data: number[] }>(`/fpga/${node}/jobs/${job}/result`);
  }

  /** Waits for the end of a job. */
  async ended(node: number, job: string): Promise<JobView> {
    for (;;) {
      const view = await this.json<JobView>(
        `/fpga/${node}/jobs/${encodeURIComponent(job)}/details?wait=${WAIT_SECONDS}`,
      );
      if (view.status !== 'queued' && view.status !== 'running') return view;
    }
  }

  async log(node: number, job: string): Promise<string> {
    return (await this.send(`/fpga/${node}/jobs/${encodeURIComponent(job)}/logs`)).text();
  }

  /** The log as it grows, until the job ends. */
  async *followLog(node: number, job: string): AsyncIterable<Uint8Array> {
    const response = await this.send(`/fpga/${node}/jobs/${encodeURIComponent(job)}/logs?follow=1`);
    for await (const chunk of response.body ?? []) yield chunk as Uint8Array;
  }
}
