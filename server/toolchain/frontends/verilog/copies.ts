import type { PreparedDesign } from '../../intake/prepared-design.ts';

/** The text of a source; empty when it is no text. */
export const textOf = (files: PreparedDesign['files'], path: string): string => {
  const text = files[path];
  return typeof text === 'string' ? text : '';
};

// Linear in the length of the text: blanked comments leave long runs of spaces, and a head may have no end.
const HEAD_OR_END = /^[ \t]*module\s+(\w+)|\bendmodule\b/gm;

/** Texts of a source's modules by name; null where macros change the module, which makes it unequal to any other. */
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

/** Modules of a file that another file has with a different text: it is unclear which one is meant. */
export function modulesOfOthers(path: string, { files, units }: PreparedDesign): string[] {
  const others = units.filter((other) => other !== path).map((other) => modulesIn(textOf(files, other)));
  return [...modulesIn(textOf(files, path))].flatMap(([name, text]) =>
    others.some((other) => other.has(name) && (text === null || other.get(name) !== text)) ? [name] : [],
  );
}
