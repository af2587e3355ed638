import Type, { type Static } from 'typebox';
import { component } from './component.ts';
import { WORDS_PER_RUN } from './jobs.ts';

const strict = { additionalProperties: false } as const;

/** The most that the upload limit can be set to, bytes. */
export const LARGEST_UPLOAD = 64 << 20;

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

const Network = Type.Object(
  {
    port: Type.Integer({ minimum: 0, maximum: 65_535, description: 'TCP port; 0 picks a free one.' }),
    lan: Type.Boolean({ description: 'Listen on the LAN and not only on this computer.' }),
    allowed_hosts: Type.Array(
      Type.String({ pattern: '^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$', maxLength: 253 }),
      { maxItems: 50, description: 'Further host names under which callers may reach the service.' },
    ),
  },
  strict,
);

const Auth = Type.Object(
  {
    enforcement: Type.Boolean({ description: 'Refuse callers without a valid key; see docs/security.md.' }),
    identity_provider: IdentityProvider,
    key_lifetime_days: Type.Union([Type.Null(), Type.Integer({ minimum: 1, maximum: 3650 })], {
      description: 'Days until a minted API key expires; null for never.',
    }),
  },
  strict,
);

const Sessions = Type.Object(
  {
    ttl_seconds: Type.Integer({
      minimum: 10,
      maximum: 7 * 86_400,
      description: 'Seconds without a run after which a session expires and its node is reset.',
    }),
  },
  strict,
);

const Limits = Type.Object(
  {
    upload_bytes: Type.Integer({
      minimum: 1024,
      maximum: LARGEST_UPLOAD,
      description: 'Largest source file.',
    }),
    words_per_run: Type.Integer({
      minimum: 1,
      maximum: 1 << 20,
      description: 'Most 32-bit words of one run.',
    }),
    log_bytes: Type.Integer({ minimum: 4096, maximum: 256 << 20, description: 'Largest log of one job.' }),
    jobs_per_node: Type.Integer({ minimum: 10, maximum: 100_000, description: 'Ended jobs kept per node.' }),
    requests_per_minute: Type.Integer({
      minimum: 10,
      maximum: 1_000_000,
      description: 'Requests a minute and caller on the LAN; loopback is not limited.',
    }),
  },
  strict,
);

const Toolchain = Type.Object(
  {
    engine: Type.Union([Type.Literal('auto'), Type.Literal('embedded'), Type.Literal('native')], {
      description: 'auto: embedded, and native for the families that the embedded engine lacks.',
    }),
    tool_folder: Type.Union([Type.Null(), Type.String({ minLength: 1, maxLength: 4096 })], {
      description: 'Folder with native tools that is searched before the PATH; null for the PATH alone.',
    }),
    build_slots: Type.Union([Type.Null(), Type.Integer({ minimum: 1, maximum: 64 })], {
      description: 'Builds at the same time; null for what cores and memory allow.',
    }),
    cache_bytes: Type.Integer({ minimum: 0, maximum: 1 << 30, description: 'Size of the build cache.' }),
    stage_deadline_seconds: Type.Integer({
      minimum: 5,
      maximum: 86_400,
      description: 'Seconds after which a stage of a build is ended.',
    }),
    memory_bytes: Type.Integer({
      minimum: 256 << 20,
      maximum: 2 ** 36,
      description: 'Most memory of one tool of a build.',
    }),
  },
  strict,
);

/** Everything an operator can set. Kept in settings.json of the data directory. */
export const Settings = Type.Object(
  {
    network: Network,
    auth: Auth,
    sessions: Sessions,
    limits: Limits,
    toolchain: Toolchain,
  },
  strict,
);
export type Settings = Static<typeof Settings>;

/** What PUT /settings takes: fields that are absent keep their value. */
export const SettingsPatch = component(
  'SettingsRequest',
  Type.Object(
    {
      network: Type.Optional(Type.Partial(Network, strict)),
      auth: Type.Optional(Type.Partial(Auth, strict)),
      sessions: Type.Optional(Type.Partial(Sessions, strict)),
      limits: Type.Optional(Type.Partial(Limits, strict)),
      toolchain: Type.Optional(Type.Partial(Toolchain, strict)),
    },
    strict,
  ),
);
export type SettingsPatch = Static<typeof SettingsPatch>;

export const DEFAULT_SETTINGS: Settings = {
  network: { port: 8000, lan: false, allowed_hosts: [] },
  auth: { enforcement: false, identity_provider: { kind: 'none' }, key_lifetime_days: null },
  sessions: { ttl_seconds: 3600 },
  limits: {
    upload_bytes: 1 << 20,
    words_per_run: WORDS_PER_RUN,
    log_bytes: 4 << 20,
    jobs_per_node: 500,
    requests_per_minute: 600,
  },
  toolchain: {
    engine: 'auto',
    tool_folder: null,
    build_slots: null,
    cache_bytes: 256 << 20,
    stage_deadline_seconds: 300,
    memory_bytes: 2 ** 31,
  },
};
