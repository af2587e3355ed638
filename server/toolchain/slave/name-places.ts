import type { Place } from '../diagnostics/place.ts';
import type { PreparedDesign } from '../intake/prepared-design.ts';
import { reportedName } from '../tool-paths.ts';

/** Where a signal, a memory or an instance stands that a tool names without a place; null where that is not to be told. */
export type NamePlaces = (name: string) => Place | null;

const MODULE = /^module \\([^$\s]+)/;
const PLACE = /^ {2}attribute \\src "([^":|]+):(\d+)/;
const NAMED = /^ {2}(?:wire|memory|cell) .*\\(\S+)$/;

/** The names that are declared in RTLIL, by themselves and with their module in front of them; the first of a name counts. */
function declaredIn(rtlil: string, places: Map<string, Place>): void {
  let [module, place] = ['', null as Place | null];
  for (const line of rtlil.split('\n')) {
    const [, file, row] = PLACE.exec(line) ?? [];
    if (file !== undefined) place = { file: reportedName(file), line: Number(row) };
    else if (!line.startsWith('  attribute ')) {
      module = MODULE.exec(line)?.[1] ?? module;
      const name = NAMED.exec(line)?.[1];
      if (name !== undefined && place)
        for (const key of [`${module}.${name}`, name]) if (!places.has(key)) places.set(key, place);
      place = null;
    }
  }
}

/** Where something is assigned to a signal, below its declaration. */
function assigned(name: string, { file, line = 1 }: Place, files: PreparedDesign['files']): Place | null {
  const [, text] = Object.entries(files).find(([path]) => reportedName(path) === file) ?? [];
  if (typeof text !== 'string' || !/^\w+$/.test(name)) return null;
  const [own = ''] = text
    .split('\n')
    .slice(line - 1)
    .join('\n')
    .split(/\bendmodule\b/, 1);
  const at = own.search(new RegExp(`\\bassign\\s+${name}\\b`));
  return at < 0
    ? null
    : { ...(file !== undefined && { file }), line: line + own.slice(0, at).split('\n').length - 1 };
}

/**
 * Finds names of a design where it assigns something to them, else where it declares them. A name that several modules have is found in the one that is named in front of it,
 * as in `top.count`, else in the first; of what is within an instance the instance is.
 */
export function namePlaces({ files, netlists = [] }: Pick<PreparedDesign, 'files' | 'netlists'>): NamePlaces {
  let places: Map<string, Place> | null = null;
  return (name) => {
    if (places === null) {
      places = new Map();
      for (const path of netlists) declaredIn(Buffer.from(files[path] ?? '').toString(), places);
    }
    for (let path = name.replace(/\[.*$/, ''); path !== ''; path = path.replace(/(?:^|\.)[^.]*$/, '')) {
      const place = places.get(path);
      if (place) return assigned(path.replace(/^.*\./, ''), place, files) ?? place;
    }
    return null;
  };
}
