import Type, {
  type Static,
  type TBoolean,
  type TInteger,
  type TNull,
  type TSchema,
  type TString,
  type TUnion,
} from 'typebox';
import { component } from '../component.ts';
import { BENCH_NAME } from '../remote/benches.ts';
import { SETTING_FIELDS, type SettingField, type StructuredField } from '../setting-fields.ts';

export { MAX_UPLOAD } from '../setting-fields.ts';

const strict = { additionalProperties: false } as const;

const AllowedUsers = Type.Array(Type.String({ minLength: 1, maxLength: 128 }), {
  maxItems: 1000,
  description:
    'Usernames that may exchange a token for a key; an empty list lets everybody at the provider in.',
});

const UsernameClaim = Type.String({
  minLength: 1,
  maxLength: 64,
  pattern: '^[A-Za-z0-9_.:/-]+$',
  description: 'The userinfo claim that becomes the owner.',
});

const ProviderUrl = Type.String({ pattern: '^https?://[^\\s#]+$', maxLength: 2000 });

const IdentityProvider = Type.Union([
  Type.Object({ kind: Type.Literal('none') }, { ...strict, description: 'No identity exchange.' }),
  Type.Object(
    {
      kind: Type.Literal('oidc'),
      issuer: ProviderUrl,
      username_claim: UsernameClaim,
      allowed_users: AllowedUsers,
    },
    { ...strict, description: 'An OpenID Connect issuer: discovery, then its userinfo endpoint.' },
  ),
  Type.Object(
    { kind: Type.Literal('github'), user_url: ProviderUrl, allowed_users: AllowedUsers },
    { ...strict, description: 'An endpoint that answers like GitHub’s GET /user.' },
  ),
]);
export type IdentityProvider = Static<typeof IdentityProvider>;

const FilePath = Type.String({ minLength: 1, maxLength: 4096, pattern: '^[^\\u0000]+$' });

const Tls = Type.Union([
  Type.Object({ kind: Type.Literal('none') }, { ...strict, description: 'Plain HTTP on the LAN.' }),
  Type.Object(
    { kind: Type.Literal('own') },
    { ...strict, description: 'HTTPS on the LAN with a certificate that the bench makes for itself.' },
  ),
  Type.Object(
    { kind: Type.Literal('files'), certificate: FilePath, key: FilePath },
    {
      ...strict,
      description: 'HTTPS on the LAN with these PEM files; renewed ones are loaded automatically.',
    },
  ),
]);
export type TlsSettings = Static<typeof Tls>;

const AllowedHosts = Type.Array(
  Type.String({ pattern: '^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$', maxLength: 253 }),
  { maxItems: 50 },
);

/** Shown instead of a stored key; sending it back keeps the key. */
export const REDACTED_KEY = '(kept)';

const ListedBench = Type.Object(
  {
    name: Type.String({ pattern: BENCH_NAME, description: 'In addresses: /benches/{name}/….' }),
    address: Type.String({
      pattern: '^https?://[^\\s/?#@]+/?$',
      maxLength: 300,
      description: 'Its address: http://host:port or https://host:port.',
    }),
    key: Type.Optional(
      Type.Union([Type.Null(), Type.String({ pattern: '^[!-~]([ -~]{0,510}[!-~])?$' })], {
        description: `The API key that this bench sends to that one. Answers show \`${REDACTED_KEY}\` instead; sending that back keeps the key.`,
      }),
    ),
    fingerprint: Type.Optional(
      Type.Union([Type.Null(), Type.String({ pattern: '^([0-9A-Fa-f]{2}:?){31}[0-9A-Fa-f]{2}$' })], {
        description: 'SHA-256 of its certificate, if that is self-signed.',
      }),
    ),
  },
  strict,
);
export type ListedBench = Static<typeof ListedBench>;

/** The schema that follows from an entry. */
type SchemaOf<F> = F extends { kind: 'switch' }
  ? TBoolean
  : F extends { kind: 'number'; empty: string }
    ? TUnion<[TNull, TInteger]>
    : F extends { kind: 'number' }
      ? TInteger
      : F extends { kind: 'text' }
        ? TUnion<[TNull, TString]>
        : never;

function schemaOf(field: Exclude<SettingField, StructuredField>): TSchema {
  const { help: description } = field;
  if (field.kind === 'switch') return Type.Boolean({ description });
  const orNull = (schema: TSchema) => Type.Union([Type.Null(), schema], { description });
  if (field.kind === 'text') {
    const { maxLength, pattern } = field;
    return orNull(Type.String({ minLength: 1, maxLength, ...(pattern === undefined ? {} : { pattern }) }));
  }
  const bounds = { minimum: field.min, maximum: field.max };
  return field.empty === undefined ? Type.Integer({ ...bounds, description }) : orNull(Type.Integer(bounds));
}

type Group = Readonly<Record<string, SettingField>>;
type Structured<G extends Group> = {
  [N in keyof G as G[N]['kind'] extends 'structured' ? N : never]: TSchema;
};
type Properties<G extends Group, S extends Structured<G>> = {
  -readonly [N in keyof G]: N extends keyof S ? S[N] : SchemaOf<G[N]>;
};

/** The schema of a group; `structured` are those that do not follow from their entries. */
function groupOf<const G extends Group, S extends Structured<G>>(fields: G, structured: S) {
  const own: Readonly<Record<string, TSchema>> = structured;
  const properties = Object.entries<SettingField>(fields).map(([name, field]) => [
    name,
    field.kind === 'structured' ? { ...own[name], description: field.help } : schemaOf(field),
  ]);
  return Type.Object(Object.fromEntries(properties) as Properties<G, S>, strict);
}

const Network = groupOf(SETTING_FIELDS.network, { tls: Tls, allowed_hosts: AllowedHosts });
const Auth = groupOf(SETTING_FIELDS.auth, { identity_provider: IdentityProvider });
const Sessions = groupOf(SETTING_FIELDS.sessions, {});
const Limits = groupOf(SETTING_FIELDS.limits, {});
const Audit = groupOf(SETTING_FIELDS.audit, {});
const Toolchain = groupOf(SETTING_FIELDS.toolchain, {});
const Benches = groupOf(SETTING_FIELDS.benches, { known: Type.Array(ListedBench, { maxItems: 32 }) });

/** Everything an operator can set. Stored in settings.json of the data directory. */
export const Settings = Type.Object(
  {
    network: Network,
    auth: Auth,
    sessions: Sessions,
    limits: Limits,
    audit: Audit,
    toolchain: Toolchain,
    benches: Benches,
  },
  strict,
);
export type Settings = Static<typeof Settings>;

/** The body of PUT /settings: absent fields keep their value. */
export const SettingsPatch = component(
  'SettingsRequest',
  Type.Object(
    {
      network: Type.Optional(Type.Partial(Network, strict)),
      auth: Type.Optional(Type.Partial(Auth, strict)),
      sessions: Type.Optional(Type.Partial(Sessions, strict)),
      limits: Type.Optional(Type.Partial(Limits, strict)),
      audit: Type.Optional(Type.Partial(Audit, strict)),
      toolchain: Type.Optional(Type.Partial(Toolchain, strict)),
      benches: Type.Optional(Type.Partial(Benches, strict)),
    },
    strict,
  ),
);
export type SettingsPatch = Static<typeof SettingsPatch>;

const defaultsOf = (fields: Group): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.default]));

export const DEFAULT_SETTINGS: Settings = Object.fromEntries(
  Object.entries(SETTING_FIELDS).map(([group, fields]) => [group, defaultsOf(fields)]),
) as Settings;
