import { textOf } from './copies.ts';
import { nearest } from './near-names.ts';
import type { PreparedDesign } from './prepared-design.ts';
import { sourceOf } from './rewrites/sources.ts';
import { addStructures, type Structure, structureVariables } from './rewrites/structures.ts';

/**
 * What is wrong with `cfg.runing` in a module where cfg is a packed structure without such a member, of which Yosys makes a new
 * wire; null where it is something else.
 */
export function missingMember(net: string, module: string, { units, files }: PreparedDesign): string | null {
  const [, name, member] = /^(\w+)\.(\w+)/.exec(net) ?? [];
  if (name === undefined || member === undefined) return null;
  const sources = units.map((path) => sourceOf(textOf(files, path)));
  const structures = new Map<string, Structure | null>();
  for (const { pieces, pairs, scopes } of sources) addStructures(pieces, pairs, scopes, structures);
  for (const { pieces, pairs, scopes } of sources) {
    const scope = scopes.find((one) => one.kind === 'module' && one.name === module);
    const members = scope && structureVariables(pieces, pairs, scope, structures).get(name)?.members;
    if (!members || members.includes(member)) continue;
    const near = nearest(member, members);
    return `the structure ${name} has no member \`${member}\`, but ${members.join(', ')}${near === null ? '' : `; perhaps \`${near}\` is meant`}`;
  }
  return null;
}
