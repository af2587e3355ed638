import { serviceError, UnreachableError } from './errors.ts';

/** Where requests go and what they carry. */
export interface HttpOptions {
  /** Origin of the service without a slash at the end; empty for the page's own. */
  base: string;
  fetch: typeof fetch;
  /** Headers that say who calls; read at every request, since a person may sign in at any time. */
  headers(path: string): Promise<Record<string, string>>;
}

export interface RequestOptions {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  json?: unknown;
  form?: FormData;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/** One request to the service. Rejects with ServiceError, UnreachableError, or the signal's AbortError. */
export class Http {
  readonly options: HttpOptions;

  constructor(options: HttpOptions) {
    this.options = options;
  }

  async send(path: string, request: RequestOptions = {}): Promise<Response> {
    const headers: Record<string, string> = {
      accept: 'application/json',
      ...(await this.options.headers(path)),
      ...request.headers,
    };
    if (request.json !== undefined) headers['content-type'] = 'application/json';
    let response: Response;
    try {
      response = await this.options.fetch(this.options.base + path, {
        method: request.method ?? 'GET',
        headers,
        body: request.form ?? (request.json === undefined ? null : JSON.stringify(request.json)),
        signal: request.signal ?? null,
        cache: 'no-store',
      });
    } catch (error) {
      if (request.signal?.aborted) throw error;
      throw new UnreachableError('The service did not answer.', { cause: error });
    }
    if (!response.ok) throw await serviceError(response);
    return response;
  }

  async json<T>(path: string, request?: RequestOptions): Promise<T> {
    return (await (await this.send(path, request)).json()) as T;
  }
}
