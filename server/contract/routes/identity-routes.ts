import Type from 'typebox';
import type { EndpointId } from '../endpoints.ts';
import {
  ExchangeRequest,
  ExchangeResponse,
  GithubExchangeRequest,
  GithubExchangeResponse,
  Invitation,
  InviteRequest,
  InviteView,
  KeyView,
  MintedKey,
  MintRequest,
  RedeemRequest,
} from '../identity/identity.ts';
import { answer, answerEmpty, type Route } from '../route.ts';

const EXCHANGE_ERRORS = [
  'invalid_provider_token',
  'user_not_allowed',
  'provider_unreachable',
  'provider_not_configured',
  'too_many_keys',
  'store_unavailable',
] as const;

/** Routes of keys, invitations and identities. */
export const IDENTITY_ROUTES = {
  exchangeToken: {
    summary: 'Exchange an identity provider’s access token for an API key',
    description: 'Copy the key now: it is not shown again, because the service stores only a digest.',
    tag: 'identity',
    access: 'open',
    uncompressed: 'secret',
    body: { takes: 'json', schema: ExchangeRequest },
    answers: { 200: answer('The key and its user.', ExchangeResponse) },
    errors: EXCHANGE_ERRORS,
  },

  exchangeGithubToken: {
    summary: 'The same under its older name',
    description: 'The token goes to the identity provider that the operator has chosen.',
    tag: 'identity',
    access: 'open',
    uncompressed: 'secret',
    body: { takes: 'json', schema: GithubExchangeRequest },
    answers: { 200: answer('The key and its user.', GithubExchangeResponse) },
    errors: EXCHANGE_ERRORS,
  },

  getOwnKey: {
    summary: 'The key that this request is sent with',
    tag: 'identity',
    access: 'key',
    answers: { 200: answer('The key’s record; not the key.', KeyView) },
    errors: ['missing_api_key', 'invalid_api_key'],
  },

  revokeOwnKey: {
    summary: 'Revoke the key of this request',
    tag: 'identity',
    access: 'key',
    answers: { 204: answerEmpty('The key is revoked.') },
    errors: ['missing_api_key', 'invalid_api_key', 'revocation_not_kept'],
  },

  listKeys: {
    summary: 'All keys',
    tag: 'identity',
    access: 'operator',
    answers: { 200: answer('Records of the keys, newest first.', Type.Array(KeyView)) },
  },

  mintKey: {
    summary: 'Issue a key',
    description:
      'Copy the key now: it is not shown again, because the service stores only a digest. No identity provider is needed.',
    tag: 'identity',
    access: 'operator',
    uncompressed: 'secret',
    body: { takes: 'json', schema: MintRequest },
    answers: { 201: answer('The key and its user.', MintedKey) },
    errors: ['too_many_keys', 'store_unavailable'],
  },

  listInvites: {
    summary: 'Open invitations',
    description: 'Neither redeemed nor expired. Their codes are not stored.',
    tag: 'identity',
    access: 'operator',
    answers: { 200: answer('Newest first.', Type.Array(InviteView)) },
  },

  createInvite: {
    summary: 'Create a sign-in link that works once',
    tag: 'identity',
    access: 'operator',
    uncompressed: 'secret',
    body: { takes: 'json', schema: InviteRequest },
    answers: { 201: answer('The link; shown this once.', Invitation) },
    errors: ['too_many_keys', 'store_unavailable'],
  },

  redeemInvite: {
    summary: 'Redeem an invitation for a key',
    description:
      'The key is shown this once, and the code is invalid from then on. Wrong codes are counted like wrong keys.',
    tag: 'identity',
    access: 'open',
    uncompressed: 'secret',
    body: { takes: 'json', schema: RedeemRequest },
    answers: { 200: answer('The key and its user.', MintedKey) },
    errors: ['invalid_invite', 'too_many_guesses', 'store_unavailable'],
  },

  withdrawInvite: {
    summary: 'Withdraw an invitation',
    tag: 'identity',
    access: 'operator',
    params: Type.Object({ invite_id: Type.String({ minLength: 1, maxLength: 64 }) }),
    answers: { 204: answerEmpty('Its code is no longer valid.') },
    errors: ['invite_not_found', 'revocation_not_kept'],
  },

  revokeKey: {
    summary: 'Revoke a key',
    tag: 'identity',
    access: 'operator',
    params: Type.Object({ key_id: Type.String({ minLength: 1, maxLength: 64 }) }),
    answers: { 204: answerEmpty('The key is revoked.') },
    errors: ['key_not_found', 'revocation_not_kept'],
  },
} as const satisfies Partial<Record<EndpointId, Route>>;
