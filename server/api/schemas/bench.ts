import Type from 'typebox';
import { SettingsPatchSchema, SettingsSchema } from '../../settings.ts';
import { component, enumOf, nullable, ref } from './component.ts';
import { FpgaId, Timestamp } from './contract.ts';

/** The bench as a whole: status, settings, boards, doctor, examples, keys. */

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

export const BenchStatus = component(
  'BenchStatus',
  Type.Object({
    version: Type.String(),
    started_at: Timestamp('When the service was started.'),
    address: Type.String({ description: 'Where the service is reached from this computer.' }),
    lan: Type.Object({
      enabled: Type.Boolean(),
      addresses: Type.Array(Type.String(), { description: 'Where it is reached from the LAN.' }),
    }),
    enforcement: Type.Boolean({ description: 'Callers without a valid key are refused.' }),
    identity_provider: enumOf(['none', 'oidc', 'github']),
    caller: Type.Object({
      owner: Type.String({ description: 'Who this caller is to the service.' }),
      operator: Type.Boolean({ description: 'May change settings and boards.' }),
      key: Type.Boolean({ description: 'Has a valid minted key.' }),
    }),
    clients: Type.Integer({ description: 'Open event streams.' }),
    store: Type.Boolean({ description: 'Whether the state store is reachable.' }),
    builds: Type.Object({ busy: Type.Integer(), total: Type.Integer(), waiting: Type.Integer() }),
    data: Type.Object({
      bytes: nullable(Type.Integer({ description: 'Size of the data directory.' })),
      folder: nullable(Type.String({ description: 'Null for callers who are not the operator.' })),
    }),
    engines: Type.Array(ref(EngineInfo)),
    limits: Type.Object(
      { upload_bytes: Type.Integer(), words_per_run: Type.Integer(), session_ttl_seconds: Type.Integer() },
      { description: 'What a client should know before it sends.' },
    ),
  }),
);

export const SettingsResponse = component(
  'SettingsResponse',
  Type.Object({
    settings: SettingsSchema,
    defaults: SettingsSchema,
    restart_required: Type.Array(Type.String(), {
      description: 'Fields (`group.field`) that were changed and take effect at the next start.',
    }),
    notices: Type.Array(Type.String(), { description: 'Sentences that the operator should read.' }),
  }),
);
export const SettingsRequest = component('SettingsRequest', { ...SettingsPatchSchema });

export const KnownBoard = component(
  'KnownBoard',
  Type.Object({
    id: Type.String({ description: 'Stable identity: `virtual:3`, `usb:<serial>` or `port:<path>`.' }),
    kind: enumOf(['virtual', 'usb']),
    name: Type.String(),
    definition: nullable(
      Type.String({ description: 'Null while more than one board of the catalogue fits.' }),
    ),
    candidates: Type.Array(Type.String()),
    slot: nullable(FpgaId),
    present: Type.Boolean(),
    reason: Type.Optional(Type.String()),
    remedy: Type.Optional(Type.String()),
    mode: Type.Optional(enumOf(['sram', 'flash'])),
    usb: Type.Optional(
      Type.Object({
        vendorId: Type.Integer(),
        productId: Type.Integer(),
        serial: nullable(Type.String()),
        port: Type.String(),
        manufacturer: nullable(Type.String()),
        product: nullable(Type.String()),
      }),
    ),
    serialPort: Type.Optional(nullable(Type.String())),
  }),
);

export const BoardList = component(
  'BoardList',
  Type.Object({
    boards: Type.Array(ref(KnownBoard), { description: 'Boards in slots first, in their order.' }),
    problems: Type.Array(
      Type.Object({ code: Type.String(), message: Type.String(), remedy: Type.String() }),
      { description: 'Why attached boards cannot all be seen; empty while discovery works.' },
    ),
  }),
);

export const AssignRequest = component(
  'AssignRequest',
  Type.Object({
    board: nullable(
      Type.String({
        minLength: 1,
        maxLength: 512,
        description: 'Id of the board for this slot; null for the slot’s virtual board.',
      }),
    ),
    definition: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 128,
        description: 'Which board of the catalogue it is; needed while more than one fits.',
      }),
    ),
    mode: Type.Optional(enumOf(['sram', 'flash'], { description: 'Where the programmer writes.' })),
  }),
);

export const Finding = component(
  'Finding',
  Type.Object({
    id: Type.String(),
    title: Type.String({ description: 'What was looked at.' }),
    status: enumOf(['ok', 'warning', 'problem', 'skipped'], {
      description: '`warning` costs speed or comfort, `problem` keeps something from working.',
    }),
    message: Type.String({ description: 'How it is.' }),
    remedy: Type.Optional(Type.String({ description: 'What to do; may have several lines.' })),
  }),
);

export const Example = component(
  'Example',
  Type.Object({
    file: Type.String(),
    title: Type.String(),
    description: Type.String(),
    dialect: Type.String({ description: 'How its bus is written.' }),
    language: Type.String({ description: '`verilog`, `systemverilog`, `vhdl` or `amaranth`.' }),
    size: Type.Integer({ description: 'Bytes.' }),
    try: Type.Array(
      Type.Object({
        says: Type.String({ description: 'What the transaction shows.' }),
        op: Type.Integer({ description: '1 = write, 2 = read.' }),
        address: Type.Integer(),
        data: Type.Optional(Type.Array(Type.Integer())),
        count: Type.Optional(Type.Integer()),
        fixed_address: Type.Optional(Type.Boolean()),
        expect: Type.Optional(Type.Array(Type.Integer(), { description: 'The words that a read brings.' })),
        fails: Type.Optional(Type.Boolean({ description: 'The design does not acknowledge, as it should.' })),
      }),
      { description: 'Transactions that show what the design does, in order.' },
    ),
  }),
);

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
