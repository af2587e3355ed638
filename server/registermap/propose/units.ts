import type { SourceLanguage } from './source-text.ts';

/** The extent of the code that a comment may describe. */
export interface Unit {
  name: string;
  /** Line of its head, and of its end. */
  head: number;
  end: number;
}

/** Heads of modules and entities with their names, and ends. */
const BOUNDS: Readonly<Record<SourceLanguage, RegExp | null>> = {
  verilog: /\bendmodule\b|\b(?:macro)?module\s+(?:automatic\s+|static\s+)?([A-Za-z_]\w*)/g,
  vhdl: /\bend\b|\bentity\s+(\w+)\s+is\b/gi,
  python: null,
};

/** The modules or entities of a file. @param code without comments */
export function unitsOf(code: string, language: SourceLanguage): Unit[] {
  const units: Unit[] = [];
  let [line, from] = [1, 0];
  for (const { index, 1: name } of BOUNDS[language] ? code.matchAll(BOUNDS[language]) : []) {
    for (; from < index; from++) if (code[from] === '\n') line++;
    const last = units.at(-1);
    if (name !== undefined) units.push({ name, head: line, end: Number.POSITIVE_INFINITY });
    else if (last) last.end = line;
  }
  return units;
}
