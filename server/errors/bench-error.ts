import type { Diagnostic } from '../contract/diagnostics.ts';
import type { FieldProblem } from '../contract/failures.ts';

/** The catalogue's entry for one error code. */
export interface ErrorSpec {
  /** HTTP status that the API answers with. */
  status: number;
  /** One sentence: what happened. The thrower may replace it with a more exact one. */
  message: string;
  /** One sentence: what to do next. */
  remedy: string;
}

export interface BenchErrorOptions {
  /** Replaces the catalogue's status, where the refusal concerns the whole service rather than one node. */
  status?: number;
  /** Replaces the catalogue's message. */
  message?: string;
  /** Replaces the catalogue's remedy. */
  remedy?: string;
  /** The job that the error is about; becomes `job_id` in the envelope. */
  jobId?: string;
  /** Diagnostics of the design, the cause first. */
  diagnostics?: readonly Diagnostic[];
  /** Invalid fields of the request. */
  fields?: readonly FieldProblem[];
  /** Structured facts for the log; never a stack, never a host path. */
  details?: Record<string, unknown>;
  cause?: unknown;
}

/** An expected error: it has a code from the catalogue, a sentence on what happened and one on what to do. */
export class BenchError extends Error {
  override readonly name = 'BenchError';
  readonly code: string;
  readonly status: number;
  readonly remedy: string;
  readonly jobId: string | undefined;
  readonly diagnostics: readonly Diagnostic[];
  readonly fields: readonly FieldProblem[];
  readonly details: Record<string, unknown> | undefined;

  constructor(code: string, spec: ErrorSpec, options: BenchErrorOptions = {}) {
    super(
      options.message ?? spec.message,
      options.cause === undefined ? undefined : { cause: options.cause },
    );
    this.code = code;
    this.status = options.status ?? spec.status;
    this.remedy = options.remedy ?? spec.remedy;
    this.jobId = options.jobId;
    this.diagnostics = options.diagnostics ?? [];
    this.fields = options.fields ?? [];
    this.details = options.details;
  }
}

/**
 * Declares the error codes of one area and returns a thrower for them: `const wishboneError = defineErrors({...});
 * throw wishboneError('link_silent', { message })`.
 */
export function defineErrors<const T extends Record<string, ErrorSpec>>(
  specs: T,
): ((code: keyof T & string, options?: BenchErrorOptions) => BenchError) & { readonly specs: T } {
  const make = (code: keyof T & string, options?: BenchErrorOptions) =>
    new BenchError(code, specs[code] as ErrorSpec, options);
  return Object.assign(make, { specs });
}

/** Ends a `switch` over a discriminated union: a new member becomes a type error at the switch. */
export function assertNever(value: never): never {
  throw new Error(`Unexpected value: ${JSON.stringify(value)}`);
}
