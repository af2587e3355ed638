import type { EndpointId } from '../endpoints.ts';
import { PinList, PinSettings } from '../nodes/pins.ts';
import { TerminalQuery, TerminalSending, TerminalView } from '../nodes/terminal.ts';
import { answer, answerEmpty, type Route } from '../route.ts';
import { NodeParams } from './shared.ts';

/** Routes of the design's pins. */
export const PINS_ROUTES = {
  listPins: {
    summary: 'The pins of the design',
    description:
      'Inputs as set, outputs as sampled, with the bits that rose and fell since any caller last read them; see docs/gateware.md. Empty for a design without such ports.',
    tag: 'nodes',
    access: 'key',
    params: NodeParams,
    needs: { states: ['reserved'], otherwise: 'fpga_not_reserved' },
    answers: { 200: answer('The pins.', PinList) },
    errors: ['fpga_not_reserved', 'no_build_report', 'link_silent', 'link_corrupted', 'link_closed'],
  },

  setPins: {
    summary: 'Set inputs of the design',
    description:
      'Sets all or none. With a mask, only the masked bits of an input change. The answer has every pin after the change, like GET.',
    tag: 'nodes',
    access: 'key',
    params: NodeParams,
    body: { takes: 'json', schema: PinSettings },
    holder: 'node',
    needs: { states: ['reserved'], otherwise: 'fpga_not_reserved' },
    answers: { 200: answer('The pins, after the change.', PinList) },
    errors: [
      'fpga_not_reserved',
      'not_session_holder',
      'pin_unknown',
      'pin_not_input',
      'pin_too_wide',
      'no_build_report',
      'link_silent',
      'link_corrupted',
      'link_closed',
    ],
  },

  readTerminal: {
    summary: 'The text from the serial line of the design',
    description:
      'For a design with pins that are a serial line (`rx` and `tx`); the bench is its other end. See docs/pins.md.',
    tag: 'nodes',
    access: 'key',
    params: NodeParams,
    query: TerminalQuery,
    needs: { states: ['reserved'], otherwise: 'fpga_not_reserved' },
    answers: {
      200: answer('The line, and the newest text.', TerminalView),
      204: answerEmpty('The design has no serial line among its pins.'),
    },
    errors: ['fpga_not_reserved', 'no_build_report', 'link_silent', 'link_corrupted', 'link_closed'],
  },

  sendToTerminal: {
    summary: 'Send text over the serial line of the design, or set its rate',
    description: 'The answer has the text that the design has sent since.',
    tag: 'nodes',
    access: 'key',
    params: NodeParams,
    body: { takes: 'json', schema: TerminalSending },
    holder: 'node',
    needs: { states: ['reserved'], otherwise: 'fpga_not_reserved' },
    answers: { 200: answer('The board has received it; the line.', TerminalView) },
    errors: [
      'fpga_not_reserved',
      'not_session_holder',
      'no_terminal',
      'terminal_busy',
      'no_build_report',
      'link_silent',
      'link_corrupted',
      'link_closed',
    ],
  },
} as const satisfies Partial<Record<EndpointId, Route>>;
