import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { ValidationEnvelope } from '../../contract/failures.ts';
import { sentences } from '../../contract/sentences.ts';
import { apiError } from '../../errors/api.ts';
import { BenchError } from '../../errors/bench-error.ts';
import { validationError } from './validation.ts';

/** The body of every error answer. */
export function envelope({ code, message, remedy, jobId, fields }: BenchError): ValidationEnvelope {
  return {
    detail: {
      error: code,
      message: sentences(message, remedy),
      ...(jobId === undefined ? {} : { job_id: jobId }),
      ...(fields.length > 0 ? { errors: [...fields] } : {}),
    },
  };
}

/** Translates errors of the framework and its plugins. */
function known(error: unknown): BenchError | null {
  if (error instanceof BenchError) return error;
  const { code, statusCode } = (error ?? {}) as Partial<FastifyError>;
  switch (code) {
    case 'FST_ERR_BAD_URL':
      return apiError('bad_request', { message: 'The address is not a valid URL.', cause: error });
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return apiError('bad_request', { message: 'The body was cut off.', cause: error });
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return apiError('file_too_large', { cause: error });
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return apiError('unsupported_media_type', { cause: error });
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return apiError('not_found', { cause: error });
  }
  if (statusCode === undefined || statusCode < 400 || statusCode >= 500) return null;
  // The static file server answers 403 to a path outside its folder, or an unusual spelling.
  return apiError(statusCode === 403 || statusCode === 404 ? 'not_found' : 'bad_request', { cause: error });
}

/** A malformed path below /fpga/ names no node: a 422 by the contract. */
export function badUrl(path: string): BenchError {
  if (path.startsWith('/fpga/'))
    return validationError([
      { loc: ['path', 'fpga_id'], msg: 'is not validly encoded', type: 'url_encoding' },
    ]);
  return apiError('bad_request', { message: 'The address is not a valid URL.' });
}

/** Sends an error in the envelope. An unexpected error goes to the log in full, and to the caller as one sentence. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  let answer = known(error);
  if (answer === null) {
    request.log.error({ err: error }, 'unexpected error');
    answer = apiError('internal_error', {
      remedy: `Try again; if it happens again, look up request ${request.id} in the log of the service.`,
      cause: error,
    });
  } else if (answer.status >= 500 && answer.cause !== undefined)
    request.log.warn({ err: answer }, 'a request was refused');
  // Remove headers of the answer that the error replaces.
  for (const name of ['content-length', 'content-disposition', 'etag', 'last-modified'])
    reply.removeHeader(name);
  request.refusal = answer.code;
  // The response schema of a route must not strip the envelope.
  return reply
    .code(answer.status)
    .type('application/json; charset=utf-8')
    .serializer((payload: unknown) => JSON.stringify(payload))
    .send(envelope(answer));
}
