import Type, { type Static } from 'typebox';
import { component, enumOf, nullable } from '../component.ts';
import { NODE_COUNT } from './node-count.ts';

export const FpgaId = Type.Integer({
  minimum: 0,
  maximum: NODE_COUNT - 1,
  description: 'The node, 0 to 9.',
  examples: [0],
});

const BOARD_KINDS = ['virtual', 'usb'] as const;
const BoardIdentity = Type.String({
  description: 'Stable identity: `virtual:3`, `usb:<serial>` or `port:<path>`.',
});
const ProgrammingMode = enumOf(['sram', 'flash'], { description: 'The memory that the programmer writes.' });

/** A board as lists and events show it. */
export const BoardView = component(
  'BoardView',
  Type.Object({
    slot: FpgaId,
    id: BoardIdentity,
    kind: enumOf(BOARD_KINDS),
    definition: Type.String({ description: 'Id in the catalogue of boards.' }),
    name: Type.String(),
    present: Type.Boolean(),
    reason: Type.Optional(Type.String({ description: 'Why it cannot be used, when it cannot.' })),
  }),
);
export type BoardView = Static<typeof BoardView>;

/** A known board: in a slot, attached without one, or assigned and absent. */
export const BoardEntry = component(
  'KnownBoard',
  Type.Object({
    id: BoardIdentity,
    kind: enumOf(BOARD_KINDS),
    name: Type.String(),
    definition: nullable(
      Type.String({ description: 'Null while more than one board of the catalogue fits.' }),
    ),
    candidates: Type.Array(Type.String(), {
      description: 'Catalogue ids of all boards that it may be.',
    }),
    slot: nullable(FpgaId),
    present: Type.Boolean(),
    reason: Type.Optional(
      Type.String({ description: 'Why it cannot be used, or what is uncertain about it.' }),
    ),
    remedy: Type.Optional(Type.String({ description: 'What to do about `reason`.' })),
    mode: Type.Optional(ProgrammingMode),
    line_rate: Type.Optional(
      nullable(
        Type.Integer({
          description:
            'Bits a second of the link to a board on the USB, or the rate that the last link settled at; null before the first.',
        }),
      ),
    ),
    usb: Type.Optional(
      Type.Object({
        vendorId: Type.Integer(),
        productId: Type.Integer(),
        serial: nullable(
          Type.String({ description: 'As the device reports it, even if other boards have the same.' }),
        ),
        port: Type.String({ description: 'Bus and port numbers, e.g. `1-2.3`.' }),
        manufacturer: nullable(Type.String()),
        product: nullable(Type.String()),
      }),
    ),
    serialPort: Type.Optional(
      nullable(Type.String({ description: 'The system’s name of its serial port; null while it has none.' })),
    ),
  }),
);
export type BoardEntry = Static<typeof BoardEntry>;

/** Why the list of attached boards is incomplete, e.g. no permission on the USB bus. */
const DiscoveryProblem = Type.Object({
  code: Type.String(),
  message: Type.String(),
  remedy: Type.String(),
});
export type DiscoveryProblem = Static<typeof DiscoveryProblem>;

export const BoardList = component(
  'BoardList',
  Type.Object({
    boards: Type.Array(BoardEntry, { description: 'Boards in slots first, in their order.' }),
    problems: Type.Array(DiscoveryProblem, {
      description: 'Why attached boards cannot all be seen; empty while discovery works.',
    }),
  }),
);
export type BoardList = Static<typeof BoardList>;

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
    mode: Type.Optional(ProgrammingMode),
  }),
);
export type AssignRequest = Static<typeof AssignRequest>;

/** A finding of the doctor: a state, and a remedy where something is wrong. */
export const Finding = component(
  'Finding',
  Type.Object({
    id: Type.String(),
    title: Type.String({ description: 'What was looked at.' }),
    status: enumOf(['ok', 'warning', 'problem', 'skipped'], {
      description:
        '`warning` costs speed or comfort, `problem` stops something from working, `skipped` could not be checked.',
    }),
    message: Type.String({ description: 'How it is.' }),
    remedy: Type.Optional(Type.String({ description: 'What to do; may have several lines.' })),
  }),
);
export type Finding = Static<typeof Finding>;
