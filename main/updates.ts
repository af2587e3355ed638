import type { Logger } from '../server/log.ts';

/** What an update feed answers: a JSON document at a URL that the operator configured. */
export interface Update {
  version: string;
  url: string;
}

/** True when `a` is a later version than `b`, by the numbers of `major.minor.patch`. */
export function isNewer(a: string, b: string): boolean {
  const numbers = (version: string) => (/^v?(\d+)\.(\d+)\.(\d+)/.exec(version)?.slice(1) ?? []).map(Number);
  const left = numbers(a);
  const right = numbers(b);
  if (left.length !== 3 || right.length !== 3) return false;
  for (let i = 0; i < 3; i++) if (left[i] !== right[i]) return (left[i] ?? 0) > (right[i] ?? 0);
  return false;
}

/**
 * Asks the feed once. Null when there is nothing newer, when no feed is configured or when it does not answer
 * soundly: an update check never disturbs anybody's work.
 */
export async function checkForUpdate(feed: string, current: string, logger: Logger): Promise<Update | null> {
  if (feed === '') return null;
  try {
    const response = await fetch(feed, { signal: AbortSignal.timeout(10_000), redirect: 'follow' });
    if (!response.ok) throw new Error(`the feed answered ${response.status}`);
    const text = await response.text();
    if (text.length > 65_536) throw new Error('the feed answered too much');
    const answer = JSON.parse(text) as Partial<Update>;
    if (
      typeof answer.version !== 'string' ||
      typeof answer.url !== 'string' ||
      !/^https?:\/\//.test(answer.url)
    )
      throw new Error('the feed answered something else than {version, url}');
    return isNewer(answer.version, current) ? { version: answer.version, url: answer.url } : null;
  } catch (error) {
    logger.info({ reason: error instanceof Error ? error.message : String(error) }, 'update check failed');
    return null;
  }
}
