import type { PreparedDesign } from '../../intake/prepared-design.ts';
import { vhdlSource } from '../../languages/vhdl/vhdl-places.ts';
import { vhdlUnits } from '../../languages/vhdl/vhdl-units.ts';
import { reportedName } from '../../tool-paths.ts';

/** A source with the names that it declares and the words that it uses, all in lower case. */
interface Source {
  path: string;
  declares: ReadonlySet<string>;
  words: ReadonlySet<string>;
}

function readSource(path: string, text: string): Source {
  return {
    path,
    declares: new Set(vhdlUnits(text).map(({ name }) => name)),
    words: new Set(
      vhdlSource(text).tokens.flatMap(({ kind, text: word }) => (kind === 'word' ? [word] : [])),
    ),
  };
}

/**
 * Removes the VHDL sources that the top does not need, and the Verilog when it needs none, so that errors in them do not
 * matter. VHDL names every unit that it uses, and this compares words: it may keep a source too many, never one too few.
 * @param top a module or entity; a module may instantiate any entity that the Verilog names
 * @returns also the reported names of the removed sources
 */
export function neededVhdl(
  source: PreparedDesign,
  top: string,
): { source: PreparedDesign; unneeded: readonly string[] } {
  const textOf = (path: string) => String(source.files[path] ?? '');
  const sources = source.units.map((path) => readSource(path, textOf(path)));
  const name = top.toLowerCase();
  const isVerilog = source.verilog?.modules.has(name) === true;
  const words = new Set([name]);
  if (isVerilog)
    for (const unit of source.verilog?.units ?? [])
      for (const [word] of textOf(unit).matchAll(/\w+/g)) words.add(word.toLowerCase());
  const needed = new Set<Source>();
  for (let before = -1; before !== needed.size; ) {
    before = needed.size;
    for (const one of sources) {
      if (needed.has(one) || ![...one.declares].some((unit) => words.has(unit))) continue;
      needed.add(one);
      for (const word of one.words) words.add(word);
    }
  }
  if (needed.size === 0 && !isVerilog) return { source, unneeded: [] };
  const { verilog, ...rest } = source;
  const usesVerilog =
    verilog !== undefined && [...verilog.modules.keys()].some((module) => words.has(module));
  const left = [
    ...sources.filter((one) => !needed.has(one)).map(({ path }) => path),
    ...(usesVerilog ? [] : (verilog?.units ?? [])),
  ];
  const names = new Set(left.map(reportedName));
  return {
    source: {
      ...rest,
      ...(usesVerilog && { verilog }),
      units: source.units.filter((path) => !left.includes(path)),
      files: Object.fromEntries(Object.entries(source.files).filter(([path]) => !left.includes(path))),
      diagnostics: source.diagnostics.filter(({ file }) => file === undefined || !names.has(file)),
    },
    unneeded: [...names],
  };
}
