import type { Diagnostic } from '../../contract/diagnostics.ts';
import type { ModuleText } from './constant/modules.ts';
import { modulesOf } from './constant/modules.ts';
import { leadingToThemselves } from './constant/recursion.ts';
import { inUpload, lineIn, type PreparedDesign } from './prepared-design.ts';
import { reportedName } from './tool-paths.ts';

/** Modules that a finding names. */
const MOST_SAID = 8;
/** Larger sources are not read: it would take too long. */
const LONGEST = 1 << 20;

/**
 * What may be the reason that a tool has come to no end, where no other was found: a module that has itself within it, directly or
 * through others, with the instance and its line. Whether that comes to an end is not known; empty where there is none.
 */
export function instancesOfThemselves(source: PreparedDesign): Diagnostic[] {
  const modules = source.units.flatMap((path) => {
    const text = source.files[path];
    return typeof text === 'string' && text.length <= LONGEST ? modulesOf(text, path) : [];
  });
  const recursive = leadingToThemselves(modules);
  const byName = new Map(modules.map((module) => [module.name, module]));
  const [begin] = recursive;
  if (begin === undefined) return [];
  // Whatever leads to itself has an instance that does, so the way ends where it has been before.
  const way: { module: ModuleText; instance: ModuleText['instances'][number] }[] = [];
  const seen = new Map<string, number>();
  let name = begin;
  while (!seen.has(name)) {
    const module = byName.get(name);
    const instance = module?.instances.find((one) => recursive.has(one.module));
    if (!module || !instance) return [];
    seen.set(name, way.length);
    way.push({ module, instance });
    name = instance.module;
  }
  const steps = way.slice(seen.get(name));
  const [first] = steps;
  if (!first) return [];
  const lineOf = ({ module: { path }, instance: { start } }: (typeof steps)[number]) =>
    lineIn(source, path, start);
  const named = steps.slice(0, MOST_SAID).map((step) => {
    const { module, instance } = step;
    const file = module.path === first.module.path ? '' : ` of ${reportedName(module.path)}`;
    return `the instance ${instance.name} of ${instance.module} (line ${lineOf(step)}${file})`;
  });
  if (steps.length > named.length)
    named.push(`${(steps.length - named.length).toLocaleString('en-US')} more`);
  const message = `module ${first.module.name} is within itself: it has ${named.join(', that has ')}, and whether that comes to an end cannot be told from the text`;
  const at = inUpload({ file: reportedName(first.module.path), line: lineOf(first) }, source);
  return [{ severity: 'warning', code: 'design_invalid', message, ...at, module: first.module.name }];
}
