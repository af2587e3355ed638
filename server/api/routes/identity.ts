import type { FastifyInstance } from 'fastify';
import type { KeyView } from '../../contract/identity.ts';
import { authError } from '../../errors/auth.ts';
import type { ApiContext } from '../context.ts';
import type { Caller } from '../edge/caller.ts';
import type { KeyRecord } from '../identity/keys.ts';
import { serve } from '../serve.ts';

const view = ({ id, username, created_at, last_used_at, expires_at }: KeyRecord): KeyView => ({
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
export function identityRoutes(app: FastifyInstance, context: ApiContext): void {
  const { keys, identity, settings } = context;

  serve(app, 'exchangeToken', async ({ body, request }) => {
    const provider = settings.current.auth.identity_provider;
    const username = await identity.username(provider, body.provider_token);
    const { key, record } = await keys.mint(username);
    request.log.info({ key_id: record.id, username }, 'API key minted');
    return { api_key: key, provider_username: username };
  });

  serve(app, 'getOwnKey', ({ caller }) => view(ownKey(caller)));
  serve(app, 'revokeOwnKey', async ({ caller, reply }) => {
    await keys.revoke(ownKey(caller).id);
    return reply.send();
  });

  serve(app, 'listKeys', () => keys.list().map(view));
  serve(app, 'revokeKey', async ({ params, reply }) => {
    if (!(await keys.revoke(params.key_id))) throw authError('key_not_found');
    return reply.send();
  });
}
