import os from 'node:os';
import { type Client, createClient } from '../contract/client/client.ts';
import { UnreachableError } from '../contract/client/failures.ts';
import { utf8Header } from '../contract/client/request.ts';
import { CommandError, UsageError } from './usage.ts';

const DEFAULT_URL = 'http://127.0.0.1:8000';

/** Where the service is and who calls, as the command line gives it; the environment says the rest. */
export interface ServiceOptions {
  url?: string | undefined;
  key?: string | undefined;
  session?: string | undefined;
}

function baseOf(url: string): string {
  if (!/^https?:\/\//.test(url) || !URL.canParse(url))
    throw new UsageError(`--url must be an address such as ${DEFAULT_URL}, not “${url}”.`);
  return url.replace(/\/+$/, '');
}

/** The code of the system error beneath, in brackets; empty where there is none. */
function systemCode({ cause }: UnreachableError): string {
  const beneath: unknown = cause instanceof Error ? cause.cause : undefined;
  const code: unknown = beneath instanceof Error && 'code' in beneath ? beneath.code : undefined;
  return typeof code === 'string' ? ` (${code})` : '';
}

/**
 * Does `work` with a client of the service.
 * @throws ServiceError where the service refuses; CommandError, which says what to do, where nothing answers.
 */
export async function withService<T>(
  options: ServiceOptions,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const { env } = process;
  const base = baseOf(options.url ?? env['WISHBENCH_URL'] ?? DEFAULT_URL);
  const key = options.key ?? env['WISHBENCH_API_KEY'] ?? os.userInfo().username;
  const session = options.session ?? env['WISHBENCH_SESSION_ID'];
  const headers = {
    'x-api-key': utf8Header(key),
    ...(session ? { 'x-session-id': session } : {}),
  };
  try {
    return await work(createClient({ base, headers: () => headers }));
  } catch (error) {
    if (!(error instanceof UnreachableError)) throw error;
    throw new CommandError(
      `No service answers at ${base}${systemCode(error)}. Start one with “serve”, or give its --url.`,
      { cause: error },
    );
  }
}
