import type { PortLook } from '../../../../server/contract/designs/panel.ts';

const looks: Record<PortLook, string> = {
  lamps: 'Lamps',
  switches: 'Switches',
  buttons: 'Push buttons',
  digits: 'Digits',
  slider: 'Slider',
  hex: 'Number',
  bar: 'Bar',
  hidden: 'Hidden',
};

/** The Panel tab: the ports of the design outside the bus. */
export const panel = {
  looks,
  outputs: 'Outputs',
  inputs: 'Inputs',
  inouts: 'Inouts',
  driven: 'The design drives it.',
  drivenBits: (bits: string) => `The design drives the bits ${bits}.`,
  released: 'The design does not drive it: your value applies.',
  whenReleased: (port: string) => `${port} where the design does not drive it`,
  notReserved: 'No design runs here yet.',
  notReservedText: 'The panel shows the ports of the running design. Submit one first.',
  none: 'This design has no ports besides its bus.',
  noneText:
    'Give the top module more inputs and outputs, such as sw and led. They appear here, even without a real board.',
  looksOn: 'You see the panel live. Only the holder can use it.',
  lost: 'The panel is not live. It reconnects by itself.',
  drawnAs: (port: string) => `Appearance of ${port}`,
  bit: (port: string, bit: number, width: number) => (width === 1 ? port : `${port}[${bit}]`),
  lit: 'lit',
  dark: 'dark',
  value: (port: string) => `Value of ${port}`,
  range: (width: number) => (width === 1 ? '' : `[${width - 1}:0]`),
  wrong: 'Enter a number such as 42, 0x2A or 0b101010.',
  tooWide: (width: number) => `Enter at most ${width === 1 ? '1 bit' : `${width} bits`}.`,
  hiddenPorts: 'Hidden',
  show: (port: string) => `Show ${port}`,
  fullScreen: 'Full screen',
  guessAgain: 'Reset layout',
  guessAgainHint: 'Draws every port as its name and width suggest.',
  plot: (port: string) => `Plot ${port}`,
  pin: (port: string) => `Show ${port} on the node’s card`,
  course: (port: string, value: string, seconds: number) =>
    `Course of ${port} over ${seconds} s, now ${value}`,
  ago: (seconds: number) => `${seconds} s ago`,
  bound: (site: string) => `→ ${site}`,
  boundHint: (site: string) => `Wired to ${site} of the board.`,
  shows: (port: string, text: string) => `${port} shows ${text}`,
};
