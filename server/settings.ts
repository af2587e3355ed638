import Type, { type Static, type TSchema } from 'typebox';
import Value from 'typebox/value';

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

export const IdentityProviderSchema = Type.Union([
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
export type IdentityProvider = Static<typeof IdentityProviderSchema>;

const NetworkSchema = Type.Object(
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

const AuthSchema = Type.Object(
  {
    enforcement: Type.Boolean({ description: 'Refuse callers without a valid key; see docs/security.md.' }),
    identity_provider: IdentityProviderSchema,
    key_lifetime_days: Type.Union([Type.Null(), Type.Integer({ minimum: 1, maximum: 3650 })], {
      description: 'Days until a minted API key expires; null for never.',
    }),
  },
  strict,
);

const SessionsSchema = Type.Object(
  {
    ttl_seconds: Type.Integer({
      minimum: 10,
      maximum: 7 * 86_400,
      description: 'Seconds without a run after which a session expires and its node is reset.',
    }),
  },
  strict,
);

const LimitsSchema = Type.Object(
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

const ToolchainSchema = Type.Object(
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
export const SettingsSchema = Type.Object(
  {
    network: NetworkSchema,
    auth: AuthSchema,
    sessions: SessionsSchema,
    limits: LimitsSchema,
    toolchain: ToolchainSchema,
  },
  strict,
);
export type Settings = Static<typeof SettingsSchema>;

/** What PUT /settings takes: fields that are absent keep their value. */
export const SettingsPatchSchema = Type.Object(
  {
    network: Type.Optional(Type.Partial(NetworkSchema, strict)),
    auth: Type.Optional(Type.Partial(AuthSchema, strict)),
    sessions: Type.Optional(Type.Partial(SessionsSchema, strict)),
    limits: Type.Optional(Type.Partial(LimitsSchema, strict)),
    toolchain: Type.Optional(Type.Partial(ToolchainSchema, strict)),
  },
  strict,
);
export type SettingsPatch = Static<typeof SettingsPatchSchema>;

export const DEFAULT_SETTINGS: Settings = {
  network: { port: 8000, lan: false, allowed_hosts: [] },
  auth: { enforcement: false, identity_provider: { kind: 'none' }, key_lifetime_days: null },
  sessions: { ttl_seconds: 3600 },
  limits: {
    upload_bytes: 1 << 20,
    words_per_run: 65_536,
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

/** Settings that are read once, when the bench starts: `group.field`. */
export const NEEDS_RESTART: readonly string[] = [
  'network.port',
  'limits.words_per_run',
  'toolchain.engine',
  'toolchain.tool_folder',
  'toolchain.build_slots',
  'toolchain.cache_bytes',
  'toolchain.stage_deadline_seconds',
  'toolchain.memory_bytes',
];

/** Where the settings are kept between starts. `write` resolves when they are on disk. */
export interface SettingsDocument {
  /** What was kept, unchecked; undefined when nothing was. */
  read(): unknown;
  write(value: Settings): Promise<void>;
}

/** A field of a patch that cannot be: `loc` as in a 422 body. */
export interface SettingsProblem {
  loc: string[];
  msg: string;
}

type Groups = Record<string, Record<string, unknown>>;

/** Every `group.field` in which two settings differ. */
function differences(a: Settings, b: Settings): string[] {
  return Object.entries(a as Groups).flatMap(([group, fields]) =>
    Object.keys(fields)
      .filter((field) => JSON.stringify(fields[field]) !== JSON.stringify((b as Groups)[group]?.[field]))
      .map((field) => `${group}.${field}`),
  );
}

function merge(current: Settings, patch: SettingsPatch): Settings {
  const merged: Groups = structuredClone(current) as Groups;
  for (const [group, fields] of Object.entries(patch as Groups)) Object.assign(merged[group] ?? {}, fields);
  return merged as Settings;
}

const LOOPBACK_NAMES = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Provider tokens must not travel in the clear, except to a provider on this computer. */
function providerProblem(provider: IdentityProvider): string | null {
  if (provider.kind === 'none') return null;
  const text = provider.kind === 'oidc' ? provider.issuer : provider.user_url;
  if (!URL.canParse(text)) return 'This is not a URL.';
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') return 'The URL must not contain a user name or password.';
  if (url.protocol === 'https:' || LOOPBACK_NAMES.has(url.hostname)) return null;
  return 'The provider must be reached over https.';
}

/** Takes from `kept` every field that is valid and reports the others; the rest is the defaults. */
function restore(kept: unknown): { settings: Settings; refused: string[] } {
  const settings = structuredClone(DEFAULT_SETTINGS) as Groups;
  const refused: string[] = [];
  if (typeof kept === 'object' && kept !== null) {
    for (const [group, fields] of Object.entries(settings)) {
      const schemas = (SettingsSchema.properties as unknown as Record<string, { properties: TSchema }>)[group]
        ?.properties as unknown as Record<string, TSchema>;
      const keptGroup: unknown = (kept as Groups)[group];
      if (typeof keptGroup !== 'object' || keptGroup === null) continue;
      for (const field of Object.keys(fields)) {
        const value = (keptGroup as Record<string, unknown>)[field];
        if (value === undefined) continue;
        if (Value.Check(schemas[field] as TSchema, value)) fields[field] = value;
        else refused.push(`${group}.${field}`);
      }
    }
  }
  const restored = settings as Settings;
  if (providerProblem(restored.auth.identity_provider) !== null) {
    refused.push('auth.identity_provider');
    restored.auth.identity_provider = DEFAULT_SETTINGS.auth.identity_provider;
  }
  // An open LAN without a sound word on enforcement is an edited or damaged file: then it is enforced.
  const { auth } = (kept ?? {}) as { auth?: { enforcement?: unknown } };
  if (restored.network.lan && auth?.enforcement !== false) restored.auth.enforcement = true;
  return { settings: restored, refused };
}

export interface SettingsOptions {
  /** A start option puts the service on the LAN, whatever is kept. */
  lanByOption?: boolean;
}

/**
 * The settings in force. Fields in NEEDS_RESTART keep the value that they had at the start in `current`, while
 * `kept` has what was asked for.
 */
export class BenchSettings {
  readonly #document: SettingsDocument;
  readonly #listeners = new Set<(settings: Settings, changed: string[]) => void>();
  #atStart: Settings;
  #kept: Settings;
  /** Enforcement in force: differs from what is kept when only a start option opened the LAN. */
  #enforcement: boolean;
  #lan: boolean;
  #current: Settings | undefined;
  /** Changes are made one after the other. */
  #queue: Promise<unknown> = Promise.resolve();
  /** Fields of the kept document that were not valid and are the defaults now. */
  readonly refused: readonly string[];

  constructor(document: SettingsDocument, options: SettingsOptions = {}) {
    this.#document = document;
    const { settings, refused } = restore(document.read());
    this.refused = refused;
    this.#kept = settings;
    this.#atStart = structuredClone(settings);
    this.#lan = settings.network.lan || options.lanByOption === true;
    // Opening the LAN switches enforcement on with it; kept as "LAN without enforcement" it was a separate act.
    this.#enforcement = settings.auth.enforcement || (this.#lan && !settings.network.lan);
  }

  /** What is in force now. Not to be changed. */
  get current(): Settings {
    this.#current ??= this.#inForce();
    return this.#current;
  }

  #inForce(): Settings {
    const now = structuredClone(this.#kept) as Groups;
    for (const name of NEEDS_RESTART) {
      const [group = '', field = ''] = name.split('.');
      (now[group] as Record<string, unknown>)[field] = (this.#atStart as Groups)[group]?.[field];
    }
    const settings = now as Settings;
    settings.network.lan = this.#lan;
    settings.auth.enforcement = this.#enforcement;
    return settings;
  }

  /** What is kept, as an editor shows it: LAN and enforcement as they are in force. */
  get edited(): Settings {
    const settings = structuredClone(this.#kept);
    settings.network.lan = this.#lan;
    settings.auth.enforcement = this.#enforcement;
    return settings;
  }

  /** `group.field` of what was changed and waits for a restart. */
  get restartRequired(): string[] {
    const changed = new Set(differences(this.#atStart, this.#kept));
    return NEEDS_RESTART.filter((name) => changed.has(name));
  }

  /** Sentences that an operator should know about the settings in force. */
  get notices(): string[] {
    const notices: string[] = [];
    if (this.#lan && !this.#enforcement)
      notices.push(
        'Callers on the LAN are recorded but not refused: anybody who reaches this address can run designs and reset boards.',
      );
    if (this.#enforcement && this.#kept.auth.identity_provider.kind === 'none')
      notices.push(
        'Keys are enforced but no identity provider is set, so nobody can get a new key: set one in the settings.',
      );
    return notices;
  }

  /** What is wrong with a patch that has the right form; empty when it can be put in force. */
  problems(patch: SettingsPatch): SettingsProblem[] {
    const problems: SettingsProblem[] = [];
    const provider = patch.auth?.identity_provider;
    const wrong = provider ? providerProblem(provider) : null;
    if (wrong) problems.push({ loc: ['auth', 'identity_provider'], msg: wrong });
    const opensLan = patch.network?.lan === true && !this.#lan;
    if (opensLan && patch.auth?.enforcement === false)
      problems.push({
        loc: ['auth', 'enforcement'],
        msg: 'Listening on the LAN switches enforcement on. Switch it off afterwards, in a request of its own.',
      });
    return problems;
  }

  /** Puts a checked patch in force and keeps it. Resolves with the changed fields when they are on disk. */
  apply(patch: SettingsPatch): Promise<string[]> {
    const applied = this.#queue.then(() => this.#applyNow(patch));
    this.#queue = applied.catch(() => {});
    return applied;
  }

  async #applyNow(patch: SettingsPatch): Promise<string[]> {
    const before = this.edited;
    const kept = merge(this.#kept, patch);
    const lan = patch.network?.lan ?? this.#lan;
    const opensLan = lan && !this.#lan;
    const enforcement = opensLan || (patch.auth?.enforcement ?? this.#enforcement);
    // What a start option opened is not kept; what an operator opened is kept with the enforcement that it has.
    if (patch.network?.lan === true) kept.auth.enforcement = enforcement;
    if (differences(this.#kept, kept).length > 0) await this.#document.write(kept);
    this.#kept = kept;
    this.#lan = lan;
    this.#enforcement = enforcement;
    this.#current = undefined;
    const changed = differences(before, this.edited);
    if (changed.length > 0) for (const listener of this.#listeners) listener(this.current, changed);
    return changed;
  }

  /** Calls back after every change with what is in force; returns the function that ends it. */
  onChange(listener: (settings: Settings, changed: string[]) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** Settings for the life of the process only. */
export function memorySettings(initial: SettingsPatch = {}): SettingsDocument {
  let kept: unknown = merge(DEFAULT_SETTINGS, initial);
  return {
    read: () => kept,
    async write(value) {
      kept = value;
    },
  };
}
