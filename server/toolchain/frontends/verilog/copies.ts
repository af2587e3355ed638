import type { PreparedDesign } from '../../intake/prepared-design.ts';

/** The text of a source; empty where it is none. */
export const textOf = (files: PreparedDesign['files'], path: string): string => {
  const text = files[path];
  return typeof text === 'string' ? text : '';
};

// What is blank is long where comments were, and heads may have no end: each place of a text is looked at once.
const HEAD_OR_END = /^[ \t]*module\s+(\w+)|\bendmodule\b/gm;

/** The modules of a source by name, each with its text; of one that macros decide on, with nothing that another could be equal to. */
function modulesIn(text: string): Map<string, string | null> {
  const modules = new Map<string, string | null>();
  let open: { name: string; start: number } | null = null;
  for (const { 0: found, 1: name, index } of text.matchAll(HEAD_OR_END))
    if (name !== undefined) open ??= { name, start: index };
    else if (open) {
      const all = text.slice(open.start, index + found.length);
      modules.set(open.name, all.includes('`') ? null : all.replace(/\s+/g, ' ').trim());
      open = null;
    }
  return modules;
}

/** Modules of a file that are otherwise in others as well: which of them is meant cannot be told. */
export function modulesOfOthers(path: string, { files, units }: PreparedDesign): string[] {
  const others = units.filter((other) => other !== path).map((other) => modulesIn(textOf(files, other)));
  return [...modulesIn(textOf(files, path))].flatMap(([name, text]) =>
    others.some((other) => other.has(name) && (text === null || other.get(name) !== text)) ? [name] : [],
  );
}
