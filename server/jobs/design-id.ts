import { createHash } from 'node:crypto';

const MAX_SLUG_LENGTH = 48;

/**
 * The id of a design, from its owner and file name. It is readable and safe in file names and URLs, e.g.
 * `echo-v-5f3a91c0`.
 */
export function designIdOf(owner: string, filename: string): string {
  const hash = createHash('sha256').update(owner).update('\0').update(filename).digest('hex').slice(0, 8);
  const slug = filename
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_SLUG_LENGTH)
    .replace(/^-+|-+$/g, '');
  return slug === '' ? hash : `${slug}-${hash}`;
}
