import { dialog } from 'electron';
import Type, { type Static } from 'typebox';
import { checkOf, parseAs } from '../server/contract/check.ts';
import type { Logger } from '../server/log.ts';
import { openExternal } from './security.ts';

/** The answer of an update feed: a JSON document at a URL that the operator configured. */
const Update = Type.Object({ version: Type.String(), url: Type.String({ pattern: '^https?://' }) });
type Update = Static<typeof Update>;
const isUpdate = checkOf(Update);

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
 * Asks the feed once. Null when there is nothing newer, no feed is configured, or its answer is invalid: an update
 * check never disturbs work.
 */
export async function checkForUpdate(feed: string, current: string, logger: Logger): Promise<Update | null> {
  if (feed === '') return null;
  try {
    const response = await fetch(feed, { signal: AbortSignal.timeout(10_000), redirect: 'follow' });
    if (!response.ok) throw new Error(`the feed answered with status ${response.status}`);
    const text = await response.text();
    if (text.length > 65_536) throw new Error('the answer of the feed is too large');
    const answer = parseAs(text, isUpdate);
    if (answer === null) throw new Error('the answer of the feed is not {version, url}');
    return isNewer(answer.version, current) ? answer : null;
  } catch (error) {
    logger.info({ err: error }, 'update check failed');
    return null;
  }
}

/** Reports an update and offers its page; nothing is installed automatically. */
export async function offerUpdate({ version, url }: Update, current: string, logger: Logger): Promise<void> {
  const { response } = await dialog.showMessageBox({
    type: 'info',
    message: `Wishbench ${version} is available.`,
    detail: `You have ${current}. Nothing is installed automatically.`,
    buttons: ['Later', 'Open its page'],
    defaultId: 0,
    cancelId: 0,
  });
  if (response === 1) await openExternal(url, logger);
}

/** Reports to a user who asked that there is no update. */
export async function showUpToDate(feed: string): Promise<void> {
  await dialog.showMessageBox({
    type: 'info',
    message: 'No newer version found.',
    detail: feed === '' ? 'No update feed is configured in the settings.' : '',
    buttons: ['OK'],
  });
}
