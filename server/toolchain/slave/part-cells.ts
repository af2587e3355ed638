import { yosysLibrary } from '../engines/embedded/yosys-library.ts';
import type { Family } from '../families/family.ts';
import type { PreparedDesign } from '../intake/prepared-design.ts';

/** Cells of the part that a design instantiates. */
export interface PartCells {
  /** Library files of Yosys with these cells. */
  libraries: readonly string[];
  names: readonly string[];
}

export const NO_CELLS: PartCells = { libraries: [], names: [] };

const MODULE = /^[ \t]*module\s+\\?(\w+)/gm;
const WORD = /[A-Za-z_]\w*/g;

const cellNames = new Map<string, ReadonlySet<string>>();

/** Names of all cells of a family; they are read once. */
function cellsOf({ name: family, libraries }: Family): ReadonlySet<string> {
  const known = cellNames.get(family);
  if (known) return known;
  const names = new Set(
    libraries.flatMap((file) =>
      [...yosysLibrary(file).matchAll(MODULE)].flatMap(([, name]) => (name === undefined ? [] : [name])),
    ),
  );
  cellNames.set(family, names);
  return names;
}

/** Whether a family has a cell of this name. */
export const isPartCell = (name: string, family: Family): boolean => cellsOf(family).has(name);

/** Cells of the part that the sources name and do not define. */
export function partCellsIn({ files, units }: PreparedDesign, family: Family): PartCells {
  const texts = units.map((unit) => files[unit]).filter((text) => typeof text === 'string');
  const own = new Set(texts.flatMap((text) => [...text.matchAll(MODULE)].map(([, name]) => name)));
  const known = cellsOf(family);
  const names = new Set(
    texts.flatMap((text) => (text.match(WORD) ?? []).filter((word) => known.has(word) && !own.has(word))),
  );
  if (names.size === 0) return NO_CELLS;
  // Other cells of the library are black boxes as well.
  return { libraries: family.libraries.map((file) => `/share/${file}`), names: [...names] };
}
