import type { Clock } from '../../clock.ts';
import type { Finding } from '../../contract/boards.ts';
import { connect, queueProblem, shownAddress } from './connection.ts';

/** Reaching Redis on another machine and being let in, ms. */
const PATIENCE_MS = 6_000;

const ABOUT = { id: 'queue', title: 'Queue of builds' };

/** What keeps from Redis, by what the connection fails with, and what to do. */
const CAUSES: readonly [RegExp, string, string][] = [
  [
    /^(NOAUTH|WRONGPASS|ERR invalid password|ERR AUTH)/,
    'refuses the user or the password',
    'Write user and password that Redis knows into the address: redis://user:password@host:6379.',
  ],
  [
    /^NOPERM/,
    'does not let this user do what the queue needs',
    'Give the user of the queue all commands, on all keys and channels that begin with {wishbench}.',
  ],
  [
    /ECONNREFUSED/,
    'cannot be reached: nothing listens at that port',
    'Start Redis there, let it listen on an address of the network (bind) and look at the port in the address.',
  ],
  [/ENOTFOUND|EAI_AGAIN/, 'cannot be reached: no host has that name', 'Look at the host in the address.'],
  [
    /certificate|CERT_|self.signed|issuer/i,
    'has a certificate that this computer does not trust',
    'Let an authority of this computer vouch for it, or name its own in NODE_EXTRA_CA_CERTS and start the service again.',
  ],
  [
    /wrong version number|SSL routines|EPROTO|ECONNRESET|socket disconnected|Unknown RESP|Connection is closed/i,
    'answers as no Redis does',
    'Look at the port, and whether it takes TLS: rediss:// with it, redis:// without.',
  ],
];

/**
 * Whether the queue of builds can be used. Never throws, and never names user or password.
 * @param address the setting `toolchain.queue`
 */
export async function checkQueue(address: string, clock: Clock): Promise<Finding> {
  const wrong = queueProblem(address);
  if (wrong !== null)
    return {
      ...ABOUT,
      status: 'problem',
      message: wrong,
      remedy:
        'Write redis://user:password@host:6379, or rediss:// for TLS, into the setting toolchain.queue.',
    };
  const shown = shownAddress(address);
  let failed: (error: Error) => void = () => {};
  const failure = new Promise<Error>((resolve) => {
    failed = resolve;
  });
  const cancel = clock.after(PATIENCE_MS, () => failed(new Error('It does not answer.')));
  const redis = connect(address, failed);
  const error = await Promise.race([
    redis.ping().then(
      () => null,
      (cause: Error) => cause,
    ),
    failure,
  ]);
  cancel();
  redis.disconnect();
  if (error === null) return { ...ABOUT, status: 'ok', message: `${shown} answers.` };
  const [, what, remedy] = CAUSES.find(([pattern]) => pattern.test(error.message)) ?? [
    null,
    'does not answer',
    'Look whether its machine is on, and whether a firewall is between; where Redis takes TLS, the address begins with rediss://, else with redis://.',
  ];
  return {
    ...ABOUT,
    status: 'problem',
    message: `${shown} ${what}. Builds wait until it can be used.`,
    remedy,
  };
}
