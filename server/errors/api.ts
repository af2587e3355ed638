import { defineErrors } from './bench-error.ts';

/** Refusals at the HTTP edge, before the request reaches a node. */
export const apiError = defineErrors({
  validation_error: {
    status: 422,
    message: 'The request is not valid.',
    remedy: 'Correct the fields listed under "errors" and send it again.',
  },
  bad_request: {
    status: 400,
    message: 'The request could not be read as HTTP.',
    remedy: 'Check the request line, the headers and the length of the body.',
  },
  not_found: {
    status: 404,
    message: 'There is nothing at this address.',
    remedy: 'The addresses of the service are listed at /docs and in /openapi.json.',
  },
  method_not_allowed: {
    status: 405,
    message: 'This address does not take this method.',
    remedy: 'Use one of the methods in the Allow header.',
  },
  request_timeout: {
    status: 408,
    message: 'The request did not arrive in time.',
    remedy: 'Send it again, in one go.',
  },
  file_too_large: {
    status: 413,
    message: 'The request is larger than the service accepts.',
    remedy: 'Send a smaller file, or raise the limit in the settings.',
  },
  unsupported_media_type: {
    status: 415,
    message: 'The body is not of the type that this address takes.',
    remedy: 'Set Content-Type to the type that /docs names for this address.',
  },
  expectation_failed: {
    status: 417,
    message: 'The Expect header asks for something that this service does not support.',
    remedy: 'Leave it out; only 100-continue is supported.',
  },
  upgrade_required: {
    status: 426,
    message: 'This address is a WebSocket.',
    remedy: 'Open it with a WebSocket client; docs/stream.md describes the frames.',
  },
  rate_limited: {
    status: 429,
    message: 'Too many requests came from this caller.',
    remedy: 'Wait for the seconds in the Retry-After header; ?wait= and /events replace polling.',
  },
  headers_too_large: {
    status: 431,
    message: 'The headers of the request are too large.',
    remedy: 'Send shorter headers; all of them together may have 16 KiB.',
  },
  internal_error: {
    status: 500,
    message: 'The service met an unexpected error.',
    remedy: 'Try again; if it happens again, look up the request id in the log of the service.',
  },
  too_many_open: {
    status: 429,
    message: 'This caller has the maximum number of these open.',
    remedy: 'End one of them first; one event stream covers every node and job.',
  },
  too_many_streams: {
    status: 503,
    message: 'Too many event streams, followed logs or waiting requests are open.',
    remedy: 'Close one of them, or try again later.',
  },
  too_busy: {
    status: 503,
    message: 'Too many large answers are being sent, so this one was not started.',
    remedy: 'Read the earlier answers, then try again.',
  },
  example_not_found: {
    status: 404,
    message: 'There is no example of that name.',
    remedy: 'GET /examples lists them.',
  },
  port_in_use: {
    status: 503,
    message: 'The port is in use by another program.',
    remedy: 'End that program, or start with another --port; 0 picks a free one.',
  },
  address_not_usable: {
    status: 503,
    message: 'The service cannot listen at this address.',
    remedy: 'Start with a --host that is an address of this computer and a --port that this user may use.',
  },
  certificate_unusable: {
    status: 409,
    message: 'The certificate for TLS cannot be used, so the LAN stays closed.',
    remedy: 'Name a PEM certificate and its PEM key without a passphrase, or let the bench make its own.',
  },
  address_unavailable: {
    status: 409,
    message: 'The service could not listen at the new address, so it keeps the old one.',
    remedy: 'End the program that uses the port, or choose another port.',
  },
});
