import Type, { type Static } from 'typebox';
import { FpgaId } from '../boards/boards.ts';
import { component, enumOf, nullable, Timestamp, Uuid } from '../component.ts';
import { FpgaState } from '../nodes/nodes.ts';
import { Pin, PinSettings } from '../nodes/pins.ts';
import { MIN_POLL_MS, POLL_WORDS } from './stream-protocol.ts';

/** Maximum places of one subscription, and subscriptions of one stream. */
export const POLL_PLACES = 64;
export const STREAM_SUBSCRIPTIONS = 16;
/** Transactions of a session that its record holds. */
export const RECORDED_TRANSACTIONS = 10_000;
/** The same for changes at polled places, in a separate list. */
export const RECORDED_POLLS = 2_000;
/** Transactions that a new viewer gets first. */
export const VIEWED_AT_FIRST = 200;
/** Words of a transaction that its record shows. */
export const RECORDED_WORDS = 8;

const strict = { additionalProperties: false } as const;

const RequestId = Type.Optional(
  Type.Union(
    [Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }), Type.String({ maxLength: 64 })],
    {
      description: 'Returned with the answer.',
    },
  ),
);
const Address = Type.Integer({
  minimum: 0,
  maximum: 0xffff_fffc,
  multipleOf: 4,
  description: 'Byte address.',
});
const Word = Type.Integer({ minimum: 0, maximum: 0xffff_ffff });
const PlaceName = Type.String({
  maxLength: 2 * 64 + 1,
  pattern: '^[A-Za-z_]',
  description: 'A register of the design’s map, or `REGISTER.FIELD`.',
});
const Fixed = Type.Optional(
  Type.Boolean({ description: 'Every word is written to or read from the same address.', default: false }),
);

const StreamRead = Type.Object(
  {
    id: RequestId,
    op: Type.Literal('read'),
    address: Type.Union([Address, PlaceName]),
    count: Type.Optional(Type.Integer({ minimum: 1, maximum: 1 << 20, default: 1, description: 'Words.' })),
    fixed_address: Fixed,
  },
  strict,
);

const StreamWrite = Type.Object(
  {
    id: RequestId,
    op: Type.Literal('write'),
    address: Type.Union([Address, PlaceName]),
    data: Type.Array(Type.Union([Word, Type.String({ maxLength: 64 })]), {
      maxItems: 1 << 20,
      description: 'Words; if the address is a name, also the map’s name of the field’s value.',
    }),
    fixed_address: Fixed,
  },
  strict,
);

const PollPlace = Type.Object(
  {
    address: Type.Union([Address, PlaceName]),
    count: Type.Optional(
      Type.Integer({ minimum: 1, maximum: POLL_WORDS, default: 1, description: 'Words.' }),
    ),
  },
  strict,
);

const StreamSubscription = Type.Object(
  {
    id: RequestId,
    poll: Type.Array(PollPlace, {
      maxItems: POLL_PLACES,
      description: 'Places that the bench polls; an empty list ends the subscription of that id.',
    }),
    every_ms: Type.Optional(Type.Integer({ minimum: MIN_POLL_MS, maximum: 3_600_000, default: 1000 })),
  },
  strict,
);

const After = {
  after: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: `Begin after this seq; absent: with the newest ${VIEWED_AT_FIRST}.`,
    }),
  ),
  record: Type.Optional(
    Type.String({
      maxLength: 64,
      description: 'The record of the seq: if that record has ended, `after` is ignored.',
    }),
  ),
};

const StreamFollow = Type.Object(
  {
    id: RequestId,
    follow: Type.Union([Type.Literal('transactions'), Type.Null()], {
      description: 'Receive all transactions of the node, like a viewer; null ends it.',
    }),
    ...After,
  },
  strict,
);

const StreamPins = Type.Object(
  { id: RequestId, op: Type.Literal('pins', { description: 'As GET /fpga/{id}/pins.' }) },
  strict,
);
export type StreamPins = Static<typeof StreamPins>;

const StreamSetPins = Type.Object(
  {
    id: RequestId,
    op: Type.Literal('set_pins', { description: 'As PUT /fpga/{id}/pins.' }),
    ...PinSettings.properties,
  },
  strict,
);
export type StreamSetPins = Static<typeof StreamSetPins>;

/** A caller's messages on a stream of `wishbench.v1+json`: one object a message. */
export const StreamRequest = Type.Union([
  StreamRead,
  StreamWrite,
  StreamSubscription,
  StreamFollow,
  StreamPins,
  StreamSetPins,
]);
export type StreamRequest = Static<typeof StreamRequest>;

const StreamFailure = Type.Object({
  code: Type.String({ description: '`bus_timeout`, `bus_error`, or a code of the error catalogue.' }),
  message: Type.String(),
  address: Type.Optional(Type.Integer({ description: 'Byte address of the access that failed on the bus.' })),
});
export type StreamFailure = Static<typeof StreamFailure>;

