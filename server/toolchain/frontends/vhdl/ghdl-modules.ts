import type { Diagnostic } from '../../../contract/diagnostics.ts';
import type { NetlistModule } from './ghdl-netlist/netlist.ts';

/**
 * Whether a module stands for a component of which there is no entity: nothing is in it, and the design would be built without
 * what belongs there.
 */
export const isUnbound = (module: string, findings: readonly Diagnostic[]): boolean =>
  findings.some(
    ({ message }) =>
      /^instance "[^"]+" of component "([^"]+)" is not bound/.exec(message)?.[1]?.toLowerCase() ===
      module.toLowerCase(),
  );

/** Behind the name of an entity that another has within, with values for its generics: the numbers, and a digest of the rest. */
const VALUES = /^(?:_n?\d+)*(?:_[0-9a-f]{40})?$/;
export const isVariant = (module: string, entity: string): boolean =>
  module.startsWith(`${entity}_`) && VALUES.test(module.slice(entity.length));

/** Whether an entity is within another with values for its generics. */
export const hasVariant = (
  entity: string,
  modules: ReadonlyMap<string, unknown>,
  entities: readonly string[],
): boolean =>
  entities.includes(entity.toLowerCase()) &&
  [...modules.keys()].some((name) => isVariant(name, entity.toLowerCase()) && !entities.includes(name));

/** Whether a module is instantiated in one of these. */
export const isWithin = (name: string, modules: Iterable<NetlistModule>): boolean =>
  [...modules].some(({ gates }) => gates.some(({ kind }) => kind === `\\${name}`));

/**
 * The names of entities for modules, where an entity has one variant alone: `mailbox` in place of `mailbox_4`, which
 * nobody has written.
 */
export function ownNames(modules: Iterable<string>, entities: readonly string[]): Map<string, string> {
  const all = [...modules];
  const own = new Map<string, string>();
  const claimed = new Set<string>();
  // `a_1_4` is one of `a_1`, if there is such an entity, and not of `a`.
  for (const entity of [...new Set(entities)].sort((a, b) => b.length - a.length)) {
    const variants = all.filter(
      (name) => isVariant(name, entity) && !entities.includes(name) && !claimed.has(name),
    );
    for (const name of variants) claimed.add(name);
    const taken = all.some((name) => name.toLowerCase() === entity);
    if (variants.length === 1 && variants[0] !== undefined && !taken) own.set(variants[0], entity);
  }
  return own;
}
