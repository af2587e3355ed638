import type { DesignPin, MatchedDesign } from '../../contract/designs/uploads.ts';

type Terminal = NonNullable<MatchedDesign['terminal']>;

/** Bits a second where the design does not say another rate. */
const USUAL_BAUD = 115_200;

const RECEIVES = /^(.*?)(?:rxd?|srxd?|sin|serin|urx)(?:_?(?:i|in|pad|pin))*$/;
const SENDS = /^(.*?)(?:txd?|stxd?|sout|serout|utx)(?:_?(?:o|out|pad|pin))*$/;

/** What a port's name says before the word for its direction; null for one without such a word. */
const stemOf = (name: string, marks: RegExp): string | null =>
  marks.exec(name.toLowerCase().replace(/^[io]_/, ''))?.[1] ?? null;

/** A parameter that gives the rate in bits a second. */
const RATE = /^(?:uart_?)?baud(?:_?rate)?$/i;

/**
 * The serial line of a design among its pins: an input and an output of one bit that are called alike, but for `rx` and `tx`;
 * of several the first pair in the order of the source. Null where there is none.
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
    const given = Object.entries(parameters).find(([name]) => RATE.test(name))?.[1];
    const baud = given !== undefined && given >= 300 && given <= 3_000_000 ? given : USUAL_BAUD;
    return { input: input.name, output: output.name, baud };
  }
  return null;
}
