import type { Clock } from '../../clock.ts';
import type { Finding } from '../../contract/boards/boards.ts';
import { connect, queueProblem, shownAddress } from './connection.ts';
import { NO_REDIS, type QueueError, queueErrorIn } from './queue-errors.ts';

/** Time limit to reach Redis and to log in, ms. */
const PATIENCE_MS = 6_000;

const ABOUT = { id: 'queue', title: 'Queue of builds' };

/** Errors of a connection to another program, or to a Redis that needs TLS. */
const ENDED = /ECONNRESET|socket disconnected|Connection is closed/i;

/** Finding for an address that does not answer for an unknown reason. */
const NO_ANSWER: QueueError = {
  what: 'does not answer',
  remedy:
    'Check that its machine is on and that no firewall blocks it. The address begins with rediss:// with TLS, and with redis:// without.',
};

/**
 * Checks whether the queue of builds can be used. It never throws, and never shows user or password.
 * @param address the setting `toolchain.queue`
 */
export async function checkQueue(address: string, clock: Clock): Promise<Finding> {
  const wrong = queueProblem(address);
  if (wrong !== null)
    return {
      ...ABOUT,
      status: 'problem',
      message: wrong,
      remedy: 'Set toolchain.queue to redis://user:password@host:6379, or to rediss:// for TLS.',
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
  const { what, remedy } = queueErrorIn(error) ?? (ENDED.test(error.message) ? NO_REDIS : NO_ANSWER);
  return {
    ...ABOUT,
    status: 'problem',
    message: `${shown} ${what}. Builds wait until it can be used.`,
    remedy,
  };
}
