import type { Diagnostic } from '../../contract/diagnostics.ts';
import type { Place } from './rtlil.ts';

/** What of a module decides how deep it is. */
interface Level {
  name: string;
  place: Place;
  instances: readonly { module: string; name: string; place: Place }[];
}

/** The longest way down from a module: as many modules, itself counted, and the deepest of them. */
export interface Depth {
  levels: number;
  deepest: Level;
}

/**
 * How deep the modules below `top` lie within each other. An instance that leads back to a module that it is in does not count.
 * @returns null where there is no such module
 */
export function depthBelow(top: string, modules: ReadonlyMap<string, Level>): Depth | null {
  const first = modules.get(top);
  if (!first) return null;
  const known = new Map<string, Depth>();
  const open = [{ level: first, next: 0, best: { levels: 1, deepest: first } }];
  const onWay = new Set([top]);
  for (let inner = open.at(-1); inner; inner = open.at(-1)) {
    const instance = inner.level.instances[inner.next++];
    if (!instance) {
      open.pop();
      onWay.delete(inner.level.name);
      known.set(inner.level.name, inner.best);
      const outer = open.at(-1);
      if (outer) outer.best = deeper(outer.best, inner.best);
      continue;
    }
    const module = modules.get(instance.module);
    if (!module || onWay.has(module.name)) continue;
    const before = known.get(module.name);
    if (before) inner.best = deeper(inner.best, before);
    else {
      onWay.add(module.name);
      open.push({ level: module, next: 0, best: { levels: 1, deepest: module } });
    }
  }
  return known.get(top) ?? null;
}

const deeper = (best: Depth, below: Depth): Depth =>
  below.levels + 1 > best.levels ? { levels: below.levels + 1, deepest: below.deepest } : best;

/** Levels of modules that the bench builds, and from how many on their depth is what takes the time. */
const MOST_LEVELS = 1000;
const SLOW_LEVELS = 250;

/** What is to be said of modules that lie deeply within each other: an error where they are too deep; null where they are not deep. */
export function deepHierarchy(top: string, modules: ReadonlyMap<string, Level>): Diagnostic | null {
  const depth = depthBelow(top, modules);
  if (!depth || depth.levels < SLOW_LEVELS) return null;
  const { levels, deepest } = depth;
  const plain = (value: number) => value.toLocaleString('en-US');
  const where = `modules lie within each other ${plain(levels)} levels deep, from ${top} down to ${deepest.name}`;
  const tooDeep = levels > MOST_LEVELS;
  return {
    severity: tooDeep ? 'error' : 'warning',
    code: 'design_invalid',
    message: tooDeep
      ? `${where}; the bench takes on ${plain(MOST_LEVELS)}: instantiate some of them side by side`
      : `${where}, and the memory of Yosys grows with the cube of that`,
    ...deepest.place,
    module: deepest.name,
  };
}
