import Type, { type Static } from 'typebox';
import { component, enumOf } from '../component.ts';

/** How a port may be drawn. */
const PORT_LOOKS = ['lamps', 'switches', 'buttons', 'digits', 'slider', 'hex', 'bar', 'hidden'] as const;
export type PortLook = (typeof PORT_LOOKS)[number];

/** Ports that a panel may name: as many as there are bits in the port block. */
const MAX_PORTS = 128;

/** How the ports of a design are drawn on its panel; the GUI guesses what it does not say. */
export const Panel = component(
  'Panel',
  Type.Object(
    {
      ports: Type.Record(
        Type.String({ minLength: 1, maxLength: 1024 }),
        Type.Object(
          {
            look: enumOf(PORT_LOOKS, {
              description:
                'Lamps, switches, push buttons, seven-segment digits (segments where the name of the port says `seg`, else four bits a digit), a slider, a number, a bar, or nothing.',
            }),
          },
          { additionalProperties: false },
        ),
        { maxProperties: MAX_PORTS, description: 'Port to how it is drawn.' },
      ),
    },
    { additionalProperties: false, examples: [{ ports: { led: { look: 'bar' } } }] },
  ),
);
export type Panel = Static<typeof Panel>;
