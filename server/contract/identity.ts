import Type, { type Static } from 'typebox';
import { component, nullable, Timestamp } from './component.ts';

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

export const ExchangeResponse = component(
  'ExchangeResponse',
  Type.Object({
    api_key: Type.String({ description: 'Opaque API key, shown once. Sent as X-API-Key on all requests.' }),
    provider_username: Type.String({ description: 'The username at the identity provider.' }),
  }),
);
export type ExchangeResponse = Static<typeof ExchangeResponse>;

export const KeyView = component(
  'KeyView',
  Type.Object({
    id: Type.String({ description: 'Names the key; it is not the key.' }),
    username: Type.String(),
    created_at: Timestamp('When it was minted.'),
    last_used_at: nullable(Timestamp('When it was last used, to the minute.')),
    expires_at: nullable(Timestamp('When it expires; null for never.')),
  }),
);
export type KeyView = Static<typeof KeyView>;
