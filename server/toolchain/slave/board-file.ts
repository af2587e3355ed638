import type { BoardDefinition } from '../../boards/definition.ts';
import type { Port } from '../../contract/designs/uploads.ts';
import { familyOf } from '../families/index.ts';

/** A line of a .pcf: a port or one bit of it, and the pin of the package. */
interface Assignment {
  port: string;
  bit: number | null;
  site: string;
}

/** A .pcf of a design, as a board can use it. */
export interface BoardFile {
  path: string;
  assignments: readonly Assignment[];
  /** Why a pin of the package is not available. */
  taken: ReadonlyMap<string, string>;
  /** Whether anything is connected to the board's pins. Otherwise inputs stay pins that a user can set. */
  connected: boolean;
  /** Name of a package pin in the form field `pins`. */
  nameOf(site: string): string;
}

/** Reads `set_io [options] port pin`; the bench decides everything else. Source: IceStorm, nextpnr-ice40. */
function parsePcf(text: string): Assignment[] {
  return text.split(/\r?\n/).flatMap((line): Assignment[] => {
    const words = line.replace(/#.*/, '').trim().split(/\s+/);
    if (words[0] !== 'set_io') return [];
    const plain: string[] = [];
    for (let at = 1; at < words.length; at++) {
      const word = words[at] ?? '';
      if (word === '-pullup' || word === '-pullup_resistor') at++;
      else if (!word.startsWith('-')) plain.push(word);
    }
    const [name, site, more] = plain;
    if (name === undefined || site === undefined || more !== undefined) return [];
    const [, port = name, bit] = /^(.+)\[(\d+)\]$/.exec(name) ?? [];
    return [{ port, bit: bit === undefined ? null : Number(bit), site: site.toUpperCase() }];
  });
}

/**
 * Reads the .pcf of a design for a board.
 * @returns null for a board of another family
 */
export function readBoardFile(
  board: Pick<
    BoardDefinition,
    'id' | 'name' | 'fpga' | 'clock' | 'serial' | 'driveHigh' | 'pins' | 'programmer'
  >,
  path: string,
  text: string,
): BoardFile | null {
  if (!familyOf(board).followsPcf) return null;
  const { clock, serial, driveHigh = [], pins = {} } = board;
  const named = new Map(Object.entries(pins).map(([name, site]) => [name.toUpperCase(), site.toUpperCase()]));
  return {
    path,
    assignments: parsePcf(text),
    connected: board.programmer.kind !== 'virtual',
    taken: new Map([
      [clock.pin, `the clock of ${board.name}`],
      [serial.rx, 'the serial line of the bench'],
      [serial.tx, 'the serial line of the bench'],
      ...driveHigh.map((site): [string, string] => [site, 'held high by the bench']),
    ]),
    // The prefix PIN means the package's pin when the board has another pin of that name.
    nameOf: (site) => ((named.get(site) ?? site) === site ? site : `PIN${site}`),
  };
}

/**
 * The ports that a .pcf binds, in the form of the field `pins`. A port that cannot be bound completely stays a pin of the
 * bench, and a note gives the reason.
 * @param ports the ports that are not the bus
 */
export function wishesOf(
  { path, assignments, taken, connected, nameOf }: BoardFile,
  ports: readonly Port[],
): { wishes: Record<string, string>; notes: string[] } {
  const wishes: Record<string, string> = {};
  const notes: string[] = [];
  for (const { name, width, offset, direction } of ports) {
    const own = assignments.filter(({ port }) => port === name);
    if (own.length === 0) continue;
    const sites = Array.from({ length: width }, (_, at) =>
      own.find(({ bit }) => bit === at + offset || (bit === null && width === 1)),
    ).map((found) => found?.site);
    const missing = sites.indexOf(undefined);
    const lost = sites.find((site) => site !== undefined && taken.has(site));
    const stays = `${name} stays a pin of the bench`;
    if (missing >= 0) notes.push(`${path} has no pin for ${name}[${missing + offset}]: ${stays}`);
    else if (lost !== undefined) notes.push(`pin ${lost} is ${taken.get(lost)}: ${stays}`);
    else if (!connected && direction !== 'output')
      notes.push(`nothing is connected to the pins of a virtual board: ${stays}`);
    else wishes[name] = sites.map((site) => nameOf(site ?? '')).join(' ');
  }
  const bound = Object.keys(wishes);
  notes.push(
    bound.length > 0
      ? `${path} binds ${bound.join(', ')} to pins of the board`
      : `${path} binds no port outside the bus`,
  );
  return { wishes, notes };
}
