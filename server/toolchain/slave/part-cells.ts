import { yosysLibrary } from '../engines/embedded/yosys-library.ts';
import type { Family } from '../families/family.ts';
import type { PreparedDesign } from '../intake/prepared-design.ts';

/** Cells of a part that a design has instances of. */
export interface PartCells {
  /** Files of Yosys that describe them. */
  libraries: readonly string[];
  names: readonly string[];
}

export const NO_CELLS: PartCells = { libraries: [], names: [] };

const MODULE = /^[ \t]*module\s+\\?(\w+)/gm;
const WORD = /[A-Za-z_]\w*/g;

const cellNames = new Map<string, ReadonlySet<string>>();

/** Names of all cells of a family; read once. */
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

/** Whether a name is that of a cell of the parts of a family. */
export const isPartCell = (name: string, family: Family): boolean => cellsOf(family).has(name);

/** The cells of a part that the sources of a design name and do not define. */
export function partCellsIn({ files, units }: PreparedDesign, family: Family): PartCells {
  const texts = units.map((unit) => files[unit]).filter((text) => typeof text === 'string');
  const own = new Set(texts.flatMap((text) => [...text.matchAll(MODULE)].map(([, name]) => name)));
  const known = cellsOf(family);
  const names = new Set(
    texts.flatMap((text) => (text.match(WORD) ?? []).filter((word) => known.has(word) && !own.has(word))),
  );
  if (names.size === 0) return NO_CELLS;
  // Others of the library that these are made of are black boxes as well.
  return { libraries: family.libraries.map((file) => `/share/${file}`), names: [...names] };
}