const StreamAnswer = Type.Object(
  {
    type: Type.Literal('answer'),
    id: RequestId,
    ok: Type.Boolean({ description: 'False if it was not carried out, or the design did not acknowledge.' }),
    data: Type.Optional(Type.Array(Word, { description: 'Words that were read; for a field its value.' })),
    named: Type.Optional(
      Type.String({ description: 'The map’s name of the value of a field that was read by its name.' }),
    ),
    pins: Type.Optional(Type.Array(Pin, { description: 'The pins, of `pins` and `set_pins`.' })),
    error: Type.Optional(StreamFailure),
    ms: Type.Optional(Type.Number({ description: 'Milliseconds that it took on the bench.' })),
  },
  { description: 'Each request is answered once, in the order of the requests.' },
);

const StreamChange = Type.Object(
  {
    type: Type.Literal('change'),
    id: RequestId,
    address: Type.Integer(),
    name: Type.Optional(Type.String({ description: 'The name in the subscription.' })),
    data: Type.Optional(Type.Array(Word, { description: 'The current words; for a field its value.' })),
    named: Type.Optional(Type.String({ description: 'The map’s name of the value of a field.' })),
    error: Type.Optional(StreamFailure),
    at: Timestamp('When they were read.'),
  },
  { description: 'A polled place has changed; the first poll always reports it.' },
);

const StreamEnd = Type.Object(
  { type: Type.Literal('end'), error: StreamFailure },
  { description: 'Why the stream is being closed: nothing follows.' },
);

const TRANSACTION_WAYS = ['run', 'stream', 'tcp', 'etherbone', 'script'] as const;

/** One transaction of the record. */
export const Transaction = component(
  'Transaction',
  Type.Object({
    seq: Type.Integer({ description: 'Counts up within the session.' }),
    at: Timestamp('When it ended.'),
    owner: Type.String({ description: 'Who made it.' }),
    via: enumOf(TRANSACTION_WAYS, { description: 'How it arrived.' }),
    op: enumOf(['write', 'read']),
    address: Type.Integer({ description: 'Byte address.' }),
    count: Type.Integer({ description: 'Words.' }),
    fixed_address: Type.Boolean(),
    ok: Type.Boolean(),
    error: nullable(Type.String({ description: 'Why it was not carried out: as in a stream’s answer.' })),
    error_address: nullable(
      Type.Integer({ description: 'Byte address of the access that failed on the bus; else null.' }),
    ),
    data: Type.Array(Type.Integer(), {
      description: `The first ${RECORDED_WORDS} words that were written or read.`,
    }),
    polled: Type.Boolean({
      description:
        'Read for a subscription: only values that differ from the previous poll. The owner is one of the subscribers.',
    }),
    ms: nullable(Type.Number({ description: 'Milliseconds that it took on the bench; null for a run.' })),
    job_id: nullable(Uuid('The job of a run; null for the others.')),
  }),
);
export type Transaction = Static<typeof Transaction>;

export const TransactionPage = component(
  'TransactionPage',
  Type.Object({
    fpga_id: FpgaId,
    record: Type.String({
      description: 'Names the record: each session has its own, in which seq begins at 1.',
    }),
    transactions: Type.Array(Transaction, { description: 'Newest first.' }),
    dropped: Type.Integer({ description: 'Older ones of this session that are no longer in the record.' }),
    polls: Type.Integer({
      description: 'Reads for subscriptions so far, including those that found nothing new.',
    }),
  }),
);
export type TransactionPage = Static<typeof TransactionPage>;

export const TransactionQuery = Type.Object({
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: RECORDED_TRANSACTIONS,
      default: 100,
      description: 'Maximum number.',
    }),
  ),
  after: Type.Optional(Type.Integer({ minimum: 0, description: 'Only those with a higher seq.' })),
});

const StreamTransactions = Type.Object(
  {
    type: Type.Literal('transactions'),
    transactions: Type.Array(Transaction, { description: 'Oldest first.' }),
    skipped: Type.Optional(
      Type.Integer({
        description:
          'This many more were skipped: too many came at once, or this caller is too slow. GET /fpga/{id}/transactions has them.',
      }),
    ),
  },
  { description: 'The transactions of all callers on the node, collected: at most 20 messages a second.' },
);

const StreamSession = Type.Object(
  {
    type: Type.Literal('session'),
    record: Type.String({ description: 'The record whose transactions follow.' }),
    state: FpgaState,
    owner: nullable(Type.String({ description: 'The holder of the node; null without one.' })),
    design: nullable(Type.String({ description: 'The file of the design on the board.' })),
  },
  { description: 'The owner of the node, at first and after each change. A new record begins with seq 1.' },
);

/** The bench's messages on a stream of `wishbench.v1+json`. */
export const StreamMessage = Type.Union([
  StreamAnswer,
  StreamChange,
  StreamTransactions,
  StreamSession,
  StreamEnd,
]);
export type StreamMessage = Static<typeof StreamMessage>;

/** The only message that a viewer may send, at the beginning: its starting point. */
export const ViewerRequest = Type.Object(After, strict);
export type ViewerRequest = Static<typeof ViewerRequest>;

/** The bench's messages on a stream of `wishbench.v1+viewer`. */
export const ViewerMessage = Type.Union([StreamTransactions, StreamSession, StreamEnd]);
export type ViewerMessage = Static<typeof ViewerMessage>;
