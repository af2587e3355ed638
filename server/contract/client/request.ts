import type { UploadedFile } from '../designs/uploads.ts';
import { ENDPOINTS, type EndpointId } from '../endpoints.ts';
import { serviceError, UnreachableError } from './failures.ts';

/** The part of an answer that the client uses. */
export interface Answer extends Pick<Response, 'ok' | 'status' | 'json' | 'text' | 'arrayBuffer' | 'body'> {
  readonly headers: Pick<Headers, 'get'>;
}

/** The part of `fetch` that the client uses: every `fetch` fits. */
export type Fetch = (
  address: string,
  init: {
    method: string;
    headers: Record<string, string>;
    body: string | FormData | null;
    signal: AbortSignal | null;
    cache: 'no-store';
  },
) => Promise<Answer>;

/** The address of the service and the headers of requests. */
export interface ClientOptions {
  /** Address of the service, without a slash at the end; empty for the page's own origin. */
  base?: string;
  fetch?: Fetch;
  /** Headers with credentials; called for every request, since a person may sign in at any time. */
  headers?: (path: string) => Record<string, string> | Promise<Record<string, string>>;
}

export interface CallOptions {
  signal?: AbortSignal | undefined;
  /** In addition to the client's own. */
  headers?: Record<string, string>;
}

/** Parameters of path and query by name, and the body under `body`. */
export type CallInput = Readonly<Record<string, unknown>>;

/** Headers are bytes: a name with non-ASCII letters is sent as UTF-8. */
export const utf8Header = (value: string): string => String.fromCharCode(...new TextEncoder().encode(value));

const text = (value: unknown): string => (typeof value === 'boolean' ? (value ? '1' : '0') : String(value));

/** The path of a call: parameters of the template fill the path, all others form the query. */
function addressOf(template: string, input: CallInput): string {
  const { body: _body, ...parameters } = input;
  const left: Record<string, unknown> = parameters;
  const path = template.replace(/:(\w+)/g, (_match, name: string) => {
    const value = left[name];
    delete left[name];
    return encodeURIComponent(text(value));
  });
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(left))
    for (const one of Array.isArray(value) ? value : [value])
      if (one !== undefined) query.append(name, text(one));
  const tail = query.toString();
  return tail === '' ? path : `${path}?${tail}`;
}

const isFile = (value: unknown): value is UploadedFile =>
  typeof value === 'object' && value !== null && 'name' in value && 'contents' in value;

/** The files of a field: one, or those of a project; null for a field of another kind. */
const filesIn = (value: unknown): UploadedFile[] | null => {
  const all: unknown[] = Array.isArray(value) ? value : [value];
  return all.length > 0 && all.every(isFile) ? all : null;
};

/** A form as the service reads it: the options first, lists of options as JSON, then the files. */
function formOf(body: object): FormData {
  const form = new FormData();
  const entries = Object.entries(body).filter(([, value]) => value !== undefined);
  for (const [name, value] of entries)
    if (!filesIn(value)) form.append(name, typeof value === 'object' ? JSON.stringify(value) : text(value));
  for (const [name, value] of entries)
    for (const { name: file, contents } of filesIn(value) ?? [])
      form.append(name, new File([typeof contents === 'string' ? contents : new Uint8Array(contents)], file));
  return form;
}

function bodyOf(input: CallInput): { body: string | FormData | null; headers: Record<string, string> } {
  const { body } = input;
  if (body === undefined || body === null) return { body: null, headers: {} };
  // The query or a header of the call names the format.
  if (typeof body === 'string') return { body, headers: { 'content-type': 'text/plain; charset=utf-8' } };
  if (typeof body === 'object' && Object.values(body).some(filesIn))
    return { body: formOf(body), headers: {} };
  return { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
}

/** Sends one request. Rejects with ServiceError, UnreachableError, or the signal's reason. */
export async function send(
  client: ClientOptions,
  id: EndpointId,
  input: CallInput,
  options: CallOptions,
): Promise<Answer> {
  const { base = '', fetch: doFetch = fetch } = client;
  const { method, path, answer } = ENDPOINTS[id];
  const address = addressOf(path, input);
  const { body, headers } = bodyOf(input);
  const init = {
    method,
    headers: {
      accept: answer === 'json' ? 'application/json' : '*/*',
      ...(await client.headers?.(address)),
      ...headers,
      ...options.headers,
    },
    body,
    signal: options.signal ?? null,
    cache: 'no-store' as const,
  };
  let response: Answer;
  try {
    response = await doFetch(base + address, init);
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw new UnreachableError(`No service answers at ${base === '' ? 'this address' : base}.`, {
      cause: error,
    });
  }
  if (!response.ok) throw await serviceError(response);
  return response;
}
