import Type, { type Static } from 'typebox';
import { FpgaId } from '../boards/boards.ts';
import { component, enumOf, nullable } from '../component.ts';

/** Maximum pins in one request. */
export const MAX_PINS = 64;

export const PinBits = (description: string) =>
  Type.Union(
    [Type.Integer({ minimum: 0, maximum: 0xffff_ffff }), Type.String({ pattern: '^0x[0-9a-fA-F]{1,16}$' })],
    { description: `${description} A number up to 32 bits, hexadecimal text for a wider pin.` },
  );

/** Pins of a board by its own names, the lowest bit first. */
export const BoardPins = Type.String({
  pattern: '^(?!0[xX])[A-Za-z0-9_]+(?:[ ,]+[A-Za-z0-9_]+)*$',
  maxLength: 1024,
  description:
    'Pins of the board for a port, the lowest bit first, separated by spaces or commas: names of the board’s file (`BTN1`, `LED0`, `LED` for all of them), or of the chip’s package (`B5`).',
});

export const Pin = component(
  'Pin',
  Type.Object({
    name: Type.String({ description: 'The port of the design.' }),
    direction: enumOf(['input', 'output', 'inout'], { description: 'As the design sees it.' }),
    width: Type.Integer({ minimum: 1, maximum: 64 }),
    value: PinBits('The value that an input was set to, or that an output or inout had when it was sampled.'),
    released: Type.Optional(
      PinBits(
        'Of an inout: the value that it was set to, which it has in the bits that the design does not drive.',
      ),
    ),
    driven: Type.Optional(PinBits('Of an inout: the bits that the design drove when it was sampled.')),
    initial: PinBits('The initial value of an input, or of an undriven inout; 0 for an output.'),
    rose: PinBits(
      'Bits of an output or inout that rose since any caller last read the pins, even if they fell again.',
    ),
    fell: PinBits('The same for bits that fell.'),
    bound: nullable(
      Type.String({ description: 'The pin of the board; null for one that only the bench reaches.' }),
    ),
  }),
);
export type Pin = Static<typeof Pin>;

export const PinList = component('PinList', Type.Object({ fpga_id: FpgaId, pins: Type.Array(Pin) }));
export type PinList = Static<typeof PinList>;

/** Some bits of an input; the others keep their values, even with concurrent changes. */
const MaskedBits = component(
  'MaskedBits',
  Type.Object(
    {
      value: PinBits('The new value of the bits in the mask; other bits are ignored.'),
      mask: PinBits('The bits to set; the others keep their value.'),
    },
    { additionalProperties: false, description: 'Some bits of an input.' },
  ),
);
export type MaskedBits = Static<typeof MaskedBits>;

export const PinSettings = component(
  'PinSettings',
  Type.Object(
    {
      pins: Type.Record(
        Type.String({ maxLength: 1024 }),
        Type.Union([PinBits('The new value of the input.'), MaskedBits]),
        {
          maxProperties: MAX_PINS,
          description: 'Input to value, or to the value of some of its bits: all are set at once, or none.',
        },
      ),
    },
    {
      additionalProperties: false,
      examples: [{ pins: { sw: { value: 0x8, mask: 0x8 }, cfg: '0x3' } }],
    },
  ),
);
export type PinSettings = Static<typeof PinSettings>;
