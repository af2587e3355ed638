/** The common part of every entry. */
interface FieldBase {
  /** Its name in the window. */
  label: string;
  /** One sentence for docs/settings.md and /openapi.json. */
  help: string;
  /** Additional text in the window below the setting. */
  hint?: string;
  /** It is read once, when the bench starts. */
  restart?: true;
}

/** A whole number. A size is in bytes; the window shows it in this unit. */
export interface NumberField extends FieldBase {
  kind: 'number';
  unit?: 'KiB' | 'MiB' | 'seconds' | 'days';
  min: number;
  max: number;
  /** The meaning of null, where null is allowed. */
  empty?: string;
  default: number | null;
}

interface SwitchField extends FieldBase {
  kind: 'switch';
  default: boolean;
}

/** One line of text, or null. */
export interface TextField extends FieldBase {
  kind: 'text';
  maxLength: number;
  pattern?: string;
  empty: string;
  default: null;
}

/** A setting with its own schema in settings.ts and its own form. */
export interface StructuredField extends FieldBase {
  kind: 'structured';
  default: object;
}

export type SettingField = NumberField | SwitchField | TextField | StructuredField;

const KIB = 1 << 10;
const MIB = 1 << 20;

/** Maximum value of the upload limit, bytes. */
export const MAX_UPLOAD = 64 * MIB;

const NODE_PORT = {
  kind: 'number',
  hint: 'Of node 0; the other nine nodes have the ports after it. Never encrypted.',
  min: 1024,
  max: 65_526,
  empty: 'closed',
  default: null,
} as const;

const nodePortHelp = (what: string) =>
  `TCP port of node 0 for ${what}, the next ones for the other nodes; null: closed. Never encrypted: with TLS these ports stay on this computer.`;

/**
 * Every setting, by its group and its name, in the order of the window. Each entry gives the schema, the default, the
 * form and the line of docs/settings.md. A number, a switch or a text needs nothing else.
 */
