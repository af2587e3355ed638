/** Why Redis does not serve the bench. */
export interface QueueError {
  /** The reason, as the middle of a sentence. */
  what: string;
  /** What to do about it. */
  remedy: string;
}

/** Another program listens there, or only one side uses TLS. */
export const NO_REDIS: QueueError = {
  what: 'does not answer like Redis',
  remedy: 'Check the port, and whether Redis uses TLS: rediss:// with TLS, redis:// without.',
};

/** Reasons by the error message of the connection, or of Redis. */
const QUEUE_ERRORS: readonly [RegExp, QueueError][] = [
  [
    /^OOM |OOM command not allowed/,
    {
      what: 'has no memory left',
      remedy: 'Give Redis more memory (maxmemory), or wait until builds have finished.',
    },
  ],
  [
    /^(NOAUTH|WRONGPASS|ERR invalid password|ERR AUTH)/,
    {
      what: 'refuses the user or the password',
      remedy: 'Put a user and password that Redis accepts into the address: redis://user:password@host:6379.',
    },
  ],
  [
    /^NOPERM/,
    {
      what: 'denies this user commands that the queue needs',
      remedy: 'Allow this user all commands on all keys and channels that begin with {wishbench}.',
    },
  ],
  [
    /ECONNREFUSED/,
    {
      what: 'cannot be reached, because nothing listens on that port',
      remedy:
        'Start Redis there, make it listen on a network address (bind), and check the port in the address.',
    },
  ],
  [
    /ENOTFOUND|EAI_AGAIN/,
    {
      what: 'cannot be reached, because its host name cannot be resolved',
      remedy: 'Check the host in the address.',
    },
  ],
  [
    /certificate|CERT_|self.signed|issuer/i,
    {
      what: 'has a certificate that this computer does not trust',
      remedy:
        'Use a certificate from an authority that this computer trusts, or add the authority to NODE_EXTRA_CA_CERTS and restart the service.',
    },
  ],
  [/wrong version number|SSL routines|EPROTO|Unknown RESP/i, NO_REDIS],
];

/** Finds the reason of an error; null when the message is unknown. */
export function queueErrorIn(error: unknown): QueueError | null {
  const message = error instanceof Error ? error.message : '';
  return QUEUE_ERRORS.find(([pattern]) => pattern.test(message))?.[1] ?? null;
}

/** The reason of an error, as the middle of a sentence. */
export const queueErrorOf = (error: unknown): string => queueErrorIn(error)?.what ?? 'cannot be reached';
