import { ENDPOINTS, type EndpointId } from '../endpoints.ts';
import type { Accepted, JobStatus } from '../jobs/jobs.ts';
import type { RunResult } from '../jobs/runs.ts';
import type { AnswerOf, BodyOf, ParamsOf, QueryOf } from '../route.ts';
import type { Routes } from '../routes.ts';
import { type Answer, type CallInput, type CallOptions, type ClientOptions, send } from './request.ts';

/** The input of a call: parameters of path and query by name, the body under `body`. */
type Input<K extends EndpointId> = ParamsOf<Routes[K]> &
  QueryOf<Routes[K]> &
  ([BodyOf<Routes[K]>] extends [never] ? unknown : { body: BodyOf<Routes[K]> });

/** The result of a call: the JSON, the bytes of a file, or nothing. */
type Output<K extends EndpointId> = {
  json: AnswerOf<Routes[K]>;
  bytes: Uint8Array<ArrayBuffer>;
  empty: undefined;
  events: Answer;
  upgrade: never;
}[(typeof ENDPOINTS)[K]['answer']];

type Call<K extends EndpointId> =
  // biome-ignore lint/complexity/noBannedTypes: the empty object is what a call without needs takes.
  {} extends Input<K>
    ? (input?: Input<K>, options?: CallOptions) => Promise<Output<K>>
    : (input: Input<K>, options?: CallOptions) => Promise<Output<K>>;

/** A run returns its job; with `wait` it returns the result if the run has ended. */
interface RunCall {
  (input: Input<'runTransaction'> & { wait?: undefined }, options?: CallOptions): Promise<Accepted>;
  (input: Input<'runTransaction'>, options?: CallOptions): Promise<Accepted | RunResult>;
}

type Calls = { readonly [K in EndpointId]: K extends 'runTransaction' ? RunCall : Call<K> };

type JobAddress = { fpga_id: number; job_id: string };

/** The typed client: one method for each operation of openapi.json, and helpers that need several requests. */
export interface Client extends Calls {
  readonly options: ClientOptions;
  /** Waits for the end of a job by long polls. Calls `onChange` on every change of its status. */
  jobEnded(
    job: JobAddress,
    options?: CallOptions & { onChange?: (job: Output<'getJobDetails'>) => void },
  ): Promise<Output<'getJobDetails'>>;
  /** The log from its beginning, then each addition, until the job ends. */
  followLog(job: JobAddress & { offset?: number }, options?: CallOptions): AsyncIterable<Uint8Array>;
}

/** Seconds that one request waits for a change of a job. */
const WAIT_SECONDS = 30;

const ended = (status: JobStatus): boolean => status !== 'queued' && status !== 'running';

async function read(response: Answer, answer: (typeof ENDPOINTS)[EndpointId]['answer']): Promise<unknown> {
  switch (answer) {
    case 'json':
      return response.status === 204 ? undefined : await response.json();
    case 'bytes':
      return new Uint8Array(await response.arrayBuffer());
    case 'empty':
      return undefined;
    case 'events':
    case 'upgrade':
      return response;
  }
}

/**
 * Creates the typed client of the service, for Node and browsers. Every call rejects with ServiceError when the service
 * refuses, with UnreachableError when nothing answers, or with the signal's reason.
 */
export function createClient(options: ClientOptions): Client {
  const call =
    (id: EndpointId) =>
    async (input: CallInput = {}, callOptions: CallOptions = {}): Promise<unknown> =>
      read(await send(options, id, input, callOptions), ENDPOINTS[id].answer);
  const ids = Object.keys(ENDPOINTS) as EndpointId[];
  const calls: Calls = Object.assign({} as Calls, Object.fromEntries(ids.map((id) => [id, call(id)])));

  return {
    ...calls,
    options,

    // Pick the fields by name: other fields of the argument must not become parameters.
    async jobEnded({ fpga_id, job_id }, { onChange, ...callOptions } = {}) {
      for (;;) {
        const seen = await calls.getJobDetails({ fpga_id, job_id, wait: WAIT_SECONDS }, callOptions);
        onChange?.(seen);
        if (ended(seen.status)) return seen;
      }
    },

    async *followLog({ fpga_id, job_id, offset }, callOptions = {}) {
      const input = { fpga_id, job_id, offset, follow: true };
      const response = await send(options, 'getJobLog', input, callOptions);
      const reader = response.body?.getReader();
      try {
        for (;;) {
          const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
          if (done) return;
          yield value;
        }
      } finally {
        await reader?.cancel().catch(() => {});
      }
    },
  };
}
