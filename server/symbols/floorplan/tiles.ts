/** A die of the iCE40 family, as project IceStorm describes it (github.com/YosysHQ/icestorm, icebox). */
interface Die {
  width: number;
  height: number;
  /** Columns of block RAM. */
  rams: readonly number[];
  /** UltraPlus: left and right are multipliers, memories and hard blocks, not pins. */
  sides: 'I' | 'D';
}

const DIES: Readonly<Record<string, Die>> = {
  '384': { width: 8, height: 10, rams: [], sides: 'I' },
  '1k': { width: 14, height: 18, rams: [3, 10], sides: 'I' },
  // The parts with 4k are the larger die, too.
  '4k': { width: 34, height: 34, rams: [8, 25], sides: 'I' },
  '8k': { width: 34, height: 34, rams: [8, 25], sides: 'I' },
  '5k': { width: 26, height: 32, rams: [6, 19], sides: 'D' },
};

/**
 * The tiles of a part, one string a row from the bottom: L logic, R block RAM, I pins, D multipliers and others, a dot
 * for none. Empty for an unknown part.
 * @param part as nextpnr names it, e.g. `hx8k`
 */
export function tilesOf(part: string): string[] {
  const die = DIES[part.replace(/^(?:lp|hx|up)/, '')];
  if (!die) return [];
  const { width, height, rams, sides } = die;
  const letter = (x: number, y: number): string => {
    const atSide = x === 0 || x === width - 1;
    const atEnd = y === 0 || y === height - 1;
    if (atSide && atEnd) return '.';
    if (atSide) return sides;
    if (atEnd) return 'I';
    return rams.includes(x) ? 'R' : 'L';
  };
  return Array.from({ length: height }, (_, y) =>
    Array.from({ length: width }, (_, x) => letter(x, y)).join(''),
  );
}
