/** Why Redis does not serve the bench. */
export interface QueueError {
  /** The reason, as the middle of a sentence. */
  what: string;
  /** What to do about it. */
  remedy: string;
}

/** Another program listens there, or only one side uses TLS. */
export const NO_REDIS: QueueError = {
  what: 'answers as no Redis does',
  remedy: 'Look at the port, and whether it takes TLS: rediss:// with it, redis:// without.',
};

/** Reasons by the error message of the connection, or of Redis. */
const OBSTACLES: readonly [RegExp, QueueError][] = [
  [
    /^OOM |OOM command not allowed/,
    {
      what: 'has no memory left',
      remedy: 'Give Redis more memory (maxmemory), or let the builds that wait be done.',
    },
  ],
  [
    /^(NOAUTH|WRONGPASS|ERR invalid password|ERR AUTH)/,
    {
      what: 'refuses the user or the password',
      remedy: 'Write user and password that Redis knows into the address: redis://user:password@host:6379.',
    },
  ],
  [
    /^NOPERM/,
    {
      what: 'does not let this user do what the queue needs',
      remedy:
        'Give the user of the queue all commands, on all keys and channels that begin with {wishbench}.',
    },
  ],
  [
    /ECONNREFUSED/,
    {
      what: 'cannot be reached, for nothing listens at that port',
      remedy:
        'Start Redis there, let it listen on an address of the network (bind) and look at the port in the address.',
    },
  ],
  [
    /ENOTFOUND|EAI_AGAIN/,
    { what: 'cannot be reached, for no host has that name', remedy: 'Look at the host in the address.' },
  ],
  [
    /certificate|CERT_|self.signed|issuer/i,
    {
      what: 'has a certificate that this computer does not trust',
      remedy:
        'Let an authority of this computer vouch for it, or name its own in NODE_EXTRA_CA_CERTS and start the service again.',
    },
  ],
  [/wrong version number|SSL routines|EPROTO|Unknown RESP/i, NO_REDIS],
];

/** Finds the reason of an error; null when the message is unknown. */
export function queueErrorIn(error: unknown): QueueError | null {
  const message = error instanceof Error ? error.message : '';
  return OBSTACLES.find(([pattern]) => pattern.test(message))?.[1] ?? null;
}

/** The reason of an error, as the middle of a sentence. */
export const queueErrorOf = (error: unknown): string => queueErrorIn(error)?.what ?? 'cannot be reached';
