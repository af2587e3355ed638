import type { BenchStatus, SettingsResponse } from '../../../server/contract/bench.ts';
import type { AssignRequest, BoardList, Finding } from '../../../server/contract/boards.ts';
import type { BuildReport, Example, ScanResult } from '../../../server/contract/designs.ts';
import type { KeyView } from '../../../server/contract/identity.ts';
import type { Accepted, Job, RunRequest, RunResult, SubmitOptions } from '../../../server/contract/jobs.ts';
import type { NodeView } from '../../../server/contract/nodes.ts';
import type { SettingsPatch } from '../../../server/contract/settings.ts';
import { ServiceError } from './errors.ts';
import type { Http } from './http.ts';
import type { SignedIn } from './types.ts';

export interface DesignFile {
  name: string;
  contents: Uint8Array;
}

/** The form of a submit or a scan, as the service reads it. */
export function designForm({ name, contents }: DesignFile, options: SubmitOptions): FormData {
  const form = new FormData();
  if (options.top) form.set('top', options.top);
  if (options.timing_target_mhz !== undefined)
    form.set('timing_target_mhz', String(options.timing_target_mhz));
  if (options.addressing) form.set('addressing', options.addressing);
  if (options.ties && Object.keys(options.ties).length > 0) form.set('ties', JSON.stringify(options.ties));
  form.set('file', new File([contents as BlobPart], name));
  return form;
}

/** The REST service, one method a request. */
export class Service {
  readonly #http: Http;
  constructor(http: Http) {
    this.#http = http;
  }

  /** An identity provider's token for a key of this service. */
  exchange = async (token: string): Promise<SignedIn> => {
    const { api_key, provider_username } = await this.#http.json<{
      api_key: string;
      provider_username: string;
    }>('/auth/idp/exchange', { method: 'POST', json: { provider_token: token } });
    return { apiKey: api_key, username: provider_username, minted: true };
  };

  /** Whose key this is. Rejects with the service's refusal when it knows no such key. */
  checkKey = async (apiKey: string): Promise<SignedIn> => {
    const { username } = await this.#http.json<KeyView>('/auth/keys/me', {
      headers: { 'x-api-key': apiKey },
    });
    return { apiKey, username, minted: false };
  };

  /** Ends the key that this window calls with. */
  revokeOwnKey = async () => {
    await this.#http.send('/auth/keys/me', { method: 'DELETE' });
  };

  keys = () => this.#http.json<KeyView[]>('/auth/keys');
  revokeKey = async (id: string) => {
    await this.#http.send(`/auth/keys/${encodeURIComponent(id)}`, { method: 'DELETE' });
  };

  status = () => this.#http.json<BenchStatus>('/status');
  settings = () => this.#http.json<SettingsResponse>('/settings');
  changeSettings = (patch: SettingsPatch) =>
    this.#http.json<SettingsResponse>('/settings', { method: 'PUT', json: patch });
  boards = () => this.#http.json<BoardList>('/boards');
  assignBoard = (id: number, request: AssignRequest) =>
    this.#http.json<unknown>(`/boards/${id}`, { method: 'PUT', json: request });
  doctor = () => this.#http.json<Finding[]>('/doctor');
  examples = () => this.#http.json<Example[]>('/examples');
  example = async (file: string) =>
    new Uint8Array(
      await (
        await this.#http.send(`/examples/${encodeURIComponent(file)}`, { headers: { accept: '*/*' } })
      ).arrayBuffer(),
    );

  /** Jobs of all nodes, newest first. */
  jobs = (limit: number) => this.#http.json<Job[]>(`/jobs?limit=${limit}`);
  nodeJobs = (id: number, limit: number) => this.#http.json<Job[]>(`/fpga/${id}/jobs?limit=${limit}`);

  /** A job of whatever node; null when no node has it. */
  findJob = async (jobId: string): Promise<{ fpga_id: number; job_id: string } | null> => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, id) =>
        this.job(id, jobId).catch((error: unknown) => {
          if (error instanceof ServiceError && error.status === 404) return null;
          throw error;
        }),
      ),
    );
    return answers.find((job) => job !== null) ?? null;
  };

  node = (id: number, signal?: AbortSignal) =>
    this.#http.json<NodeView>(`/fpga/${id}/details`, signal ? { signal } : {});

  submit = (id: number, file: DesignFile, options: SubmitOptions) =>
    this.#http.json<Accepted>(`/fpga/${id}/submit`, { method: 'POST', form: designForm(file, options) });

  run = (id: number, request: RunRequest, signal?: AbortSignal) =>
    this.#http.json<Accepted>(`/fpga/${id}/run`, {
      method: 'POST',
      json: request,
      ...(signal && { signal }),
    });

  reset = (id: number) => this.#http.json<Accepted>(`/fpga/${id}/reset`, { method: 'POST' });
  release = (id: number) => this.#http.json<Accepted>(`/fpga/${id}/session/release`, { method: 'POST' });

  job = (id: number, jobId: string, waitSeconds = 0, signal?: AbortSignal) =>
    this.#http.json<Job>(
      `/fpga/${id}/jobs/${jobId}/details${waitSeconds > 0 ? `?wait=${waitSeconds}` : ''}`,
      signal ? { signal } : {},
    );

  cancel = async (id: number, jobId: string) => {
    await this.#http.send(`/fpga/${id}/jobs/${jobId}`, { method: 'DELETE' });
  };

  result = (id: number, jobId: string, signal?: AbortSignal) =>
    this.#http.json<RunResult>(`/fpga/${id}/jobs/${jobId}/result`, signal ? { signal } : {});

  report = (id: number, jobId: string, signal?: AbortSignal) =>
    this.#http.json<BuildReport>(`/fpga/${id}/jobs/${jobId}/report`, signal ? { signal } : {});

  /** The log so far, with its length in the file: text that is no valid UTF-8 would measure differently. */
  readLog = async (id: number, jobId: string, signal: AbortSignal) => {
    const path = `/fpga/${id}/jobs/${jobId}/logs`;
    const response = await this.#http.send(path, { headers: { accept: 'text/plain' }, signal });
    const bytes = await response.arrayBuffer();
    return { text: new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes), bytes: bytes.byteLength };
  };

  source = async (id: number, jobId: string, signal?: AbortSignal) =>
    new Uint8Array(
      await (
        await this.#http.send(`/fpga/${id}/jobs/${jobId}/source`, {
          headers: { accept: '*/*' },
          ...(signal && { signal }),
        })
      ).arrayBuffer(),
    );

  bitstream = async (id: number, jobId: string) =>
    new Uint8Array(
      await (
        await this.#http.send(`/fpga/${id}/jobs/${jobId}/artifacts/bitstream`, { headers: { accept: '*/*' } })
      ).arrayBuffer(),
    );

  scan = (file: DesignFile, options: SubmitOptions, signal?: AbortSignal) =>
    this.#http.json<ScanResult>('/scan', {
      method: 'POST',
      form: designForm(file, options),
      ...(signal && { signal }),
    });
}
