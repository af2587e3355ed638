import { fileAndLine, type Place } from '../diagnostics/place.ts';
import type { PreparedDesign } from '../intake/prepared-design.ts';
import { reportedName } from '../tool-paths.ts';
import { membersOf } from './declarations.ts';

/** Finds the place of a signal, memory or instance by its name; null when it is unknown. */
export type NamePlaces = (name: string) => Place | null;

/** Place of the first `assign` to a signal after its declaration. */
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
 * Finds the place where a name is assigned, else where it is declared. In `top.count` the module `top` counts; a name
 * without a module is the first of its kind. A name inside an instance has the place of the instance.
 */
export function namePlaces({ files, netlists = [] }: Pick<PreparedDesign, 'files' | 'netlists'>): NamePlaces {
  let places: Map<string, Place> | null = null;
  return (name) => {
    if (places === null) {
      places = new Map();
      for (const path of netlists)
        for (const one of membersOf(Buffer.from(files[path] ?? '').toString()))
          if (one.kind !== 'module' && one.line !== undefined)
            // The first place of a name counts.
            for (const key of [`${one.module}.${one.name}`, one.name])
              if (!places.has(key)) places.set(key, fileAndLine(one));
    }
    for (let path = name.replace(/\[.*$/, ''); path !== ''; path = path.replace(/(?:^|\.)[^.]*$/, '')) {
      const place = places.get(path);
      if (place) return assigned(path.replace(/^.*\./, ''), place, files) ?? place;
    }
    return null;
  };
}
