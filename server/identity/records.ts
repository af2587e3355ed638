import { createHash } from 'node:crypto';
import Type, { type Static } from 'typebox';
import { checkOf } from '../contract/check.ts';
import { nullable, Timestamp } from '../contract/component.ts';

const Digest = Type.String({ pattern: '^[0-9a-f]{64}$', description: 'SHA-256 of the text, hex.' });

/** A minted key as it is kept: the key itself is not. Label and right are absent in records of earlier versions. */
const StoredKey = Type.Object({
  id: Type.String(),
  digest: Digest,
  username: Type.String(),
  label: Type.Optional(nullable(Type.String())),
  operator: Type.Optional(Type.Boolean()),
  created_at: Timestamp('When it was minted.'),
  last_used_at: nullable(Timestamp('When it was last used, to the minute.')),
  expires_at: nullable(Timestamp('When it expires; null for never.')),
});
export type KeyRecord = Required<Static<typeof StoredKey>>;

/** An invitation that was not redeemed yet: its code is kept as a digest as well. */
const StoredInvite = Type.Object({
  kind: Type.Literal('invite'),
  id: Type.String(),
  digest: Digest,
  username: Type.String(),
  label: nullable(Type.String()),
  operator: Type.Boolean(),
  created_at: Timestamp('When it was made.'),
  expires_at: Timestamp('When it expires.'),
});
export type InviteRecord = Static<typeof StoredInvite>;

/** What keys.json is a list of. One document for both, so that a code becomes a key in one write. */
export type IdentityRecord = KeyRecord | InviteRecord;

const isStoredKey = checkOf(StoredKey);
export const isInviteRecord = checkOf(StoredInvite);
/** Takes records of earlier versions too; `withDefaults` completes them. */
export const isIdentityRecord = (value: unknown): value is IdentityRecord =>
  isStoredKey(value) || isInviteRecord(value);

/** A record as this version has it. */
export const withDefaults = (record: Static<typeof StoredKey>): KeyRecord => ({
  label: null,
  operator: false,
  ...record,
});

/** A prefix by which it is recognised wherever it turns up, and random bits in base64url: 256 of a key, 128 of a code. */
const SECRET_FORM = /wbk_[A-Za-z0-9_-]{43}|wbi_[A-Za-z0-9_-]{22}/;

/** True when a text contains something of the form of a minted key or of an invitation's code, valid or not. */
export const looksMinted = (text: string): boolean => SECRET_FORM.test(text);

/** Random bits suffice as they are: nobody guesses them, so the digest needs no salt and no slowness. */
export const digestOf = (secret: string): string => createHash('sha256').update(secret, 'utf8').digest('hex');
