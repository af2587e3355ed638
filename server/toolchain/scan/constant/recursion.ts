import { boundsOf, ModuleComputations } from './computations.ts';
import { itsOwn, type Made, said, type TextPlace } from './made.ts';
import type { ModuleText } from './modules.ts';

/** Modules that instantiate each other and never come to an end. */
export interface EndlessInstances {
  /** The instances that lead from the first one's module back to it, in this order. */
  steps: InstanceStep[];
  /** With the same parameters again; else with others each time, for as many levels as were looked at. */
  again: boolean;
}

/** An instance on the way. */
export interface InstanceStep extends TextPlace {
  /** What it is in, and what it is of. */
  within: string;
  module: string;
  name: string;
  /** What its parameters are: `N = 5`; empty where they are as by themselves. */
  given: string;
}

/** Levels of modules that are looked at: as deep as they are, Yosys takes more than the square of its time, minutes for 4,000. */
export const MOST_MODULE_LEVELS = 4096;
/** Modules with their parameters that are looked at. */
const MOST_MADE = 3 * MOST_MODULE_LEVELS;
/** Statements of functions that are computed. */
const WORK = 1 << 20;

/** A module with its parameters, and what its instances make that is still to be looked at. */
interface Level {
  key: string;
  made: Pick<Made, 'module' | 'given'>;
  step: InstanceStep | null;
  left: Made[];
}

/**
 * Modules below `top` that instantiate each other without an end, with what their instances give them. Only instances count that are
 * made for sure: what depends on what cannot be told is left out.
 * @returns null where there are none, or it cannot be told
 */
export function endlessInstances(modules: readonly ModuleText[], top: string): EndlessInstances | null {
  const byName = new Map(modules.map((module) => [module.name, module]));
  const recursive = leadingToThemselves(byName.values());
  const first = byName.get(top);
  if (!first || !recursive.has(top)) return null;
  const bounds = boundsOf(WORK, WORK);
  const seen = new Set<string>();
  const path: Level[] = [];
  const onPath = new Map<string, number>();
  const enter = (made: Level['made'], step: InstanceStep | null) => {
    const key = keyOf(made);
    seen.add(key);
    const computations = new ModuleComputations(made.module, bounds, () => false, {
      given: made.given,
      instance: null,
    });
    const left = computations
      .made(byName)
      .filter(({ certain, module }) => certain && recursive.has(module.name));
    onPath.set(key, path.length);
    path.push({ key, made, step, left });
  };
  enter({ module: first, given: new Map() }, null);
  while (path.length > 0) {
    const level = path.at(-1) as Level;
    const next = level.left.shift();
    if (!next) {
      onPath.delete(level.key);
      path.pop();
      continue;
    }
    const step = stepTo(level.made.module, next);
    const before = onPath.get(keyOf(next));
    if (before !== undefined) return { steps: [...stepsFrom(path, before), step], again: true };
    if (path.length >= MOST_MODULE_LEVELS) return deepest(path, step);
    if (seen.has(keyOf(next))) continue;
    if (seen.size >= MOST_MADE || bounds.work.left < 0) return null;
    enter(next, step);
  }
  return null;
}

const keyOf = ({ module, given }: Level['made']) => `${module.name} ${said(given)}`;

const stepTo = ({ name: within, path }: ModuleText, { module, given, place }: Made): InstanceStep => ({
  within,
  module: module.name,
  name: place.name,
  path,
  start: place.start,
  given: said(itsOwn(given)),
});

/** The steps behind a level. */
const stepsFrom = (path: readonly Level[], level: number) =>
  path.slice(level + 1).flatMap(({ step }) => step ?? []);

/** The first way from the module of the deepest level to itself. */
function deepest(path: readonly Level[], last: InstanceStep): EndlessInstances {
  const from = path.findIndex(({ made }) => made.module.name === last.module);
  const steps = [...stepsFrom(path, from), last];
  const end = steps.findIndex(({ module }) => module === last.module);
  return { steps: steps.slice(0, end + 1), again: false };
}

/** The modules from which instances lead to a module that leads to itself, if all of them are made. */
export function leadingToThemselves(
  modules: Iterable<{ name: string; instances: readonly { module: string }[] }>,
): Set<string> {
  const all = [...modules];
  const names = new Set(all.map(({ name }) => name));
  // Whatever leads to nothing but what ends does, too: what is left in the end does not.
  const users = new Map<string, string[]>();
  const open = new Map<string, number>();
  for (const { name, instances } of all) {
    const used = new Set(instances.map(({ module }) => module).filter((module) => names.has(module)));
    open.set(name, used.size);
    for (const one of used) {
      const before = users.get(one);
      if (before) before.push(name);
      else users.set(one, [name]);
    }
  }
  const ends = [...open].filter(([, count]) => count === 0).map(([name]) => name);
  for (let name = ends.pop(); name !== undefined; name = ends.pop()) {
    open.delete(name);
    for (const user of users.get(name) ?? []) {
      const count = (open.get(user) ?? 0) - 1;
      open.set(user, count);
      if (count === 0) ends.push(user);
    }
  }
  return new Set(open.keys());
}
