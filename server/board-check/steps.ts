import { type BoardDefinition, userClock } from '../boards/definition.ts';
import { CHECK_STEPS, type CheckStep } from '../contract/boards/board-checks.ts';
import { MEMORY_WORDS } from './check-design.ts';

/** Words in each direction. */
export const CHECK_WORDS = 10_000;

/** E.g. `10,000 words`. */
export const inWords = (count: number): string => `${count.toLocaleString('en')} words`;

const PROGRAMS: Record<BoardDefinition['programmer']['kind'], string> = {
  virtual: 'The virtual FPGA accepts the whole bitstream.',
  'ice40-mpsse': 'The bitstream goes to the board over the USB chip’s SPI; a flash is read back.',
  openfpgaloader: 'openFPGALoader writes the bitstream and exits without an error.',
};

/** The expected result of each step on this board. */
function expectations(definition: BoardDefinition): Record<CheckStep['step'], [string, string]> {
  const { programmer, usb } = definition;
  const mhz = userClock(definition).hz / 1e6;
  return {
    reset: ['Recovered', 'The node was in error. The base SoC goes onto its board, and the node is idle.'],
    seen: [
      'Found on USB',
      usb ? 'The system lists the board’s USB device, and a serial port for its UART.' : 'No USB is needed.',
    ],
    built: ['Check design built', `The design of the check is built for this board and meets ${mhz} MHz.`],
    opened: [
      'Opened',
      usb ? 'This user may open the USB device, and no other program holds it.' : 'No device is needed.',
    ],
    programmed: ['Programmed', PROGRAMS[programmer.kind]],
    cdone: ['CDONE', 'CDONE is low while the FPGA is in reset, and high when it has the bitstream.'],
    identity: ['Identity', 'The board answers over its UART and reports the build that was programmed.'],
    memory: ['Block RAM', `${inWords(MEMORY_WORDS)} read back as written.`],
    write: [
      'Words to the board',
      `${inWords(CHECK_WORDS)} arrive, and the design receives all of them correctly.`,
    ],
    read: ['Words from the board', `${inWords(CHECK_WORDS)} from the design arrive, all of them correct.`],
    line_rate: ['Line rate', 'No exchange is damaged.'],
    released: ['Released', 'The base SoC goes onto the board, and the node is idle.'],
  };
}

/**
 * The steps of a check of this board; `reset` only where the node must be reset first. The line rates come when the
 * board is known to work.
 */
export function plannedSteps(definition: BoardDefinition, options: { reset: boolean }): CheckStep[] {
  const texts = expectations(definition);
  const planned = CHECK_STEPS.filter((step) => step !== 'line_rate' && (step !== 'reset' || options.reset));
  return planned.map((step) => ({
    step,
    title: texts[step][0],
    expected: texts[step][1],
    state: 'waiting',
    happened: null,
    failure: null,
    milliseconds: null,
    figures: {},
  }));
}
