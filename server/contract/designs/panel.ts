import Type, { type Static } from 'typebox';
import { component, enumOf } from '../component.ts';

/** The ways to draw a port. */
const PORT_LOOKS = ['lamps', 'switches', 'buttons', 'digits', 'slider', 'hex', 'bar', 'hidden'] as const;
export type PortLook = (typeof PORT_LOOKS)[number];

/** Maximum ports of a panel: as many as the port block has bits. */
const MAX_PORTS = 128;

/** How a panel draws the ports of a design; the GUI chooses what is not set. */
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
