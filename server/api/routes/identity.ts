import Type from 'typebox';
import { authError } from '../../errors/auth.ts';
import { answer, answerEmpty, answerList, describe } from '../answers.ts';
import type { ApiContext } from '../context.ts';
import type { Caller } from '../edge/caller.ts';
import type { KeyRecord } from '../identity/keys.ts';
import { KeyView } from '../schemas/bench.ts';
import { ref } from '../schemas/component.ts';
import { ExchangeRequest, ExchangeResponse } from '../schemas/contract.ts';
import type { Api } from './common.ts';

const KeyParams = Type.Object({ key_id: Type.String({ minLength: 1, maxLength: 64 }) });

const view = ({ id, username, created_at, last_used_at, expires_at }: KeyRecord) => ({
  id,
  username,
  created_at,
  last_used_at,
  expires_at,
});

function ownKey(caller: Caller): KeyRecord {
  if (caller.key) return caller.key;
  throw authError(caller.sentKey ? 'invalid_api_key' : 'missing_api_key');
}

/** The exchange of a provider's token for a key, and the life of keys. */
export function identityRoutes(app: Api, context: ApiContext): void {
  const { keys, identity, settings } = context;

  app.post(
    '/auth/idp/exchange',
    {
      config: { access: 'open', takes: 'json' },
      schema: describe({
        id: 'exchangeToken',
        summary: 'Exchange an identity provider’s access token for an API key',
        description: 'The key is shown this once; the service keeps a digest of it.',
        tag: 'identity',
        access: 'open',
        body: ref(ExchangeRequest),
        ok: { 200: answer('The key and whom it stands for.', ExchangeResponse) },
        errors: [
          'invalid_provider_token',
          'user_not_allowed',
          'provider_unreachable',
          'provider_not_configured',
          'store_unavailable',
        ],
      }),
    },
    async (request, reply) => {
      const { provider_token } = request.body;
      const provider = settings.current.auth.identity_provider;
      const username = await identity.username(provider, provider_token);
      const { key, record } = await keys.mint(username);
      request.log.info({ key_id: record.id, username }, 'API key minted');
      return reply.header('cache-control', 'no-store').send({ api_key: key, provider_username: username });
    },
  );

  app.get(
    '/auth/keys/me',
    {
      schema: describe({
        id: 'getOwnKey',
        summary: 'The key that this request is sent with',
        tag: 'identity',
        ok: { 200: answer('The key’s record; not the key.', KeyView) },
        errors: ['missing_api_key', 'invalid_api_key'],
      }),
    },
    async (request) => view(ownKey(request.caller)),
  );

  app.delete(
    '/auth/keys/me',
    {
      schema: describe({
        id: 'revokeOwnKey',
        summary: 'Revoke the key that this request is sent with',
        tag: 'identity',
        ok: { 204: answerEmpty('The key is revoked.') },
        errors: ['missing_api_key', 'invalid_api_key', 'store_unavailable'],
      }),
    },
    async (request, reply) => {
      await keys.revoke(ownKey(request.caller).id);
      return reply.code(204).send();
    },
  );

  app.get(
    '/auth/keys',
    {
      config: { access: 'operator' },
      schema: describe({
        id: 'listKeys',
        summary: 'All keys',
        tag: 'identity',
        access: 'operator',
        ok: { 200: answerList('Records of the keys, newest first.', KeyView) },
      }),
    },
    async () => keys.list().map(view),
  );

  app.delete(
    '/auth/keys/:key_id',
    {
      config: { access: 'operator' },
      schema: describe({
        id: 'revokeKey',
        summary: 'Revoke a key',
        tag: 'identity',
        access: 'operator',
        params: KeyParams,
        ok: { 204: answerEmpty('The key is revoked.') },
        errors: ['key_not_found', 'store_unavailable'],
      }),
    },
    async (request, reply) => {
      if (!(await keys.revoke(request.params.key_id))) throw authError('key_not_found');
      return reply.code(204).send();
    },
  );
}