export const SETTING_FIELDS = {
  network: {
    port: {
      kind: 'number',
      label: 'Port',
      help: 'TCP port; 0 picks a free one.',
      hint: '0 picks a free port at every start.',
      restart: true,
      min: 0,
      max: 65_535,
      default: 8000,
    },
    stream_port: {
      ...NODE_PORT,
      label: 'First port of the transaction streams',
      help: nodePortHelp('the frames of the transaction stream without a WebSocket'),
    },
    etherbone_port: {
      ...NODE_PORT,
      label: 'First port for LiteX (Etherbone)',
      help: nodePortHelp('LiteX’s remote protocol (Etherbone)'),
    },
    lan: {
      kind: 'switch',
      label: 'Listen on the LAN',
      help: 'Listen on the LAN, not only on this computer.',
      default: false,
    },
    tls: {
      kind: 'structured',
      label: 'Encryption on the LAN',
      help: 'HTTPS on the LAN: `{"kind": "none"}`, `{"kind": "own"}`, or `{"kind": "files", "certificate", "key"}`; see docs/operations.md.',
      hint: 'With encryption the LAN is served over HTTPS on a port of its own, and plain HTTP stays on this computer.',
      default: { kind: 'none' },
    },
    tls_port: {
      kind: 'number',
      label: 'Port of HTTPS',
      help: 'TCP port of HTTPS on the LAN; 0 picks a free one.',
      hint: '0 picks a free port at every start.',
      min: 0,
      max: 65_535,
      default: 8443,
    },
    allowed_hosts: {
      kind: 'structured',
      label: 'Further host names',
      help: 'Further host names under which callers may reach the service.',
      hint: 'Names under which callers may reach the bench, one a line; its own addresses are always allowed.',
      default: [],
    },
  },
  auth: {
    enforcement: {
      kind: 'switch',
      label: 'Require an API key',
      help: 'Refuse callers without a valid key; see docs/security.md.',
      hint: 'Off: both headers are read and recorded, no caller is refused.',
      default: false,
    },
    identity_provider: {
      kind: 'structured',
      label: 'Identity provider',
      help: 'Exchanges an access token for a key: none, an OpenID Connect issuer, or an endpoint that answers like GitHub’s; see docs/security.md.',
      hint: 'Exchanges an access token of the provider for a key of this bench.',
      default: { kind: 'none' },
    },
    key_lifetime_days: {
      kind: 'number',
      label: 'Keys expire after',
      help: 'Days until a minted API key expires; null for never.',
      unit: 'days',
      min: 1,
      max: 3650,
      empty: 'never',
      default: null,
    },
  },
  sessions: {
    ttl_seconds: {
      kind: 'number',
      label: 'A session expires after',
      help: 'Seconds without a run until a session expires.',
      hint: 'Without a run. Every run renews it.',
      unit: 'seconds',
      min: 10,
      max: 7 * 86_400,
      default: 3600,
    },
  },
  limits: {
    upload_bytes: {
      kind: 'number',
      label: 'Largest source file',
      help: 'Largest source file.',
      unit: 'KiB',
      min: KIB,
      max: MAX_UPLOAD,
      default: MIB,
    },
    words_per_run: {
      kind: 'number',
      label: 'Most words in one run',
      help: 'Maximum of 32-bit words in one run.',
      restart: true,
      min: 1,
      max: 1 << 20,
      default: 65_536,
    },
    log_bytes: {
      kind: 'number',
      label: 'Largest log of a job',
      help: 'Largest log of one job.',
      unit: 'KiB',
      min: 4 * KIB,
      max: 256 * MIB,
      default: 4 * MIB,
    },
    jobs_per_node: {
      kind: 'number',
      label: 'Stored jobs per node',
      help: 'Stored ended runs per node, and as many other jobs.',
      min: 10,
      max: 100_000,
      default: 500,
    },
    jobs_bytes: {
      kind: 'number',
      label: 'Files of all jobs kept',
      help: 'Size of the files of all jobs; beyond it the service removes the oldest.',
      unit: 'MiB',
      min: 16 * MIB,
      max: 2 ** 40,
      default: 4 * 2 ** 30,
    },
    job_days: {
      kind: 'number',
      label: 'Jobs are removed after',
      help: 'Days until the service removes an ended job; null for never.',
      unit: 'days',
      min: 1,
      max: 3650,
      empty: 'never',
      default: null,
    },
    requests_per_minute: {
      kind: 'number',
      label: 'Requests a minute and caller, on the LAN',
      help: 'Requests a minute and caller on the LAN; loopback is not limited.',
      min: 10,
      max: 1_000_000,
      default: 600,
    },
  },
  audit: {
    bytes: {
      kind: 'number',
      label: 'Audit trail',
      help: 'Size of the audit trail; the oldest entries make room.',
      unit: 'MiB',
      min: 4 * MIB,
      max: 2 ** 36,
      default: 64 * MIB,
    },
    days: {
      kind: 'number',
      label: 'Days for which it is kept',
      help: 'Days after which its entries are removed.',
      hint: 'The oldest entries make room.',
      min: 1,
      max: 36_500,
      default: 365,
    },
  },
  toolchain: {
    tool_folder: {
      kind: 'text',
      label: 'Folder with installed tools',
      help: 'Folder with GHDL and the tools that place, route and pack for ECP5 and Gowin; it is searched before the PATH; null for the PATH only.',
      hint: 'GHDL, and what places, routes and packs for ECP5 and Gowin. Searched before the PATH.',
      restart: true,
      maxLength: 4096,
      empty: 'the PATH alone',
      default: null,
    },
    vhdl_without_sandbox: {
      kind: 'switch',
      label: 'Translate VHDL without a sandbox',
      help: 'Run GHDL without a sandbox: then only a source check keeps designs from files of the host; see docs/security.md.',
      hint: 'Only for computers without bubblewrap. VHDL can open files while GHDL translates it: without a sandbox, nothing but a check of the source keeps a design from reading and writing what you can read and write on this computer. Off: such designs are refused there. Leave it off unless you know everybody who submits.',
      default: false,
    },
    queue: {
      kind: 'text',
      label: 'Build on other machines',
      help: 'Build on other machines: the Redis or Valkey server whose workers make the builds, redis://[user:password@]host[:port][/database], rediss:// for TLS; null to build here. See docs/farm.md.',
      hint: 'The Redis or Valkey server whose workers make the builds: redis://[user:password@]host[:port][/database], rediss:// for TLS. Empty: builds are made here. User and password are stored and not shown.',
      restart: true,
      maxLength: 2000,
      pattern: '^rediss?://[^\\s#]+$',
      empty: 'here',
      default: null,
    },
    build_slots: {
      kind: 'number',
      label: 'Builds at the same time',
      help: 'Builds at the same time; null for what cores and memory allow.',
      restart: true,
      min: 1,
      max: 64,
      empty: 'automatic',
      default: null,
    },
    queue_limit: {
      kind: 'number',
      label: 'Builds that may wait in the queue',
      help: 'Builds of all benches that may wait in the queue before more are refused.',
      min: 1,
      max: 1_000_000,
      default: 5000,
    },
    queue_limit_per_owner: {
      kind: 'number',
      label: 'Builds of one owner that may wait there',
      help: 'Builds of one owner that may wait in the queue.',
      min: 1,
      max: 1_000_000,
      default: 200,
    },
    queue_running_per_owner: {
      kind: 'number',
      label: 'Builds of one owner that workers make at once',
      help: 'Builds of one owner that workers make at once, over all benches; null for no limit.',
      min: 1,
      max: 1_000_000,
      empty: 'any number',
      default: null,
    },
    stage_deadline_seconds: {
      kind: 'number',
      label: 'Stage timeout',
      help: 'Seconds until the service ends a build stage.',
      restart: true,
      unit: 'seconds',
      min: 5,
      max: 86_400,
      default: 300,
    },
    memory_bytes: {
      kind: 'number',
      label: 'Memory limit per tool',
      help: 'Memory limit of one build tool.',
      restart: true,
      unit: 'MiB',
      min: 256 * MIB,
      max: 2 ** 36,
      default: 2 ** 31,
    },
    cache_bytes: {
      kind: 'number',
      label: 'Size of the build cache',
      help: 'Size of the build cache.',
      restart: true,
      unit: 'MiB',
      min: 0,
      max: 2 ** 30,
      default: 256 * MIB,
    },
  },
  benches: {
    title: {
      kind: 'text',
      label: 'What this bench is called',
      help: 'The name that other benches see; null for the name of the host.',
      hint: 'Others show it so. Empty means the name of this computer.',
      maxLength: 64,
      pattern: '^[^\\u0000-\\u001f]+$',
      empty: 'the name of the host',
      default: null,
    },
    discover: {
      kind: 'switch',
      label: 'Find other benches on the LAN, and be found',
      help: 'Find other benches on the LAN by mDNS, and be found; only while the LAN is open.',
      hint: 'By mDNS, while the LAN is open.',
      default: true,
    },
    overflow: {
      kind: 'switch',
      label: 'Let benches of the list take work when no node is idle here',
      help: 'POST /submit may use an idle node of a listed bench when this one has none.',
      hint: 'Designs that are submitted to any node go there, with their sources.',
      default: false,
    },
    known: {
      kind: 'structured',
      label: 'Other benches',
      help: 'Benches by address; see docs/benches.md.',
      default: [],
    },
  },
} as const satisfies Record<string, Record<string, SettingField>>;

/** `group.field` → its entry. */
const SETTINGS_BY_KEY: Readonly<Record<string, SettingField>> = Object.fromEntries(
  Object.entries(SETTING_FIELDS).flatMap(([group, fields]) =>
    Object.entries<SettingField>(fields).map(([name, field]) => [`${group}.${name}`, field] as const),
  ),
);

/** Settings that are read once, when the bench starts: `group.field`. */
export const NEEDS_RESTART: readonly string[] = Object.keys(SETTINGS_BY_KEY).filter(
  (key) => SETTINGS_BY_KEY[key]?.restart,
);

/** Bytes of the unit that a person sees: 1024 for KiB. */
export const scaleOf = ({ unit }: NumberField): number => (unit === 'KiB' ? KIB : unit === 'MiB' ? MIB : 1);
