import Type, { type Static } from 'typebox';
import { component, nullable, Timestamp } from '../component.ts';

export const ExchangeRequest = component(
  'ExchangeRequest',
  Type.Object({
    provider_token: Type.String({
      minLength: 1,
      maxLength: 16_384,
      description: 'Access token from the identity provider (device flow or personal access token).',
    }),
  }),
);
export type ExchangeRequest = Static<typeof ExchangeRequest>;

export const GithubExchangeRequest = component(
  'GithubExchangeRequest',
  Type.Object({ github_token: ExchangeRequest.properties.provider_token }),
);

export const ExchangeResponse = component(
  'ExchangeResponse',
  Type.Object({
    api_key: Type.String({ description: 'Opaque API key, shown once. Sent as X-API-Key on all requests.' }),
    provider_username: Type.String({ description: 'The username at the identity provider.' }),
  }),
);
export type ExchangeResponse = Static<typeof ExchangeResponse>;

export const GithubExchangeResponse = component(
  'GithubExchangeResponse',
  Type.Object({
    api_key: ExchangeResponse.properties.api_key,
    github_username: ExchangeResponse.properties.provider_username,
  }),
);

export const KeyView = component(
  'KeyView',
  Type.Object({
    id: Type.String({ description: 'Names the key; it is not the key.' }),
    username: Type.String(),
    label: nullable(Type.String({ description: 'Its purpose; null if none was given.' })),
    operator: Type.Boolean({
      description:
        'It has the operator’s right: its holder may change settings and boards and issue keys, from anywhere.',
    }),
    created_at: Timestamp('When it was minted.'),
    last_used_at: nullable(Timestamp('When it was last used, to the minute.')),
    expires_at: nullable(Timestamp('When it expires; null for never.')),
  }),
);
export type KeyView = Static<typeof KeyView>;

/** One printable line, see server/identity/names.ts. */
const Owner = Type.String({
  minLength: 1,
  maxLength: 128,
  description: 'The user of the key, recorded as owner of jobs and sessions.',
});
const Label = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'What it is for, for the list of keys.',
});
const OperatorRight = Type.Boolean({
  default: false,
  description: 'The key has the operator’s right.',
});

const strict = { additionalProperties: false } as const;

export const MintRequest = component(
  'MintRequest',
  Type.Object(
    {
      owner: Owner,
      label: Type.Optional(Label),
      operator: Type.Optional(OperatorRight),
      expires_in_s: Type.Optional(
        Type.Integer({
          minimum: 60,
          maximum: 3650 * 86_400,
          description: 'Seconds until the key expires; by default `auth.key_lifetime_days`.',
        }),
      ),
    },
    strict,
  ),
);
export type MintRequest = Static<typeof MintRequest>;

export const MintedKey = component(
  'MintedKey',
  Type.Object({
    api_key: ExchangeResponse.properties.api_key,
    owner: Type.String({ description: 'The user that it identifies.' }),
    key: KeyView,
  }),
);
export type MintedKey = Static<typeof MintedKey>;

/** Default lifetime of an invitation, seconds: a day. */
export const INVITE_SECONDS = 86_400;

export const InviteRequest = component(
  'InviteRequest',
  Type.Object(
    {
      owner: Owner,
      label: Type.Optional(Label),
      operator: Type.Optional(OperatorRight),
      expires_in_s: Type.Optional(
        Type.Integer({
          minimum: 60,
          maximum: 30 * 86_400,
          default: INVITE_SECONDS,
          description: 'Seconds until the invitation expires. The key’s own life begins when it is redeemed.',
        }),
      ),
    },
    strict,
  ),
);
export type InviteRequest = Static<typeof InviteRequest>;

export const InviteView = component(
  'InviteView',
  Type.Object({
    id: Type.String({ description: 'Names the invitation; it is not its code.' }),
    username: Type.String({ description: 'The user of the new key.' }),
    label: KeyView.properties.label,
    operator: KeyView.properties.operator,
    created_at: Timestamp('When it was made.'),
    expires_at: Timestamp('When it expires.'),
  }),
);
export type InviteView = Static<typeof InviteView>;

export const Invitation = component(
  'Invitation',
  Type.Object({
    url: Type.String({
      description:
        'The page of this bench that redeems it; its LAN address if the LAN is open. The code follows `#`, which browsers do not send and logs do not store.',
    }),
    code: Type.String({ description: 'Shown once; becomes one key.' }),
    expires_at: Timestamp('When it expires.'),
    invite: InviteView,
  }),
);
export type Invitation = Static<typeof Invitation>;

export const RedeemRequest = component(
  'RedeemRequest',
  Type.Object(
    { code: Type.String({ minLength: 1, maxLength: 64, description: 'The code of an invitation.' }) },
    strict,
  ),
);
