import type { FieldProblem } from '../failures.ts';

/** A refusal by the service, with its own message. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  /** HTTP status. */
  readonly status: number;
  /** A code of docs/errors.md, or `http_<status>` where a proxy answered. */
  readonly code: string;
  readonly jobId: string | undefined;
  /** The invalid fields of the request, for a 422. */
  readonly fields: FieldProblem[];

  constructor(status: number, code: string, message: string, jobId?: string, fields: FieldProblem[] = []) {
    super(message);
    this.status = status;
    this.code = code;
    this.jobId = jobId;
    this.fields = fields;
  }
}

/** The service did not answer: it is down or restarting, or the network is down. The cause has details. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
}

/** The service answers, but a proxy on the way blocks WebSockets. */
export class NoWebSocketsError extends UnreachableError {}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
const isField = (value: unknown): value is FieldProblem =>
  isRecord(value) && Array.isArray(value['loc']) && typeof value['msg'] === 'string';

/** Makes a ServiceError of an answer that is not 2xx: reads the envelope `{"detail": {...}}` where there is one. */
export async function serviceError(response: Pick<Response, 'status' | 'json'>): Promise<ServiceError> {
  // Not JSON, perhaps from a proxy: the status is enough.
  const body: unknown = await response.json().catch(() => null);
  const detail = isRecord(body) && isRecord(body['detail']) ? body['detail'] : {};
  const fields = Array.isArray(detail['errors']) ? detail['errors'].filter(isField) : [];
  return new ServiceError(
    response.status,
    textOf(detail['error']) ?? `http_${response.status}`,
    textOf(detail['message']) ?? `The service answered with status ${response.status}.`,
    textOf(detail['job_id']),
    fields,
  );
}
