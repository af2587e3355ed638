import { type Trial, type WrongWord, wrongWords } from './bench.ts';
import { type Expression, simplerThan, sizeOf } from './expression.ts';

/** The wrong words of some; of each by itself if one of them refuses the design. */
async function wrongOf(trial: Trial, expressions: readonly Expression[]): Promise<WrongWord[]> {
  try {
    return await wrongWords(trial, expressions);
  } catch {
    if (expressions.length < 2) return [];
    const half = expressions.length >> 1;
    const first = await wrongOf(trial, expressions.slice(0, half));
    const second = await wrongOf(trial, expressions.slice(half));
    return [...first, ...second.map((wrong) => ({ ...wrong, at: wrong.at + half }))];
  }
}

/**
 * The simplest wrong expression that step-by-step simplification reaches.
 * @returns null where it is not wrong by itself, but beside others alone
 */
export async function minimised(
  trial: Trial,
  expression: Expression,
): Promise<{ expression: Expression; wrong: WrongWord } | null> {
  const [first] = await wrongOf(trial, [expression]);
  if (!first) return null;
  let best = { expression, wrong: first };
  for (;;) {
    const simpler = simplerThan(best.expression).filter((one) => sizeOf(one) < sizeOf(best.expression));
    const wrong = (await wrongOf(trial, simpler)).sort(
      (a, b) => sizeOf(simpler[a.at] as Expression) - sizeOf(simpler[b.at] as Expression),
    )[0];
    if (!wrong) return best;
    best = { expression: simpler[wrong.at] as Expression, wrong };
  }
}
