/** The subprotocol that carries JSON; a stream without a subprotocol carries binary frames (docs/stream.md). */
export const JSON_PROTOCOL = 'wishbench.v1+json';
/** For every caller with a key: only the transactions of others, live, as JSON. */
export const VIEWER_PROTOCOL = 'wishbench.v1+viewer';
/** For browsers, which require one of their offered subprotocols: the binary frames. */
export const BINARY_PROTOCOL = 'wishbench.v1+binary';

/** Minimum time between two polls of a subscription, milliseconds, and maximum words of one place. */
export const MIN_POLL_MS = 20;
export const POLL_WORDS = 64;

/** Subprotocols for headers that a browser can't send, each with its header; the value is base64url. */
export const CREDENTIAL_PROTOCOLS = {
  'x-api-key': 'wishbench.key.',
  'x-session-id': 'wishbench.session.',
  'x-operator-token': 'wishbench.operator.',
  'x-bench-key': 'wishbench.bench-key.',
  'x-bench-session': 'wishbench.bench-session.',
} as const;
