// Finds the serial line among the pins of a design.
import type { DesignPin, MatchedDesign } from '../../contract/designs/uploads.ts';

type Terminal = NonNullable<MatchedDesign['terminal']>;

/** Default rate, bits per second. */
const USUAL_BAUD = 115_200;

const RECEIVES = /^(.*?)(?:rxd?|srxd?|sin|serin|urx)(?:_?(?:i|in|pad|pin))*$/;
const SENDS = /^(.*?)(?:txd?|stxd?|sout|serout|utx)(?:_?(?:o|out|pad|pin))*$/;

/** The part of a port's name before the direction word; null without such a word. */
const stemOf = (name: string, marks: RegExp): string | null =>
  marks.exec(name.toLowerCase().replace(/^[io]_/, ''))?.[1] ?? null;

/** A parameter with the rate in bits per second. */
const RATE = /^(?:uart_?)?baud(?:_?rate)?$/i;

/**
 * Finds the serial line among a design's pins: an input and an output of one bit whose names differ only in `rx` and `tx`.
 * Of several pairs the first of the source counts; null when there is none.
 * @param parameters of its module, with the values of the build
 */
export function findTerminal(
  pins: readonly DesignPin[],
  parameters: Readonly<Record<string, number>> = {},
): Terminal | null {
  const single = pins.filter(({ width }) => width === 1);
  for (const input of single) {
    const stem = input.direction === 'input' && !input.bound ? stemOf(input.name, RECEIVES) : null;
    if (stem === null) continue;
    const output = single.find(
      ({ name, direction }) => direction === 'output' && stemOf(name, SENDS) === stem,
    );
    if (!output) continue;
    const rate = Object.entries(parameters).find(([name]) => RATE.test(name))?.[1];
    const baud = rate !== undefined && rate >= 300 && rate <= 3_000_000 ? rate : USUAL_BAUD;
    return { input: input.name, output: output.name, baud };
  }
  return null;
}
