/** The subprotocol that carries JSON; a stream without a subprotocol carries binary frames (docs/stream.md). */
export const JSON_PROTOCOL = 'wishbench.v1+json';
/** For everybody with a key: the transactions of others as they happen, as JSON, and nothing else. */
export const VIEWER_PROTOCOL = 'wishbench.v1+viewer';
/** For browsers, which want one of the subprotocols that they offer: the binary frames. */
export const BINARY_PROTOCOL = 'wishbench.v1+binary';

/** Shortest time between two polls of a subscription, milliseconds, and words of one of its places. */
export const MIN_POLL_MS = 20;
export const POLL_WORDS = 64;

/** Subprotocols that carry what a browser cannot put into a header, each with its header; the value is base64url. */
export const CREDENTIAL_PROTOCOLS = {
  'x-api-key': 'wishbench.key.',
  'x-session-id': 'wishbench.session.',
  'x-operator-token': 'wishbench.operator.',
  'x-bench-key': 'wishbench.bench-key.',
  'x-bench-session': 'wishbench.bench-session.',
} as const;
