import type { Diagnostic } from '../../contract/diagnostics.ts';
import { vhdlEntityLines } from '../scan/vhdl.ts';

/**
 * Whether a module stands for a component of which there is no entity: GHDL writes an empty one, and the design would be
 * built without what is in it.
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
  modules: ReadonlyMap<string, string>,
  entities: readonly string[],
): boolean =>
  entities.includes(entity.toLowerCase()) &&
  [...modules.keys()].some((name) => isVariant(name, entity.toLowerCase()) && !entities.includes(name));

/** Whether a module is instantiated in one of these. @param name of nothing but letters, digits and `_` */
export const isWithin = (name: string, modules: ReadonlyMap<string, string>): boolean =>
  [...modules.values()].some((text) => new RegExp(`^ +${name} (?:#\\(|\\w+ \\()`, 'm').test(text));

/**
 * Verilog of GHDL with one bit, 0, for each value that has none, such as a number of the range 0 to 0 or the index of a single
 * element: Verilog has no vectors without bits, and what such a value is assigned or connected to is written as one bit.
 */
export const withoutEmptyValues = (text: string): string =>
  text.replace(/^ *(?:localparam|assign) .*;/gm, (line) =>
    line.replace(/(?<![\w'])0'b[01XZ]*(?![\w'])/g, "1'b0").replace(/ = "";$/, " = 1'b0;"),
  );

/**
 * Modules by the names of their entities, where an entity has one variant alone: `mailbox` in place of `mailbox_4`, which
 * nobody has written.
 */
export function underOwnNames(
  modules: ReadonlyMap<string, string>,
  entities: readonly string[],
): Map<string, string> {
  const own = new Map<string, string>();
  const claimed = new Set<string>();
  // `a_1_4` is one of `a_1`, if there is such an entity, and not of `a`.
  for (const entity of [...new Set(entities)].sort((a, b) => b.length - a.length)) {
    const variants = [...modules.keys()].filter(
      (name) => isVariant(name, entity) && !entities.includes(name) && !claimed.has(name),
    );
    for (const name of variants) claimed.add(name);
    const taken = [...modules.keys()].some((name) => name.toLowerCase() === entity);
    if (variants.length === 1 && variants[0] !== undefined && !taken) own.set(variants[0], entity);
  }
  if (own.size === 0) return new Map(modules);
  // Only where a module begins and where one is instantiated: a signal may have such a name as well.
  const named = (text: string) =>
    text.replace(/^(module | +)(\w+)(?= #\(| \w+ \(|\s*$)/gm, (all, before: string, name: string) =>
      own.has(name) ? `${before}${own.get(name)}` : all,
    );
  return new Map([...modules].map(([name, text]) => [own.get(name) ?? name, named(text)]));
}

/** Verilog text → its modules by name, each with its own text. */
export function splitModules(text: string): Map<string, string> {
  const modules = new Map<string, string>();
  for (const [module, name = ''] of text.matchAll(/^module\s+(\S+)[\s\S]*?^endmodule\b/gm))
    modules.set(name, module);
  return modules;
}

/** Puts the place of its entity above a module, of which GHDL says nothing. @param texts of the units, in their order */
export function withOwnLine(units: readonly string[], texts: readonly string[]) {
  const places = new Map(
    units.flatMap((unit, n) =>
      [...vhdlEntityLines(texts[n] ?? '')].map(([name, line]) => [name, `/* ${unit}:${line}:1 */\n`]),
    ),
  );
  return ([name, text]: [string, string]): string => {
    const own = name.toLowerCase();
    const entity = places.has(own) ? own : [...places.keys()].find((one) => isVariant(own, one));
    return `${places.get(entity ?? '') ?? ''}${text}`;
  };
}

/** Verilog of GHDL whose places are those of the source: GHDL notes the place of each statement in a comment; as `line directives they reach every message. */
export const withSourceLines = (text: string): string =>
  `${text.replace(/^ *\/\* *([\w.+/-]+?):(\d+):\d+ *\*\/$/gm, (_, file: string, line: string) => `\`line ${line} "${file}" 0`)}\n`;
