import Type, { type Static } from 'typebox';
import { BENCH_NAME } from './benches.ts';
import { component } from './component.ts';
import { WORDS_PER_RUN } from './runs.ts';

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
      description: 'HTTPS on the LAN with these PEM files; renewed ones are taken by themselves.',
    },
  ),
]);
export type TlsSettings = Static<typeof Tls>;

/** A node's port is this and its number. */
const BasePort = (what: string) =>
  Type.Union([Type.Null(), Type.Integer({ minimum: 1024, maximum: 65_526 })], {
    description: `TCP port of node 0 for ${what}, the next ones for the other nodes; null: closed. Never encrypted: with TLS these ports stay on this computer.`,
  });

const Network = Type.Object(
  {
    port: Type.Integer({ minimum: 0, maximum: 65_535, description: 'TCP port; 0 picks a free one.' }),
    lan: Type.Boolean({ description: 'Listen on the LAN and not only on this computer.' }),
    tls: Tls,
    tls_port: Type.Integer({
      minimum: 0,
      maximum: 65_535,
      description: 'TCP port of HTTPS on the LAN; 0 picks a free one.',
    }),
    allowed_hosts: Type.Array(
      Type.String({ pattern: '^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$', maxLength: 253 }),
      { maxItems: 50, description: 'Further host names under which callers may reach the service.' },
    ),
    stream_port: BasePort('the frames of the transaction stream without a WebSocket'),
    etherbone_port: BasePort('LiteX’s remote protocol (Etherbone)'),
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
    jobs_per_node: Type.Integer({
      minimum: 10,
      maximum: 100_000,
      description: 'Ended runs kept per node, and as many other jobs.',
    }),
    job_days: Type.Union([Type.Null(), Type.Integer({ minimum: 1, maximum: 3650 })], {
      description: 'Days after which an ended job is not kept any more; null for never.',
    }),
    jobs_bytes: Type.Integer({
      minimum: 16 << 20,
      maximum: 2 ** 40,
      description: 'Bytes of the files of all jobs together, beyond which the oldest are not kept any more.',
    }),
    requests_per_minute: Type.Integer({
      minimum: 10,
      maximum: 1_000_000,
      description: 'Requests a minute and caller on the LAN; loopback is not limited.',
    }),
  },
  strict,
);

const Audit = Type.Object(
  {
    bytes: Type.Integer({
      minimum: 4 << 20,
      maximum: 2 ** 36,
      description: 'Size of the audit trail; the oldest entries make room.',
    }),
    days: Type.Integer({ minimum: 1, maximum: 36_500, description: 'Days for which its entries are kept.' }),
  },
  strict,
);

const Toolchain = Type.Object(
  {
    tool_folder: Type.Union([Type.Null(), Type.String({ minLength: 1, maxLength: 4096 })], {
      description:
        'Folder with GHDL and the tools that place, route and pack for ECP5 and Gowin; it is searched before the PATH; null for the PATH alone.',
    }),
    vhdl_without_sandbox: Type.Boolean({
      description:
        'Run GHDL on designs where there is no sandbox: then a source check alone keeps them from files of the host; see docs/security.md.',
    }),
    build_slots: Type.Union([Type.Null(), Type.Integer({ minimum: 1, maximum: 64 })], {
      description: 'Builds at the same time; null for what cores and memory allow.',
    }),
    queue: Type.Union([Type.Null(), Type.String({ pattern: '^rediss?://[^\\s#]+$', maxLength: 2000 })], {
      description:
        'Build on other machines: the Redis or Valkey server whose workers make the builds, redis://[user:password@]host[:port][/database], rediss:// for TLS; null to build here. See docs/farm.md.',
    }),
    queue_limit: Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      description: 'Builds of all benches that may wait in the queue before more are refused.',
    }),
    queue_limit_per_owner: Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      description: 'Builds of one owner that may wait in the queue.',
    }),
    queue_running_per_owner: Type.Union([Type.Null(), Type.Integer({ minimum: 1, maximum: 1_000_000 })], {
      description:
        'Builds of one owner that workers make at once, of all benches together; null for as many as there is room for.',
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

/** Shown in place of a key that is kept; sent back, the kept one stays. */
export const KEPT_KEY = '(kept)';

const KnownBench = Type.Object(
  {
    name: Type.String({ pattern: BENCH_NAME, description: 'In addresses: /benches/{name}/….' }),
    address: Type.String({
      pattern: '^https?://[^\\s/?#@]+/?$',
      maxLength: 300,
      description: 'Where it is: http://host:port or https://host:port.',
    }),
    key: Type.Optional(
      Type.Union([Type.Null(), Type.String({ pattern: '^[!-~]([ -~]{0,510}[!-~])?$' })], {
        description: `An API key of that bench, with which this one calls it. Answers show \`${KEPT_KEY}\` in its place, which keeps it.`,
      }),
    ),
    fingerprint: Type.Optional(
      Type.Union([Type.Null(), Type.String({ pattern: '^([0-9A-Fa-f]{2}:?){31}[0-9A-Fa-f]{2}$' })], {
        description: 'SHA-256 of its certificate, where it made that itself.',
      }),
    ),
  },
  strict,
);
export type KnownBench = Static<typeof KnownBench>;

const Benches = Type.Object(
  {
    title: Type.Union(
      [Type.Null(), Type.String({ minLength: 1, maxLength: 64, pattern: '^[^\\u0000-\\u001f]+$' })],
      {
        description: 'What this bench calls itself to others; null: the name of the host.',
      },
    ),
    discover: Type.Boolean({
      description: 'Find other benches on the LAN by mDNS, and be found; only while the LAN is open.',
    }),
    overflow: Type.Boolean({
      description:
        'POST /submit without a node may choose an idle node of a bench of the list, when this one has none.',
    }),
    known: Type.Array(KnownBench, { maxItems: 32, description: 'Benches that are known by their address.' }),
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
    audit: Audit,
    toolchain: Toolchain,
    benches: Benches,
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
      audit: Type.Optional(Type.Partial(Audit, strict)),
      toolchain: Type.Optional(Type.Partial(Toolchain, strict)),
      benches: Type.Optional(Type.Partial(Benches, strict)),
    },
    strict,
  ),
);
export type SettingsPatch = Static<typeof SettingsPatch>;

export const DEFAULT_SETTINGS: Settings = {
  network: {
    port: 8000,
    lan: false,
    tls: { kind: 'none' },
    tls_port: 8443,
    allowed_hosts: [],
    stream_port: null,
    etherbone_port: null,
  },
  auth: { enforcement: false, identity_provider: { kind: 'none' }, key_lifetime_days: null },
  sessions: { ttl_seconds: 3600 },
  limits: {
    upload_bytes: 1 << 20,
    words_per_run: WORDS_PER_RUN,
    log_bytes: 4 << 20,
    jobs_per_node: 500,
    job_days: null,
    jobs_bytes: 4 * 2 ** 30,
    requests_per_minute: 600,
  },
  audit: { bytes: 64 << 20, days: 365 },
  toolchain: {
    tool_folder: null,
    vhdl_without_sandbox: false,
    build_slots: null,
    queue: null,
    queue_limit: 5000,
    queue_limit_per_owner: 200,
    queue_running_per_owner: null,
    cache_bytes: 256 << 20,
    stage_deadline_seconds: 300,
    memory_bytes: 2 ** 31,
  },
  benches: { title: null, discover: true, overflow: false, known: [] },
};
