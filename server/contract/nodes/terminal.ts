import Type, { type Static } from 'typebox';
import { FpgaId } from '../boards/boards.ts';
import { component } from '../component.ts';

/** Stored bytes of the design's line, and maximum bytes of one request. */
export const TERMINAL_HISTORY_BYTES = 65_536;
const MAX_SENT_BYTES = 512;

const Text = (description: string, most: number) =>
  Type.String({
    maxLength: most,
    pattern: '^[\\u0000-\\u00ff]*$',
    description: `${description} Each character is a byte, U+0000 to U+00FF.`,
  });

const Baud = (description: string) => Type.Integer({ minimum: 300, maximum: 3_000_000, description });

/** The design's serial line as the bench sees it at the other end. */
export const TerminalView = component(
  'Terminal',
  Type.Object({
    fpga_id: FpgaId,
    input: Type.String({ description: 'The port of the design that receives from the bench.' }),
    output: Type.String({ description: 'The port of the design that sends to the bench.' }),
    baud: Baud('Bits a second, 8 data bits, no parity, one stop bit.'),
    at: Type.Integer({ description: 'Bytes that the design sent before this text.' }),
    text: Text('The newest text from the design.', TERMINAL_HISTORY_BYTES),
    lost: Type.Boolean({
      description: 'Bytes were lost since the design began, because no client was reading.',
    }),
    damaged: Type.Boolean({
      description: 'Bytes without a stop bit arrived since the rate was set: the design uses another rate.',
    }),
  }),
);
export type TerminalView = Static<typeof TerminalView>;

export const TerminalQuery = Type.Object({
  from: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Bytes that the caller has: the text begins after them.' }),
  ),
});

export const TerminalSending = component(
  'TerminalSending',
  Type.Object(
    {
      text: Type.Optional(Text('For the design.', MAX_SENT_BYTES)),
      baud: Type.Optional(Baud('Sets the rate first.')),
    },
    { additionalProperties: false, examples: [{ text: 'hello\r' }, { baud: 9600 }] },
  ),
);
export type TerminalSending = Static<typeof TerminalSending>;
