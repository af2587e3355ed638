import Type, { type Static } from 'typebox';
import { component, enumOf, nullable, Timestamp } from '../component.ts';
import { LanguageSupport } from '../designs/uploads.ts';
import { Settings } from './settings.ts';

const DISK_LEVELS = ['ok', 'low', 'full'] as const;
export type DiskLevel = (typeof DISK_LEVELS)[number];

const disk = enumOf(DISK_LEVELS, {
  description:
    'Room on the disk of the data directory: `low` below 10 % free, `full` below 2 %, when no new work is accepted.',
});

export const Health = component(
  'HealthResponse',
  Type.Object({
    status: Type.String({
      description:
        '`ok` when healthy, else `degraded`: the store is unreachable or has no space for new work.',
    }),
    store: Type.Boolean({ description: 'Whether the state store is reachable.' }),
  }),
);
export type Health = Static<typeof Health>;

export const EngineInfo = component(
  'EngineInfo',
  Type.Object({
    name: Type.String(),
    tool: Type.String(),
    version: nullable(Type.String()),
    path: nullable(
      Type.String({ description: 'Of a native tool; null for callers who are not the operator.' }),
    ),
  }),
);
export type EngineInfo = Static<typeof EngineInfo>;

const Tls = Type.Object(
  {
    fingerprint: Type.String({ description: 'SHA-256 of the certificate, as browsers show it.' }),
    expires_at: Timestamp('When the certificate expires.'),
    self_signed: Type.Boolean({ description: 'The bench made it for itself.' }),
    names: Type.Array(Type.String(), { description: 'Hosts for which it is valid.' }),
  },
  { description: 'The certificate that the LAN is served with.' },
);
export type TlsView = Static<typeof Tls>;

const shared = {
  version: Type.String(),
  address: Type.String({ description: 'Address of the service for this computer.' }),
  lan: Type.Object({
    enabled: Type.Boolean(),
    addresses: Type.Array(Type.String(), { description: 'Address of the service for the LAN.' }),
    tls: nullable(Tls),
  }),
  enforcement: Type.Boolean({ description: 'Callers without a valid key are refused.' }),
  clients: Type.Integer({ description: 'Open event streams.' }),
  store: Type.Boolean({ description: 'Whether the state store is reachable.' }),
  disk,
  builds: Type.Object({ busy: Type.Integer(), total: Type.Integer(), waiting: Type.Integer() }),
};

/** The part of the status that is equal for all callers and cheap: events contain it. */
export const SharedStatus = component('SharedStatus', Type.Object({ ...shared }));
export type SharedStatus = Static<typeof SharedStatus>;

export const BenchStatus = component(
  'BenchStatus',
  Type.Object({
    ...shared,
    started_at: Timestamp('When the service was started.'),
    identity_provider: enumOf(['none', 'oidc', 'github']),
    caller: Type.Object({
      owner: Type.String({ description: 'Who this caller is to the service.' }),
      operator: Type.Boolean({ description: 'May change settings and boards.' }),
      key: Type.Boolean({ description: 'Has a valid minted key.' }),
    }),
    data: Type.Object({
      bytes: nullable(
        Type.Integer({
          description: 'Size of the data directory; null in the first moments of the service.',
        }),
      ),
      jobs_bytes: Type.Integer({ description: 'Of that, the files of jobs: what retention counts.' }),
      free_bytes: nullable(
        Type.Integer({ description: 'Free space on its disk; null if the system does not report it.' }),
      ),
      folder: nullable(Type.String({ description: 'Null for callers who are not the operator.' })),
    }),
    engines: Type.Array(EngineInfo),
    languages: Type.Array(LanguageSupport, { description: 'Languages that designs can be written in.' }),
    limits: Type.Object(
      { upload_bytes: Type.Integer(), words_per_run: Type.Integer(), session_ttl_seconds: Type.Integer() },
      { description: 'Limits that a client should know before it sends.' },
    ),
  }),
);
export type BenchStatus = Static<typeof BenchStatus>;

export const SettingsResponse = component(
  'SettingsResponse',
  Type.Object({
    settings: Settings,
    defaults: Settings,
    restart_required: Type.Array(Type.String(), {
      description: 'Fields (`group.field`) that were changed and take effect at the next start.',
    }),
    notices: Type.Array(Type.String(), { description: 'Sentences that the operator should read.' }),
  }),
);
export type SettingsResponse = Static<typeof SettingsResponse>;
