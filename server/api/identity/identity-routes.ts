import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  INVITE_SECONDS,
  type InviteView,
  type KeyView,
  type MintedKey,
} from '../../contract/identity/identity.ts';
import { authError } from '../../errors/auth.ts';
import { canOwnKeys, UNPRINTABLE } from '../../identity/names.ts';
import type { InviteRecord, KeyRecord } from '../../identity/records.ts';
import type { ApiContext } from '../context.ts';
import { type Caller, refuseWithoutKey } from '../edge/caller.ts';
import { validationError } from '../edge/validation.ts';
import { serve } from '../serving/serve.ts';

/** A key without its digest. */
export const view = ({ digest: _digest, ...shown }: KeyRecord): KeyView => shown;
const inviteView = ({ digest: _digest, kind: _kind, ...shown }: InviteRecord): InviteView => shown;

const minted = ({ key, record }: { key: string; record: KeyRecord }): MintedKey => ({
  api_key: key,
  owner: record.username,
  key: view(record),
});

/** @throws BenchError validation_error: names and labels are one printable line, and no name is the service's own. */
function requirePrintable({ owner, label }: { owner: string; label?: string }): void {
  if (!canOwnKeys(owner))
    throw validationError([
      {
        loc: ['body', 'owner'],
        msg: 'must be one line without spaces around it, and not “system”, “anonymous” or “operator”',
        type: 'value_error',
      },
    ]);
  if (label !== undefined && UNPRINTABLE.test(label))
    throw validationError([{ loc: ['body', 'label'], msg: 'must be one line of text', type: 'value_error' }]);
}

const ownKey = (context: ApiContext, caller: Caller, reply: FastifyReply): KeyRecord =>
  caller.key ?? refuseWithoutKey(context, caller, reply);

/** Routes of identity: the exchange of a provider's token for a key, keys, and invitations. */
export function identityRoutes(app: FastifyInstance, context: ApiContext): void {
  const { keys, identity, settings } = context;

  /** @throws the error for the provider's answer, and too_many_guesses. */
  const exchange = async (
    token: string,
    { caller, request, reply }: { caller: Caller; request: FastifyRequest; reply: FastifyReply },
  ): Promise<{ key: string; username: string }> => {
    // A provider's tokens are secrets too, and each check costs a request.
    context.limits.requirePatience(caller.origin, reply);
    const provider = settings.current.auth.identity_provider;
    const { username, name, groups } = await identity.user(provider, token);
    const { key, record } = await keys.mint(username);
    await context.courses.joinByGroups(username, name, groups);
    request.log.info({ key_id: record.id, username }, 'API key minted');
    return { key, username };
  };

  serve(app, 'exchangeToken', async ({ body, ...asked }) => {
    const { key, username } = await exchange(body.provider_token, asked);
    return { api_key: key, provider_username: username };
  });
  serve(app, 'exchangeGithubToken', async ({ body, ...asked }) => {
    const { key, username } = await exchange(body.github_token, asked);
    return { api_key: key, github_username: username };
  });

  serve(app, 'getOwnKey', ({ caller, reply }) => view(ownKey(context, caller, reply)));
  serve(app, 'revokeOwnKey', async ({ caller, reply }) => {
    await keys.revoke(ownKey(context, caller, reply).id);
    return reply.send();
  });

  serve(app, 'listKeys', () => keys.list().map(view));
  serve(app, 'mintKey', async ({ body: { owner, label, operator, expires_in_s }, request }) => {
    requirePrintable({ owner, ...(label === undefined ? {} : { label }) });
    const made = await keys.mint(owner, {
      label: label ?? null,
      operator: operator ?? false,
      ...(expires_in_s === undefined ? {} : { lifetimeMs: 1000 * expires_in_s }),
    });
    request.log.info({ key_id: made.record.id, username: owner }, 'API key minted');
    return minted(made);
  });
  serve(app, 'listInvites', () => keys.invites().map(inviteView));
  serve(app, 'createInvite', async ({ body: { owner, label, operator, expires_in_s } }) => {
    requirePrintable({ owner, ...(label === undefined ? {} : { label }) });
    const [made] = await keys.invite([owner], {
      label: label ?? null,
      operator: operator ?? false,
      lifetimeMs: 1000 * (expires_in_s ?? INVITE_SECONDS),
    });
    const { code, record } = made as NonNullable<typeof made>;
    const { url, lanUrls } = context.listening();
    return {
      url: `${lanUrls[0] ?? url}/#/join/${code}`,
      code,
      expires_at: record.expires_at,
      invite: inviteView(record),
    };
  });
  serve(app, 'redeemInvite', async ({ body: { code }, caller, request, reply }) => {
    const made = await keys.redeem(code.trim());
    // As with keys: a valid code passes even from an address with too many wrong guesses.
    if (!made) {
      context.limits.requirePatience(caller.origin, reply);
      throw authError('invalid_invite');
    }
    request.log.info({ key_id: made.record.id, username: made.record.username }, 'invitation redeemed');
    return minted(made);
  });
  serve(app, 'withdrawInvite', async ({ params, reply }) => {
    if (!(await keys.withdraw(params.invite_id))) throw authError('invite_not_found');
    return reply.send();
  });
  serve(app, 'revokeKey', async ({ params, reply }) => {
    if (!(await keys.revoke(params.key_id))) throw authError('key_not_found');
    return reply.send();
  });
}
