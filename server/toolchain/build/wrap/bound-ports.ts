import type { BoardDefinition } from '../../../boards/definition.ts';
import type { DesignPin } from '../../../contract/designs/uploads.ts';
import { toolchainError } from '../../../errors/toolchain.ts';
import { familyOf } from '../../families/index.ts';
import { tieOf } from '../../slave/ties.ts';

/** A port of the design that is wired to pins of the board, as a port of the top module. */
interface BoundPort {
  pin: DesignPin;
  /** Its name in the top module and the wrapper. Tools accept it, whatever the design's name is. */
  port: string;
  declaration: string;
}

/** The parts of a board that decide about its pins. */
type PinnedBoard = Pick<
  BoardDefinition,
  'name' | 'fpga' | 'clock' | 'serial' | 'leds' | 'driveHigh' | 'pins'
>;

/** The ports that are bound to the board, in the order of the source. */
export const boundPorts = (pins: readonly DesignPin[]): BoundPort[] =>
  pins
    .filter(({ bound }) => bound !== undefined)
    .map((pin, at) => {
      const port = `bound_${at}`;
      const range = pin.width === 1 ? '' : `[${pin.width - 1}:0] `;
      return { pin, port, declaration: `${pin.direction} wire ${range}${port}` };
    });

const refuse = (message: string) =>
  toolchainError('design_bad_tie', { message: `The form field pins: ${message}.` });

/** Package pins of a name; `LED` means all LEDs. Null for an unknown name. */
function sitesOf({ leds, pins = {} }: PinnedBoard, name: string): string[] | null {
  const upper = name.toUpperCase();
  if (upper === 'LED') return leds.pins;
  const led = /^LED(\d)$/.exec(upper)?.[1];
  const named =
    Object.entries(pins).find(([one]) => one.toUpperCase() === upper)?.[1] ?? leds.pins[Number(led ?? -1)];
  if (named !== undefined) return [named];
  // PIN35 is a pin even on boards whose pins are numbers, where 35 would be a value.
  const site = /^(?:PIN)?([A-Z]{1,2}\d{1,2}|\d{1,3})$/.exec(upper)?.[1];
  return site === undefined ? null : [site];
}

/**
 * Package pins of a bound port, the lowest bit first.
 * @throws design_bad_tie for an unknown name, and when the number of pins is not the width of the port
 */
function sitesOfPort(board: PinnedBoard, { name, width, bound = [] }: DesignPin): string[] {
  const sites = bound.flatMap((one) => {
    const found = sitesOf(board, one);
    if (!found) throw refuse(`${board.name} has no pin ${one}`);
    return found;
  });
  // A port with fewer bits than LEDs gets the first ones.
  const all = bound.length === 1 && sites.length > width ? sites.slice(0, width) : sites;
  if (all.length !== width) throw refuse(`${name} has ${width} bits and is bound to ${all.length} pins`);
  return all;
}

/** The board's constraints with those of the bound ports, and the remaining LEDs. */
interface Bound {
  constraints: string;
  /** Empty pins when the design uses a LED. */
  leds: BoardDefinition['leds'];
}

/**
 * Wires bound ports to a board. The bench's own pins are not available, except its LEDs; it does without LEDs then.
 * @throws design_bad_tie
 */
export function bindPorts(board: PinnedBoard, pins: readonly DesignPin[], constraints: string): Bound {
  const { clock, serial, driveHigh = [], leds } = board;
  const own = new Map([
    [clock.pin, 'the clock'],
    [serial.rx, 'the serial line'],
    [serial.tx, 'the serial line'],
    ...driveHigh.map((site): [string, string] => [site, 'held high by the bench']),
  ]);
  const taken = new Map<string, string>();
  const lines: string[] = [];
  for (const { pin, port } of boundPorts(pins))
    for (const [bit, site] of sitesOfPort(board, pin).entries()) {
      const use = own.get(site) ?? taken.get(site);
      if (use !== undefined) throw refuse(`pin ${site} of ${board.name} is ${use}`);
      taken.set(site, `already bound to ${pin.name}`);
      const idlesHigh = tieOf({ ...pin, offset: 0 }).value === 1;
      const name = pin.width === 1 ? port : `${port}[${bit}]`;
      lines.push(familyOf(board).constraint(name, site, pin.direction === 'input' && idlesHigh));
    }
  if (lines.length === 0) return { constraints, leds };
  const sharesLeds = leds.pins.some((site) => taken.has(site));
  const rest = sharesLeds
    ? constraints
        .split('\n')
        .filter((line) => !/\bleds(?:\[\d+\])?/.test(line))
        .join('\n')
    : constraints;
  return {
    constraints: `${rest.trimEnd()}\n${lines.join('\n')}\n`,
    leds: sharesLeds ? { ...leds, pins: [] } : leds,
  };
}
