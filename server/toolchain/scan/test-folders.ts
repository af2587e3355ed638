import { textOf } from './copies.ts';
import { declaredIn, namedIn } from './declared-units.ts';
import { piecesOf } from './outline-lexer.ts';
import type { PreparedDesign } from './prepared-design.ts';
import { hasSlavePorts } from './slave-ports.ts';
import { reportedName } from './tool-paths.ts';

/** Folders of what is there to simulate or to prove a design. */
const BESIDE =
  /(?:^|\/)(?:tbs?|tests?|test_?bench(?:es)?|bench(?:es)?|sims?|simulations?|fv|formal|verif\w*|uvm\w*|dv)(?:[_-]\w*)?\//i;

/** Whether a file stands in a folder of what simulates or proves a design. */
export const isBeside = (file: string): boolean => BESIDE.test(file);

/**
 * The sources of a design in Verilog that stand in folders of tests, and of which nothing outside of these has a module or a
 * macro; none where no slave may stand outside of them.
 */
export function unneededBeside({ units, files }: PreparedDesign): string[] {
  const all = units.map((unit) => {
    const text = textOf(files, unit);
    return { unit, tests: isBeside(reportedName(unit)), names: namedIn(text), declares: declaredIn(text) };
  });
  let kept = all.filter(({ tests }) => !tests);
  let left = all.filter(({ tests }) => tests);
  if (!kept.some(({ unit }) => hasSlavePorts(piecesOf(textOf(files, unit))))) return [];
  for (let grown = true; grown; ) {
    const own = new Set(kept.flatMap(({ declares }) => [...declares]));
    const missed = new Set(kept.flatMap(({ names }) => [...names].filter((name) => !own.has(name))));
    const needed = left.filter(({ declares }) => [...declares].some((name) => missed.has(name)));
    kept = [...kept, ...needed];
    left = left.filter((one) => !needed.includes(one));
    grown = needed.length > 0;
  }
  return left.map(({ unit }) => unit);
}
