import { type Static, Type } from 'typebox';

const ProgrammingModes = Type.Array(Type.Union([Type.Literal('sram'), Type.Literal('flash')]), {
  minItems: 1,
  uniqueItems: true,
});

const Text = Type.String({ minLength: 1 });
/** The jumper positions for each mode: one sentence, in the names that are printed on the board. */
const Jumpers = Type.Object(
  { sram: Type.Optional(Text), flash: Type.Optional(Text) },
  { additionalProperties: false },
);
const Hertz = Type.Integer({ minimum: 1_000_000, maximum: 200_000_000 });
/** USB ids as lsusb shows them: four hex digits. */
const Hex16 = Type.String({ pattern: '^[0-9a-f]{4}$' });

/** The schema of files in resources/boards: `BoardDefinition`, with USB ids as hex digits. */
export const BoardFileSchema = Type.Object(
  {
    id: Type.String({ pattern: '^[a-z0-9]+(-[a-z0-9]+)*$' }),
    name: Text,
    vendor: Text,
    fpga: Type.Object(
      {
        family: Text,
        part: Text,
        package: Text,
      },
      { additionalProperties: false },
    ),
    clock: Type.Object(
      {
        hz: Hertz,
        pin: Text,
        user: Type.Optional(Type.Object({ hz: Hertz }, { additionalProperties: false })),
      },
      { additionalProperties: false },
    ),
    serial: Type.Object(
      {
        baud: Type.Integer({ minimum: 9600, maximum: 12_000_000 }),
        bridge: Type.Optional(Type.Union([Type.Literal('ft2232h'), Type.Literal('ft231x')])),
        rx: Text,
        tx: Text,
      },
      { additionalProperties: false },
    ),
    leds: Type.Object(
      { pins: Type.Array(Text, { uniqueItems: true, maxItems: 8 }), activeLow: Type.Boolean() },
      { additionalProperties: false },
    ),
    pins: Type.Optional(Type.Record(Type.String({ pattern: '^[A-Z][A-Z0-9_]*$' }), Text)),
    driveHigh: Type.Optional(Type.Array(Text, { uniqueItems: true, minItems: 1 })),
    usb: Type.Optional(
      Type.Object(
        {
          vendorId: Hex16,
          productId: Hex16,
          deviceRelease: Type.Optional(Hex16),
          serialInterface: Type.Integer({ minimum: 0, maximum: 31 }),
          product: Type.Optional(Text),
          sharedSerials: Type.Optional(Type.Array(Text)),
        },
        { additionalProperties: false },
      ),
    ),
    programmer: Type.Union([
      Type.Object({ kind: Type.Literal('virtual') }, { additionalProperties: false }),
      Type.Object(
        { kind: Type.Literal('ice40-mpsse'), modes: ProgrammingModes, jumpers: Type.Optional(Jumpers) },
        { additionalProperties: false },
      ),
      Type.Object(
        {
          kind: Type.Literal('openfpgaloader'),
          board: Text,
          extension: Type.String({ pattern: '^\\.[a-z]+$' }),
          modes: ProgrammingModes,
          flashShippedProtected: Type.Optional(Type.Boolean()),
        },
        { additionalProperties: false },
      ),
    ]),
    constraints: Type.String({ pattern: '^[a-z0-9-]+\\.(pcf|lpf|cst)$' }),
    remarks: Type.Array(Text),
    sources: Type.Array(Text, { minItems: 1 }),
    testedOnHardware: Type.Boolean(),
  },
  { additionalProperties: false },
);

export type BoardFile = Static<typeof BoardFileSchema>;
