import { createHash } from 'node:crypto';
import Type, { type Static } from 'typebox';
import { checkOf } from '../contract/check.ts';
import { nullable, Timestamp } from '../contract/component.ts';

const Digest = Type.String({ pattern: '^[0-9a-f]{64}$', description: 'SHA-256 of the text, hex.' });

/** A key as stored, without the key itself. Label and right are absent in records of earlier versions. */
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

/** An unredeemed invitation, with its code as a digest. */
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

/** The records of keys.json. One document for both kinds, so that a code becomes a key in one write. */
export type IdentityRecord = KeyRecord | InviteRecord;

const isStoredKey = checkOf(StoredKey);
export const isInviteRecord = checkOf(StoredInvite);
/** Accepts records of earlier versions too; `withDefaults` completes them. */
export const isIdentityRecord = (value: unknown): value is IdentityRecord =>
  isStoredKey(value) || isInviteRecord(value);

/** A record in the form of this version. */
export const withDefaults = (record: Static<typeof StoredKey>): KeyRecord => ({
  label: null,
  operator: false,
  ...record,
});

/** A recognisable prefix, and random bits in base64url: 256 for a key, 128 for a code. */
const SECRET_FORM = /wbk_[A-Za-z0-9_-]{43}|wbi_[A-Za-z0-9_-]{22}/;

/** True when a text contains something in the form of a key or of an invitation's code, valid or not. */
export const looksMinted = (text: string): boolean => SECRET_FORM.test(text);

/** Random bits can't be guessed, so the digest needs neither salt nor a slow hash. */
export const digestOf = (secret: string): string => createHash('sha256').update(secret, 'utf8').digest('hex');
