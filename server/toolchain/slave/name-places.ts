import { fileAndLine, type Place } from '../diagnostics/place.ts';
import type { PreparedDesign } from '../intake/prepared-design.ts';
import { membersOf } from './declarations.ts';
import { moduleSource } from './module-source.ts';

/** Finds the place of a signal, memory or instance by its name; null when it is unknown. */
export type NamePlaces = (name: string) => Place | null;

/** Place of the first `assign` to a signal after its declaration. */
function assigned(name: string, place: Place, files: PreparedDesign['files']): Place | null {
  if (!/^\w+$/.test(name)) return null;
  const own = moduleSource(place, files);
  const at = own.search(new RegExp(`\\bassign\\s+${name}\\b`));
  if (at < 0) return null;
  const { file, line = 1 } = place;
  return { ...(file !== undefined && { file }), line: line + own.slice(0, at).split('\n').length - 1 };
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
