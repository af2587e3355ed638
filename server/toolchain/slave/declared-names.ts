import type { SourcePieces } from '../languages/verilog/source-pieces.ts';

const DECLARES = new Set(
  'input output inout wire reg logic integer int genvar parameter localparam function task bit byte real time signed tri wand wor enum'.split(
    ' ',
  ),
);

/** Where a name is declared first. */
export interface Declaration {
  /** Index of the piece. */
  at: number;
  /** Whether it is an input of its module. */
  isInput: boolean;
}

/** Names that a text declares somewhere, instances among them: more rather than fewer. */
export function declaredIn({ pieces }: SourcePieces): Map<string, Declaration> {
  const names = new Map<string, Declaration>();
  /** The words of the declaration that is gone through. */
  let declaring: string[] = [];
  for (const [at, { kind, text }] of pieces.entries()) {
    const before = pieces[at - 1];
    if (kind === 'word' && DECLARES.has(text))
      declaring = declaring.at(-1) === before?.text ? [...declaring, text] : [text];
    else if (text === ';' || text === 'begin') declaring = [];
    else if (kind === 'word' && !names.has(text)) {
      // A type of the user's, or a module, in front of it.
      const typed = before?.kind === 'word' && /^(?:[;(,]|begin)$/.test(pieces[at - 2]?.text ?? ';');
      const named = /^(?:[=+\-*/?:<>&|^]|\[)$/.test(before?.text ?? '');
      if ((declaring.length > 0 && !named) || typed || before?.text === '}')
        names.set(text, { at, isInput: declaring.includes('input') });
    }
  }
  return names;
}
