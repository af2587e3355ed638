import Type, { type Static } from 'typebox';
import { component, enumOf } from '../component.ts';
import { CARD_SIZES, PANEL_COLUMNS } from './panel-cards.ts';

/** The ways to draw a port. */
const PORT_LOOKS = ['lamps', 'switches', 'buttons', 'digits', 'slider', 'hex', 'bar', 'hidden'] as const;
export type PortLook = (typeof PORT_LOOKS)[number];

/** Maximum ports of a panel: as many as the port block has bits. */
const MAX_PORTS = 128;

/** Name of a port, or of the terminal. */
const Name = Type.String({ minLength: 1, maxLength: 1024 });

const Card = Type.Object(
  {
    label: Type.Optional(Type.String({ maxLength: 64, description: 'Shown before the name.' })),
    width: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: PANEL_COLUMNS,
        description: 'Twelfths of the panel; as wide as its content when absent.',
      }),
    ),
    size: Type.Optional(
      enumOf(CARD_SIZES, { description: 'Size of the lamps, switches and digits; medium when absent.' }),
    ),
  },
  { additionalProperties: false },
);

/** How a panel draws the ports of a design; the GUI chooses what is not set. */
export const Panel = component(
  'Panel',
  Type.Object(
    {
      ports: Type.Record(
        Name,
        Type.Object(
          {
            look: enumOf(PORT_LOOKS, {
              description:
                'Lamps, switches, push buttons, seven-segment digits (segments if the name of the port contains `seg`, else four bits a digit), a slider, a number, a bar, or nothing.',
            }),
          },
          { additionalProperties: false },
        ),
        { maxProperties: MAX_PORTS, description: 'Port to how it is drawn.' },
      ),
      order: Type.Optional(
        Type.Array(Name, {
          maxItems: MAX_PORTS + 1,
          description:
            'Ports and `$terminal` in the order of their cards; others come after them. By direction when absent.',
        }),
      ),
      cards: Type.Optional(
        Type.Record(Name, Card, {
          maxProperties: MAX_PORTS + 1,
          description: 'Port or `$terminal` to its label, width and size.',
        }),
      ),
    },
    {
      additionalProperties: false,
      examples: [
        {
          ports: { led: { look: 'bar' } },
          order: ['led', 'sw'],
          cards: { led: { label: 'Level', width: 6 } },
        },
      ],
    },
  ),
);
export type Panel = Static<typeof Panel>;
export type PanelCard = Static<typeof Card>;
