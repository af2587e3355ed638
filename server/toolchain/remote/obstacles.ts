/** The memory of Redis is full, and it removes nothing by itself (`noeviction`). */
const isOutOfMemory = (error: unknown): boolean =>
  error instanceof Error && /^OOM |OOM command not allowed/.test(error.message);

/** Redis refuses who we are, or what we ask: waiting does not help, the operator has to know. */
const isRefusal = (error: unknown): boolean =>
  error instanceof Error && /^(NOAUTH|WRONGPASS|NOPERM|ERR invalid password|ERR AUTH)/.test(error.message);

/** What keeps Redis from doing what it is asked, as the middle of a sentence. */
export function obstacleOf(error: unknown): string {
  if (isOutOfMemory(error)) return 'has no memory left';
  if (isRefusal(error)) return 'refuses the user or the password';
  return 'cannot be reached';
}
