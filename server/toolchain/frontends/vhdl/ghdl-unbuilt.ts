import type { Unbuilt } from '../../intake/prepared-design.ts';
import { textOfEntity, vhdlUnits } from '../../languages/vhdl/vhdl-units.ts';
import { reportedName } from '../../tool-paths.ts';
import { isVariant } from './ghdl-modules.ts';
import { incomplete } from './incomplete.ts';

/** Limit of entities that are inspected for missing values. */
const MAX_INSPECTED = 64;

/** Sources of a translation: their paths, and the texts that GHDL reads. */
interface Sources {
  units: readonly string[];
  texts: readonly string[];
}

/**
 * Entities without values for their generics that no translated entity contains.
 * @param parts names of entities with a generic that has no default
 */
export function withoutValues(
  { units, texts }: Sources,
  parts: Iterable<string>,
  modules: ReadonlyMap<string, unknown>,
): Unbuilt[] {
  const names = [...modules.keys()];
  const left = [...parts]
    .filter((entity) => !names.some((name) => name === entity || isVariant(name, entity)))
    .slice(0, MAX_INSPECTED);
  if (left.length === 0) return [];
  const all = new Map(units.map((unit, n) => [reportedName(unit), texts[n] ?? '']));
  // Each text is split once, because there may be hundreds of entities.
  const files = new Map(
    [...all].flatMap(([file, text]) =>
      vhdlUnits(text).flatMap(({ kind, name }) => (kind === 'entity' ? [[name, file] as const] : [])),
    ),
  );
  return left.flatMap((entity) => {
    const file = files.get(entity);
    const missing = file && incomplete(entity, new Map([[file, all.get(file) ?? '']]));
    if (!missing) return [];
    const text = textOfEntity(all.get(file) ?? '', entity);
    return [{ entity, text, error: { severity: 'error', code: 'ghdl_error', ...missing } }];
  });
}

/**
 * Reports an entity that triggers a bug of GHDL.
 * @param version as in `GHDL 2.0.0`
 * @param output of GHDL with the statements that it executed
 */
export function metDefect(
  { units, texts }: Sources,
  entity: string,
  version: string,
  output: string,
): Unbuilt {
  const at = texts.findIndex((text) => textOfEntity(text, entity) !== '');
  const text = texts[at] ?? '';
  const own = vhdlUnits(text).find(({ kind, name }) => kind === 'entity' && name === entity)?.line;
  const executed = [...output.matchAll(/^Execute statement at (.+) (\d+)$/gm)];
  const [, last, number] = executed.findLast(([, file = '']) => units.includes(file)) ?? [];
  const file = last ?? units[at];
  const line = last === undefined ? own : Number(number);
  const where = last === undefined ? '' : ' at this statement, or behind it';
  return {
    entity,
    text: textOfEntity(text, entity),
    error: {
      severity: 'error',
      code: 'ghdl_error',
      message: `\`${entity}\` triggers a bug in ${version}${where}: rewrite its unusual parts, such as a slice at a variable place as the argument of a function, or install a newer GHDL`,
      ...(file !== undefined && { file: reportedName(file) }),
      ...(line !== undefined && { line }),
    },
  };
}
