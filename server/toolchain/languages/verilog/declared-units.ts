import { piecesOf } from './outline-lexer.ts';

/** Names of a source's modules, packages and interfaces, and of its macros with back-ticks. */
export function declaredIn(text: string): Set<string> {
  const pieces = piecesOf(text);
  return new Set(
    pieces.flatMap(({ kind, text: word }, at) => {
      if (kind === 'directive')
        return (word.match(/^`define\s+\w+/) ?? []).map((one) => one.replace(/define\s+/, ''));
      return /^(?:module|package|interface)$/.test(word) ? [pieces[at + 1]?.text ?? ''] : [];
    }),
  );
}
