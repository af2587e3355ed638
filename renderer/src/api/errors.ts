/** One field of a 422 body. */
export interface FieldProblem {
  loc: (string | number)[];
  msg: string;
}

/** A refusal by the service, in the service's own words. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly remedy: string | undefined,
    readonly jobId: string | undefined,
    readonly fields: FieldProblem[],
  ) {
    super(message);
  }
}

/** The service did not answer: it is down, restarting, or the network is. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** Makes a ServiceError of an answer that is not 2xx: reads the envelope `{"detail": {...}}` when it is there. */
export async function serviceError(response: Response): Promise<ServiceError> {
  let detail: Record<string, unknown> = {};
  try {
    const body: unknown = await response.json();
    if (isRecord(body) && isRecord(body.detail)) detail = body.detail;
  } catch {
    // Not JSON: a proxy in between, perhaps. The status says enough.
  }
  const text = (key: string) => (typeof detail[key] === 'string' ? (detail[key] as string) : undefined);
  const fields = Array.isArray(detail.errors) ? (detail.errors as FieldProblem[]) : [];
  return new ServiceError(
    response.status,
    text('error') ?? `http_${response.status}`,
    text('message') ?? `The service answered with status ${response.status}.`,
    text('remedy'),
    text('job_id'),
    fields.filter((field) => isRecord(field) && Array.isArray(field.loc) && typeof field.msg === 'string'),
  );
}
