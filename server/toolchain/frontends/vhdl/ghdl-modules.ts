import type { Diagnostic } from '../../../contract/diagnostics.ts';
import type { NetlistModule } from './ghdl-netlist/netlist.ts';

/**
 * Whether a module stands for a component without an entity. It is empty, and a design with it would lack that part.
 */
export const isUnbound = (module: string, findings: readonly Diagnostic[]): boolean =>
  findings.some(
    ({ message }) =>
      /^instance "[^"]+" of component "([^"]+)" is not bound/.exec(message)?.[1]?.toLowerCase() ===
      module.toLowerCase(),
  );

/** Suffix of an entity with values for its generics: the numbers, and a digest of the rest. */
const VALUES = /^(?:_n?\d+)*(?:_[0-9a-f]{40})?$/;
export const isVariant = (module: string, entity: string): boolean =>
  module.startsWith(`${entity}_`) && VALUES.test(module.slice(entity.length));

/** Whether GHDL made a module of an entity with values for its generics. */
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
 * Entity names for modules whose entity has only one variant: `mailbox` instead of `mailbox_4`, which no source has.
 */
export function ownNames(modules: Iterable<string>, entities: readonly string[]): Map<string, string> {
  const all = [...modules];
  const own = new Map<string, string>();
  const claimed = new Set<string>();
  // When there is an entity `a_1`, then `a_1_4` is a variant of it and not of `a`.
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
